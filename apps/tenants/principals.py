"""Who acts: a person (signed in, or by a key of theirs), an API key of the tenant, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.conf import settings

from apps.tenants.errors import PermissionDeniedError, WithheldFromKeyError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.roles import APPROVING, PERMISSIONS, Permission, Role, allows

# Whatever its role: who finds a person's key must not be able to make themselves another one, or another person.
WITHHELD_FROM_KEYS = frozenset({Permission.KEY_MANAGE, Permission.MEMBER_MANAGE, Permission.TENANT_MANAGE})
# As much of a name as an event holds.
LABEL_CHARS = 255
# In the token of a person who is signed in, beside the permissions of their roles: the keys that act for themselves.
OWN_KEYS = "key.own"
# In the token of who accepts an invitation, and of nobody else: beside it they hold nothing yet.
ACCEPTS = "invitation.accept"
# Whether they entered a code of their second factor; and whether a decision needs no further one (may_decide).
FACTOR_USED = "factor.used"
FACTOR_FRESH = "factor.fresh"


class PrincipalKind(StrEnum):
    USER = "user"
    API_KEY = "api_key"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """An authenticated actor within one tenant.

    id is the surrogate that events keep; label is the name as it was then, so that an event outlives its actor.
    key_id: the key that a person acts by; None for one who is signed in, and for everybody who is no person. Whatever
        keeps an actor for later (a stream, a job) keeps it too: the key may end before the person's own rights do.
    accepts: a person who brought the link of an invitation, and has no role yet.
    stepped_up: a person used their second factor within the last minutes, or right before they made the key.
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

    @property
    def is_signed_in(self) -> bool:
        """A person in a session of their own: who alone makes and ends the keys that act for them."""
        return self.kind is PrincipalKind.USER and self.key_id is None

    @property
    def permissions(self) -> frozenset[str]:
        """What a scope token says that the principal may do, and who it is; the platform may do everything."""
        if self.kind is PrincipalKind.SYSTEM:
            return frozenset({"*"})
        held = frozenset(permission.value for permission in Permission if self.may(permission))
        if self.is_signed_in:
            held |= {OWN_KEYS}
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
        """Who acts, among what a scope token says: `actor:kind:id:label`; the label in hex, since it may hold anything.

        The log takes its actor from here, and never from whoever writes to it (audit_record).
        """
        return f"actor:{self.kind.value}:{self.id or ''}:{self.label[:LABEL_CHARS].encode().hex()}"

    @property
    def may_decide(self) -> bool:
        """Whether a decision needs no code first: one was just entered, or this installation asks for none."""
        if self.kind is not PrincipalKind.USER:
            return self.kind is PrincipalKind.SYSTEM
        return self.stepped_up or not settings.GLASSBOX_REQUIRE_SECOND_FACTOR

    def may(self, permission: Permission) -> bool:
        return self.kind is PrincipalKind.SYSTEM or (allows(self.roles, permission) and not self._withheld(permission))

    def require(self, permission: Permission) -> None:
        """Raises PermissionDeniedError, naming the roles that would do; WithheldFromKeyError where no role would."""
        if not self.may(permission):
            if self._withheld(permission):
                raise WithheldFromKeyError(permission=permission.value)
            able = sorted(str(role.label) for role in Role if permission in PERMISSIONS[role])
            raise PermissionDeniedError(permission=permission.value, roles=", ".join(able))

    def _withheld(self, permission: Permission) -> bool:
        if self.kind is PrincipalKind.API_KEY:
            # Nobody's second pair of eyes: whoever may make a key would make themselves one.
            return permission in APPROVING
        return self.key_id is not None and permission in WITHHELD_FROM_KEYS


def system_principal(*, tenant_id: TenantId, scope_ids: frozenset[ScopeId], label: str) -> Principal:
    """The platform acting for a tenant by itself: a command, a sweeper, a migration."""
    return Principal(
        kind=PrincipalKind.SYSTEM, id=None, label=label, tenant_id=tenant_id, scope_ids=scope_ids, roles=frozenset()
    )
