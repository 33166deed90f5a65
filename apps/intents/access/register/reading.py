"""Read the history of a tenant: memberships, keys, grants, scopes and policy versions keep rows and times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from apps.audit.log.storage import root_at, stored_size
from apps.audit.models import Event
from apps.intents.access.contracts import ActsFor, GrantFact, Holding, ScopeName, Subject, TenantFacts, Through
from apps.intents.access.facts import KEY_MARK
from apps.intents.access.reach import intent_reaches
from apps.intents.access.register.contracts import History, Holder, ScopeBirth, Version
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import version_snapshots
from apps.intents.standing import by_time
from apps.tenants.context import current_scope, open_identity
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.tokens import Identity


def history_read() -> History:
    """Return the whole history of the open tenant's access, up to now.

    Whoever asks, everything is counted; the names of scopes are those that the asker may see.
    Costs: nine queries and the opening of the tenant's directory; five more the first time that this process reads the
           policy versions.
    """
    tenant = current_tenant()
    read_at = timezone.now()
    size = stored_size()
    grants = _grants()
    return History(
        read_at=read_at,
        tenant=TenantFacts(
            slug=tenant.slug,
            name=tenant.name,
            created_at=tenant.created_at,
            suspended=tenant.status == TenantStatus.SUSPENDED,
        ),
        holders=(*_people(grants), *_keys(grants)),
        scopes=_scopes(),
        names=_names(),
        versions=_versions(),
        forgotten=_forgotten(),
        log_size=size,
        log_root=root_at(size).hex(),
    )


def _grants() -> dict[UUID, tuple[GrantFact, ...]]:
    """Return every grant by the id of its membership or key, oldest first."""
    found: defaultdict[UUID, list[GrantFact]] = defaultdict(list)
    rows = Grant.objects.order_by("valid_from", "id").values_list(
        "membership_id", "api_key_id", "id", "scope_id", "valid_from", "valid_to"
    )
    for membership_id, api_key_id, grant_id, scope_id, valid_from, valid_to in rows:
        found[membership_id or api_key_id].append(
            GrantFact(id=grant_id, scope_id=scope_id, valid_from=valid_from, valid_to=valid_to)
        )
    return {holder: tuple(each) for holder, each in found.items()}


def _people(grants: dict[UUID, tuple[GrantFact, ...]]) -> Iterator[Holder]:
    held: defaultdict[UUID, list[Holding]] = defaultdict(list)
    subjects: dict[UUID, Subject] = {}
    # A membership that nobody has confirmed has never given any permission.
    rows = Membership.objects.filter(confirmed_at__isnull=False).order_by("confirmed_at", "id")
    for row in rows.values(*_of_account("user"), "id", "user_id", "role", "confirmed_at", "revoked_at"):
        user = _account(row, "user")
        subjects[user.id] = Subject(
            kind=PrincipalKind.USER,
            id=user.id,
            name=user.username,
            label=str(user),
            deactivated=not user.is_active,
        )
        held[user.id].append(
            Holding(
                through=Through.MEMBERSHIP,
                id=row["id"],
                role=Role(row["role"]),
                valid_from=row["confirmed_at"],
                valid_to=row["revoked_at"],
                grants=grants.get(row["id"], ()),
            )
        )
    for subject in sorted(subjects.values(), key=lambda each: (each.label.casefold(), each.name)):
        if subject.id is not None:
            yield Holder(subject=subject, holdings=tuple(held[subject.id]))


def _keys(grants: dict[UUID, tuple[GrantFact, ...]]) -> Iterator[Holder]:
    rows = ApiKey.objects.order_by("name", "created_at", "id")
    columns = ("id", "name", "prefix", "role", "person_id", "created_at", "expires_at", "revoked_at")
    for key in rows.values(*_of_account("person"), *columns):
        ends = [each for each in (key["expires_at"], key["revoked_at"]) if each is not None]
        person = _account(key, "person") if key["person_id"] else None
        yield Holder(
            subject=Subject(
                kind=PrincipalKind.API_KEY,
                id=key["id"],
                name=f"{KEY_MARK}{key['prefix']}",
                label=key["name"],
                deactivated=person is not None and not person.is_active,
                acts_for=ActsFor(id=UserId(person.id), name=person.username, label=str(person)) if person else None,
            ),
            holdings=(
                Holding(
                    through=Through.API_KEY,
                    id=key["id"],
                    role=Role(key["role"]),
                    valid_from=key["created_at"],
                    valid_to=min(ends, default=None),
                    grants=grants.get(key["id"], ()),
                ),
            ),
        )


# Of an account only what stands in an answer: the database works out an address and a password for each row that names
# them, which took half a millisecond a row.
_SHOWN = ("username", "first_name", "last_name", "is_active")


def _of_account(relation: str) -> Iterator[str]:
    return (f"{relation}__{name}" for name in _SHOWN)


def _account(row: Mapping[str, Any], relation: str) -> User:
    return User(id=row[f"{relation}_id"], **{name: row[f"{relation}__{name}"] for name in _SHOWN})


def _scopes() -> tuple[ScopeBirth, ...]:
    tenant_id = current_scope().tenant_id
    with open_identity(Identity(directory=tenant_id)):
        rows = Scope._base_manager.filter(tenant_id=tenant_id).order_by("created_at", "id")
        return tuple(
            ScopeBirth(ScopeId(scope_id), ScopeId(parent_id) if parent_id else None, created_at)
            for scope_id, parent_id, created_at in rows.values_list("id", "parent_id", "created_at")
        )


def _names() -> dict[ScopeId, ScopeName]:
    rows = Scope.objects.filter(id__in=current_scope().scope_ids).order_by("key").values_list("id", "key", "name")
    return {row[0]: ScopeName(id=row[0], key=row[1], name=row[2]) for row in rows}


def _versions() -> tuple[Version, ...]:
    rows = [each for each in by_time(PolicyVersion.objects.all()) if each.valid_from is not None]
    snapshots = version_snapshots(rows)
    found = [_version(row.id, row.valid_from, row.valid_to, snapshots) for row in rows]
    return tuple(sorted(found, key=lambda each: (each.valid_from, each.snapshot.number)))


def _version(
    version_id: UUID, valid_from: datetime, valid_to: datetime | None, snapshots: Mapping[UUID, PolicySnapshot]
) -> Version:
    snapshot = snapshots[version_id]
    return Version(
        snapshot=snapshot,
        sha256=policy_sha256(snapshot),
        reaches=intent_reaches(snapshot),
        valid_from=valid_from,
        valid_to=valid_to,
    )


def _forgotten() -> int:
    """Return how many memberships the log records that have no row any more: their persons were erased."""
    logged = Event.objects.filter(subject_type="membership").values_list("subject_id", flat=True)
    return len(set(logged) - set(Membership.objects.values_list("id", flat=True)))
