"""Who acts: a person, an API key, or the system itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from apps.tenants.errors import PermissionDeniedError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.roles import PERMISSIONS, Permission, Role, allows


class PrincipalKind(StrEnum):
    USER = "user"
    API_KEY = "api_key"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """An authenticated actor within one tenant.

    id is the surrogate that events keep; label is the name as it was then, so that an event outlives its actor.
    """

    kind: PrincipalKind
    id: UUID | None
    label: str
    tenant_id: TenantId
    scope_ids: frozenset[ScopeId]
    roles: frozenset[Role]

    @property
    def permissions(self) -> frozenset[str]:
        """What a scope token says that the principal may do, and who it is; the platform may do everything."""
        if self.kind is PrincipalKind.SYSTEM:
            return frozenset({"*"})
        held = frozenset(permission.value for permission in Permission if allows(self.roles, permission))
        return held | {f"user:{self.id}"} if self.kind is PrincipalKind.USER else held

    def may(self, permission: Permission) -> bool:
        return self.kind is PrincipalKind.SYSTEM or allows(self.roles, permission)

    def require(self, permission: Permission) -> None:
        """Raises PermissionDeniedError, naming the roles that would do."""
        if not self.may(permission):
            able = sorted(str(role.label) for role in Role if permission in PERMISSIONS[role])
            raise PermissionDeniedError(permission=permission.value, roles=", ".join(able))


def system_principal(*, tenant_id: TenantId, scope_ids: frozenset[ScopeId], label: str) -> Principal:
    """The platform acting for a tenant by itself: a command, a sweeper, a migration."""
    return Principal(
        kind=PrincipalKind.SYSTEM, id=None, label=label, tenant_id=tenant_id, scope_ids=scope_ids, roles=frozenset()
    )
