"""By the clock: packages that have expired, and what is known of the person once a request for access is long over."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from apps.audit.access.removing import KEPT_FOR, remove
from apps.audit.models import AccessPackage, DataKey, ErasureRequest
from apps.audit.requests.codes import Purpose
from apps.audit.requests.events import tell
from apps.audit.requests.life import FINISHED
from apps.audit.requests.services.forgetting import STEP, forget, may_be_forgotten
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants


def expire_all() -> int:
    """In every tenant. Returns: how many packages and keys of requests went."""
    return sum(expire_tenant(TenantId(tenant.id)) for tenant in all_tenants())


def expire_tenant(tenant_id: TenantId) -> int:
    """What a process that died left is done with the next call: each package and each request by itself.

    A request of which a letter was not sent yet is left until that is settled.
    """
    now = timezone.now()
    with open_scope(tenant=tenant_id, reason="what was made for requests for access has expired"):
        due = AccessPackage.objects.filter(expires_at__lte=now).defer("ciphertext").select_related("request")
        packages = list(due)
        for package in packages:
            with transaction.atomic():
                if remove([package.id]):
                    tell("expired", package.request, package_id=str(package.id))
        keys = DataKey.objects.values("id")
        over = ErasureRequest.objects.filter(
            purpose=Purpose.ACCESS, state__in=FINISHED, finished_at__lte=now - KEPT_FOR, data_key_id__in=keys
        )
        forgotten = [request for request in over if may_be_forgotten(request)]
        for request in forgotten:
            with transaction.atomic():
                forget(request)
                tell(STEP, request)
    return len(packages) + len(forgotten)
