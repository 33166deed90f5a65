"""Make the two firms with their scopes, people and keys, through the same services that every firm uses."""

from __future__ import annotations

from apps.demo.tenants import DEMO_TENANTS, DemoTenant
from apps.demo.tour.access import PEOPLE, DemoAccess, Person
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError, UnknownTenantError
from apps.tenants.ids import TenantId
from apps.tenants.models import Scope, Tenant, User
from apps.tenants.roles import Role
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import scope_by_key, tenant_by_slug
from apps.tenants.services.api_keys import api_key_authenticate, api_key_create
from apps.tenants.services.members import membership_grant
from apps.tenants.services.tenants import scope_create, tenant_create

REASON = "manage.py demo"


def set_up(access: DemoAccess) -> tuple[Tenant, ...]:
    """Make what is missing. Passwords and keys that `access` does not hold are made and added to it."""
    users = [_user(person, access) for person in PEOPLE]
    return tuple(_set_up(firm, users, access) for firm in DEMO_TENANTS)


def _set_up(firm: DemoTenant, users: list[User], access: DemoAccess) -> Tenant:
    tenant = _tenant(firm)
    with open_scope(tenant=TenantId(tenant.id), reason=REASON):
        root = scope_by_key(firm.root_scope_key)
        for scope in firm.scopes:
            if not Scope.objects.filter(key=scope.key).exists():
                scope_create(key=scope.key, name=scope.name, parent=root)
        for person, user in zip(PEOPLE, users, strict=True):
            for role in person.roles:
                membership_grant(user=user, role=role, scopes=[root])
        _key(access.client_keys, firm, root, Role.ANALYST, "Demo client")
        _key(access.auditor_keys, firm, root, Role.AUDITOR, "Demo auditor")
    return tenant


def _tenant(firm: DemoTenant) -> Tenant:
    try:
        return tenant_by_slug(firm.slug)
    except UnknownTenantError:
        return tenant_create(
            slug=firm.slug,
            name=firm.name,
            residency_region=firm.residency_region,
            residency_strict=firm.residency_strict,
            reason=REASON,
        )


def _user(person: Person, access: DemoAccess) -> User:
    user = user_by_name(person.username)
    if user is None:
        user = User(username=person.username, first_name=person.first_name, is_staff=True)
        user.set_password(access.password_of(person))
        user.save()
    elif not user.check_password(access.password_of(person)):
        user.set_password(access.password_of(person))
        user.save(update_fields=["password"])
    return user


def _key(keys: dict[str, str], firm: DemoTenant, root: Scope, role: Role, name: str) -> None:
    try:
        api_key_authenticate(keys.get(firm.slug, ""))
    except InvalidKeyError:
        _, keys[firm.slug] = api_key_create(name=name, role=role, scopes=[root])
