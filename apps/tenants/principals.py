"""Who acts: a person (signed in, or by a key of theirs), an API key of the tenant, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from apps.tenants.errors import PermissionDeniedError, WithheldFromKeyError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.roles import PERMISSIONS, Permission, Role, allows

# Whatever its role: who finds a person's key must not be able to make themselves another one, or another person.
WITHHELD_FROM_KEYS = frozenset({Permission.KEY_MANAGE, Permission.MEMBER_MANAGE, Permission.TENANT_MANAGE})
# In the token of a person who is signed in, beside the permissions of their roles: the keys that act for themselves.
OWN_KEYS = "key.own"


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
    """

    kind: PrincipalKind
    id: UUID | None
    label: str
    tenant_id: TenantId
    scope_ids: frozenset[ScopeId]
    roles: frozenset[Role]
    key_id: UUID | None = None

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
        return held | {f"user:{self.id}"} if self.kind is PrincipalKind.USER else held

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
        return self.key_id is not None and permission in WITHHELD_FROM_KEYS


def system_principal(*, tenant_id: TenantId, scope_ids: frozenset[ScopeId], label: str) -> Principal:
    """The platform acting for a tenant by itself: a command, a sweeper, a migration."""
    return Principal(
        kind=PrincipalKind.SYSTEM, id=None, label=label, tenant_id=tenant_id, scope_ids=scope_ids, roles=frozenset()
    )
