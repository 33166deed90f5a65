"""Making tenants and scopes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence

from django.db import IntegrityError, transaction

from apps.tenants.context import current_scope, open_scope, widened_scope
from apps.tenants.errors import ScopeKeyError
from apps.tenants.events import emit
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope, Tenant
from apps.tenants.models.scope import SCOPE_KEY_PATTERN
from apps.tenants.registry import announce_configured, announce_created, announce_scope_below, first_policy
from apps.tenants.residency import check_providers
from apps.tenants.roles import Permission
from apps.tenants.services.api_keys import require_reason

# The slug is not here and never changes: commands, addresses and the root scope's key contain it.
CONFIGURABLE = (
    "name",
    "residency_region",
    "residency_strict",
    "embedding_profile",
    "generation_profile",
    "status",
)


def tenant_create(
    *,
    slug: str,
    name: str,
    residency_region: str,
    residency_strict: bool = True,
    embedding_profile: str = "local",
    generation_profile: str = "extractive",
    packs: Sequence[str] = (),
    reason: str,
) -> Tenant:
    """Make a tenant together with what every tenant has: its root scope firm:<slug> and its first policy.

    All of it happens in one transaction.

    Args:   packs: the shipped packs of which the first policy is made; none for the default ones.
    Raises: ApplicationError: there is no such pack, or the packs can't be combined.
            ResidencyError: the tenant is strict and a provider lies outside its region.
            ValidationError: the slug or the name is malformed.
    """
    tenant = Tenant(
        id=uuid.uuid4(),
        slug=slug,
        name=name,
        residency_region=residency_region,
        residency_strict=residency_strict,
        embedding_profile=embedding_profile,
        generation_profile=generation_profile,
    )
    check_providers(tenant)
    tenant.clean_fields()
    root = ScopeId(uuid.uuid4())
    # Open the scope before the rows exist: the database allows the inserts because of the scope's token.
    with transaction.atomic(), open_scope(tenant=TenantId(tenant.id), scopes=[], reason=reason):
        tenant.save(force_insert=True)
        emit(
            action="tenants.tenant.created",
            core={
                "slug": slug,
                "residency_region": residency_region,
                "residency_strict": residency_strict,
                "embedding_profile": embedding_profile,
                "generation_profile": generation_profile,
            },
            subject_type="tenant",
            subject_id=tenant.id,
        )
        with widened_scope(added=root):
            _insert_scope(scope_id=root, key=f"firm:{slug}", name=name, parent=None)
            announce_created(tenant)
            first_policy().give(packs)
    return tenant


def tenant_configure(tenant: Tenant) -> Tenant:
    """Save a tenant's changed settings, and run the steps that follow from them (registry.announce_configured).

    Raises: ResidencyError, ValidationError.
    """
    current_scope()
    check_providers(tenant)
    tenant.full_clean()
    with transaction.atomic():
        # no_key: other transactions may insert rows that refer to the tenant meanwhile.
        before = Tenant.objects.select_for_update(no_key=True).get(id=tenant.id)
        tenant.save(update_fields=CONFIGURABLE)
        announce_configured(before, tenant)
        emit(
            action="tenants.tenant.configured",
            core={
                "residency_region": tenant.residency_region,
                "residency_strict": tenant.residency_strict,
                "embedding_profile": tenant.embedding_profile,
                "generation_profile": tenant.generation_profile,
                "status": tenant.status,
            },
            subject_type="tenant",
            subject_id=tenant.id,
        )
    return tenant


def scope_create(*, key: str, name: str, parent: Scope | None) -> Scope:
    """Make a scope in the open tenant. Holders of the parent scope hold the new one from their next request on.

    Raises: ScopeKeyError; what the functions registered with registry.register_before_scope raise.
    """
    if not re.fullmatch(SCOPE_KEY_PATTERN, key):
        raise ScopeKeyError("tenants.invalid_scope_name", key=repr(key))
    scope_id = ScopeId(uuid.uuid4())
    with transaction.atomic(), widened_scope(added=scope_id):
        if parent is not None:
            announce_scope_below(parent)
        return _insert_scope(scope_id=scope_id, key=key, name=name, parent=parent)


def scope_rename(scope_id: ScopeId, *, key: str, name: str, reason: str) -> Scope:
    """Change the name or the key of a scope.

    Grants and documents refer to the scope by its id and are not affected. Clients that name the scope by its key must
    use the new key.

    Raises: PermissionDeniedError, ReasonMissingError; ScopeKeyError: the key is malformed or taken, or the scope is the
            root, whose key the platform uses to find the tenant as a whole.
    """
    current_scope().principal.require(Permission.SCOPE_MANAGE)
    said = require_reason(reason)
    if not re.fullmatch(SCOPE_KEY_PATTERN, key):
        raise ScopeKeyError("tenants.invalid_scope_name", key=repr(key))
    with transaction.atomic():
        scope: Scope = Scope.objects.select_for_update(no_key=True).get(id=scope_id)
        changed = [field for field, value in (("key", key), ("name", name)) if getattr(scope, field) != value]
        if "key" in changed and scope.parent_id is None:
            raise ScopeKeyError("tenants.root_scope_key", key=scope.key)
        if not changed:
            return scope
        scope.key, scope.name = key, name
        try:
            with transaction.atomic():
                scope.save(update_fields=changed)
        except IntegrityError:
            # A scope that the acting person may not see may have this key, so the error says nothing more about it.
            raise ScopeKeyError("tenants.scope_key_taken") from None
        emit(
            action="tenants.scope.renamed",
            core={"fields": ",".join(changed)},
            actor={"reason": said},
            subject_type="scope",
            subject_id=scope.id,
            scopes=[ScopeId(scope.id)],
        )
    return scope


def _insert_scope(*, scope_id: ScopeId, key: str, name: str, parent: Scope | None) -> Scope:
    try:
        with transaction.atomic():
            scope: Scope = Scope.objects.create(
                id=scope_id, tenant_id=current_scope().tenant_id, key=key, name=name, parent=parent
            )
    except IntegrityError as error:
        if "scope_key_once" not in str(error):
            raise
        # A scope that the acting person may not see may have this key, so the error says nothing more about it.
        raise ScopeKeyError("tenants.scope_key_taken") from None
    emit(
        action="tenants.scope.created",
        core={"key": key, "parent_id": str(parent.id) if parent else None},
        subject_type="scope",
        subject_id=scope_id,
        scopes=[scope_id],
    )
    return scope
