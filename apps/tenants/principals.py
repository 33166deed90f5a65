"""Principals: a person (signed in, or acting by a key of theirs), an API key of the tenant, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from uuid import UUID

from django.conf import settings

from apps.tenants.errors import PermissionDeniedError, WithheldFromKeyError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.roles import APPROVING, PERMISSIONS, Permission, Role, allows

# A person's key never carries these permissions, whatever its role: somebody who finds the key must not be able to make
# another key or add another member.
WITHHELD_FROM_KEYS = frozenset({Permission.KEY_MANAGE, Permission.MEMBER_MANAGE, Permission.TENANT_MANAGE})
# The greatest length of a name in an event.
LABEL_CHARS = 255
# In the token of a signed-in person, beside the permissions of their roles: they may manage keys that act for them.
OWN_KEYS = "key.own"
# Only in the token of a person who accepts an invitation, and who has no permissions yet.
ACCEPTS = "invitation.accept"
# The person entered a code of their second factor; a decision needs no further code (may_decide).
FACTOR_USED = "factor.used"
FACTOR_FRESH = "factor.fresh"
# Only in the token of a worker that runs a job in the name of whoever asked for it, beside `job:` with its document.
RUNS_JOB = "job.run"


class PrincipalKind(StrEnum):
    USER = "user"
    API_KEY = "api_key"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """An authenticated actor within one tenant.

    id: the surrogate that events keep. label: the actor's name at that time, so that an event outlives its actor.
    key_id: the key by which a person acts; None for a signed-in person, and for every principal that is not a person.
        Code that keeps an actor for later (a stream, a job) must keep key_id too, because the key may end before the
        person's own rights do.
    accepts: the person accepts an invitation with its link, and has no role yet.
    runs_job_of: the document whose job a worker runs in this name, and of which alone it writes what the job finds.
    stepped_up: the person used their second factor within the last minutes, or right before they made the key.
    """

    kind: PrincipalKind
    id: UUID | None
    label: str
    tenant_id: TenantId
    scope_ids: frozenset[ScopeId]
    roles: frozenset[Role]
    key_id: UUID | None = None
    accepts: bool = False
    stepped_up: bool = False
    runs_job_of: UUID | None = None

    @property
    def is_signed_in(self) -> bool:
        """Whether a person acts in a session, and not by a key. Only then may they make keys that act for them."""
        return self.kind is PrincipalKind.USER and self.key_id is None

    @property
    def permissions(self) -> frozenset[str]:
        """What the scope token says about the principal: its permissions, and who it is. `*` is for the system."""
        if self.kind is PrincipalKind.SYSTEM:
            return frozenset({"*"})
        held = frozenset(permission.value for permission in Permission if self.may(permission))
        # Of the roles that a policy names for each kind of document (apps/intents/sql/correcting.sql).
        held |= {f"role:{role.value}" for role in self.roles}
        if self.is_signed_in:
            held |= {OWN_KEYS}
        if self.runs_job_of is not None:
            held |= {RUNS_JOB, f"job:{self.runs_job_of}"}
        if self.key_id is not None:
            held |= {f"key:{self.key_id}"}
        if self.accepts:
            held |= {ACCEPTS}
        if self.kind is PrincipalKind.USER and self.stepped_up:
            held |= {FACTOR_USED}
        if self.may_decide:
            held |= {FACTOR_FRESH}
        return held | {f"user:{self.id}"} if self.kind is PrincipalKind.USER else held

    @property
    def actor_claim(self) -> str:
        """The claim of a scope token that says who acts: `actor:kind:id:label`.

        The label is in hex, because it may contain any character. The log takes the actor of an event from this claim,
        and never from the process that writes the event (audit_record).
        """
        return f"actor:{self.kind.value}:{self.id or ''}:{self.label[:LABEL_CHARS].encode().hex()}"

    @property
    def without_name(self) -> Principal:
        """The same, called by its id. For what is recorded after the person may have been erased, whose name an event
        must not bring back."""
        return self if self.id is None else replace(self, label=f"{self.kind.value} {self.id}")

    @property
    def may_decide(self) -> bool:
        """Whether the principal may decide without entering a code of a second factor first.

        True if a person has just entered one, if this installation asks for none, and for the system.
        """
        if self.kind is not PrincipalKind.USER:
            return self.kind is PrincipalKind.SYSTEM
        return self.stepped_up or not settings.GLASSBOX_REQUIRE_SECOND_FACTOR

    def may(self, permission: Permission) -> bool:
        return self.kind is PrincipalKind.SYSTEM or (allows(self.roles, permission) and not self._withheld(permission))

    def require(self, permission: Permission) -> None:
        """Raise an error unless the principal has the permission.

        Raises: PermissionDeniedError: its message names the roles that have the permission.
                WithheldFromKeyError: the permission is withheld from keys of this kind, whatever their role.
        """
        if not self.may(permission):
            if self._withheld(permission):
                raise WithheldFromKeyError(permission=permission.value)
            able = sorted(str(role.label) for role in Role if permission in PERMISSIONS[role])
            raise PermissionDeniedError(permission=permission.value, roles=", ".join(able))

    def _withheld(self, permission: Permission) -> bool:
        if self.kind is PrincipalKind.API_KEY:
            # An API key can't be the second person: somebody who may make keys could make one to approve their own
            # proposals.
            return permission in APPROVING
        return self.key_id is not None and permission in WITHHELD_FROM_KEYS


def system_principal(*, tenant_id: TenantId, scope_ids: frozenset[ScopeId], label: str) -> Principal:
    """Return the principal of the platform itself in a tenant, for a command, a sweeper or a migration."""
    return Principal(
        kind=PrincipalKind.SYSTEM, id=None, label=label, tenant_id=tenant_id, scope_ids=scope_ids, roles=frozenset()
    )
