"""Read the facts for one answer. The rows contain the past: a membership or grant that ends keeps its row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from apps.intents.access.contracts import (
    AccessFacts,
    ActsFor,
    GrantFact,
    Holding,
    ScopeFact,
    ScopeName,
    Subject,
    TenantFacts,
    Through,
)
from apps.intents.access.reach import reached_scopes
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.intents.standing import in_force_at
from apps.tenants.context import current_scope, open_identity
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.tokens import Identity

KEY_MARK = "gbx_"

_Found = tuple[Subject, tuple[Holding, ...]]


def person(*, name: str = "", user_id: UserId | None = None) -> _Found:
    """Return a person by their exact user name or by id, with every membership that they ever had in the open tenant.

    A person without any membership counts as unknown: the answer must not reveal their account in other tenants.
    Two queries.
    """
    lookup = {"id": user_id} if user_id else {"username": name}
    user = User.objects.filter(**lookup).first()
    memberships = _memberships(UserId(user.id)) if user else ()
    if user is None or not memberships:
        return Subject(kind=PrincipalKind.USER, id=None, name=name, label=name), ()
    subject = Subject(
        kind=PrincipalKind.USER,
        id=user.id,
        name=user.username,
        label=str(user),
        deactivated=not user.is_active,
    )
    return subject, memberships


def api_key(*, prefix: str = "", key_id: UUID | None = None) -> _Found:
    """Return an API key of the open tenant by its prefix or by its id. One query."""
    lookup = {"id": key_id} if key_id else {"prefix": prefix}
    key: ApiKey | None = ApiKey.objects.filter(**lookup).select_related("person").first()
    if key is None:
        name = f"{KEY_MARK}{prefix}"
        return Subject(kind=PrincipalKind.API_KEY, id=None, name=name, label=name), ()
    ends = [each for each in (key.expires_at, key.revoked_at) if each is not None]
    holding = Holding(
        through=Through.API_KEY,
        id=key.id,
        role=Role(key.role),
        valid_from=key.created_at,
        valid_to=min(ends, default=None),
    )
    subject = Subject(
        kind=PrincipalKind.API_KEY,
        id=key.id,
        name=f"{KEY_MARK}{key.prefix}",
        label=key.name,
        deactivated=key.person is not None and not key.person.is_active,
        acts_for=None if key.person is None else _acts_for(key.person),
    )
    return subject, (holding,)


def access_facts(found: _Found, *, at: datetime, answered_at: datetime) -> AccessFacts:
    """Return all facts for the answer about a subject at an instant.

    Costs: five queries and the opening of the tenant's directory, two more for a key that acts for a person; six more
           the first time that this process reads the policy version.
    """
    subject, holdings = found
    bounds: tuple[Holding, ...] = ()
    tenant = current_tenant()
    tree: tuple[ScopeFact, ...] = ()
    names: Mapping[ScopeId, ScopeName] = {}
    policy: PolicySnapshot | None = None
    if holdings and tenant.created_at <= at <= answered_at:
        policy = _policy_at(at)
        holdings = _with_grants(holdings, at)
        bounds = _with_grants(_memberships(subject.acts_for.id), at) if subject.acts_for else ()
        tree = scope_tree(at)
        given = {grant.scope_id for holding in (*holdings, *bounds) for grant in holding.grants}
        names = _names(given | reached_scopes(holdings, tree)) if given else {}
    return AccessFacts(
        at=at,
        answered_at=answered_at,
        tenant=TenantFacts(
            slug=tenant.slug,
            name=tenant.name,
            created_at=tenant.created_at,
            suspended=tenant.status == TenantStatus.SUSPENDED,
        ),
        subject=subject,
        holdings=holdings,
        bounds=bounds,
        tree=tree,
        names=names,
        policy=policy,
    )


def _memberships(user_id: UserId) -> tuple[Holding, ...]:
    """Return every confirmed membership that a person ever had in the open tenant, oldest first."""
    return tuple(
        Holding(
            through=Through.MEMBERSHIP,
            id=each.id,
            role=Role(each.role),
            valid_from=each.confirmed_at,
            valid_to=each.revoked_at,
        )
        # A membership that nobody has confirmed has never given any permission.
        for each in Membership.objects.filter(user_id=user_id, confirmed_at__isnull=False).order_by("created_at", "id")
    )


def _acts_for(person: User) -> ActsFor:
    return ActsFor(id=UserId(person.id), name=person.username, label=str(person))


def _policy_at(at: datetime) -> PolicySnapshot | None:
    version = in_force_at(PolicyVersion.objects.all(), at)
    return None if version is None else version_snapshot(version)


def _not_ended(at: datetime) -> Q:
    return Q(valid_to__isnull=True) | Q(valid_to__gt=at)


def _with_grants(holdings: tuple[Holding, ...], at: datetime) -> tuple[Holding, ...]:
    valid = [each for each in holdings if each.is_valid(at)]
    if not valid:
        return holdings
    column = "membership_id" if valid[0].through is Through.MEMBERSHIP else "api_key_id"
    rows = (
        Grant.objects.filter(_not_ended(at), valid_from__lte=at, **{f"{column}__in": [each.id for each in valid]})
        .order_by("valid_from", "id")
        .values_list(column, "id", "scope_id", "valid_from", "valid_to")
    )
    grants: dict[UUID, list[GrantFact]] = defaultdict(list)
    for holder_id, grant_id, scope_id, valid_from, valid_to in rows:
        grants[holder_id].append(GrantFact(id=grant_id, scope_id=scope_id, valid_from=valid_from, valid_to=valid_to))
    return tuple(replace(each, grants=tuple(grants[each.id])) for each in holdings)


def scope_tree(at: datetime) -> tuple[ScopeFact, ...]:
    """Return the tree of scopes without names, read with the tenant's directory.

    `_names` reads the names under row-level security, for the scopes that the asker may see.
    """
    tenant_id = current_scope().tenant_id
    with open_identity(Identity(directory=tenant_id)):
        # Filter by date in the query and not in Python: reading a thousand dates took longer than all of the queries.
        rows = Scope._base_manager.filter(tenant_id=tenant_id, created_at__lte=at).values_list("id", "parent_id")
        return tuple(
            ScopeFact(ScopeId(scope_id), ScopeId(parent_id) if parent_id else None) for scope_id, parent_id in rows
        )


def _names(scope_ids: Iterable[ScopeId]) -> Mapping[ScopeId, ScopeName]:
    visible = set(scope_ids) & current_scope().scope_ids
    rows = Scope.objects.filter(id__in=visible).values_list("id", "key", "name")
    return {row[0]: ScopeName(id=row[0], key=row[1], name=row[2]) for row in rows}
