"""Versions brought to a state by plain rows, in somebody's name: for tests of what the database holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db.models import F
from django.utils import timezone

from apps.intents.baseline import baseline_snapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.services.proofs import proof_store
from apps.intents.services.versions import policy_draft_create
from apps.tenants.context import current_scope, open_scope
from apps.tenants.models import User
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_grant


@contextmanager
def acting(user: User | None, role: Role = Role.COMPLIANCE_OFFICER) -> Iterator[None]:
    """Within the open scope, as this person; as the system where none is named."""
    outer = current_scope()
    if user is None:
        yield
        return
    person = Principal(
        kind=PrincipalKind.USER,
        id=user.id,
        label=user.username,
        tenant_id=outer.tenant_id,
        scope_ids=outer.scope_ids,
        roles=frozenset({role}),
    )
    if role is Role.REVIEWER:
        # What becomes approved rests on the membership of whoever approves it.
        with open_scope(tenant=outer.tenant_id, reason="a test"):
            membership_grant(user=user, role=role, scopes=[])
    with open_scope(tenant=outer.tenant_id, principal=person):
        yield


def draft(number: int = 2, author: User | None = None) -> PolicyVersion:
    with acting(author):
        return policy_draft_create(
            snapshot=baseline_snapshot(), number=number, origin=VersionOrigin.DRAFT, reason="A wider attribution."
        )


_DECISIONS = (VersionStatus.APPROVED, VersionStatus.REJECTED, VersionStatus.DRAFT)


def step(version: PolicyVersion, **values: object) -> None:
    """A decision names the revision that stands there, as somebody's does who has just read it.

    A submission is proven.
    """
    if version.status == VersionStatus.IN_REVIEW and values.get("status") in _DECISIONS:
        values = {"decided_revision": F("revision"), **values}
    PolicyVersion.objects.filter(id=version.id).update(**values)
    version.refresh_from_db()
    if values.get("status") == VersionStatus.IN_REVIEW and version.author_id:
        proof_store(version)


def in_review(author: User | None, number: int = 2) -> PolicyVersion:
    version = draft(number, author)
    with acting(author):
        step(version, status=VersionStatus.IN_REVIEW)
    return version


def approved(alice: User, bob: User, number: int = 2) -> PolicyVersion:
    version = in_review(alice, number)
    with acting(bob, Role.REVIEWER):
        step(version, status=VersionStatus.APPROVED, approver=bob, approver_label="Bob", effective_from=timezone.now())
    return version
