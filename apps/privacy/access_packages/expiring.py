"""Scheduled removal of expired packages, and of the keys of requests for access that ended long ago."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.utils import timezone

from apps.audit.models import DataKey
from apps.privacy.codes.life import FINISHED
from apps.privacy.codes.requests import Purpose
from apps.privacy.models import AccessPackage, ErasureRequest
from apps.privacy.requests.events import tell
from apps.privacy.requests.services.forgetting import KEPT_FOR, forget, may_be_forgotten, remove_packages
from apps.privacy.requests.services.stepping import locked_request
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_by_itself, each_tenant

_REASON: Final = "what was made for requests for access has expired"


def expire_all() -> int:
    """Remove what has expired, in every tenant. Returns: how many packages and keys of requests were removed."""
    return each_tenant(expire_tenant, doing=Sweep.PACKAGES)


def expire_tenant(tenant_id: TenantId) -> int:
    """Remove what has expired in one tenant. Returns: how many packages and keys of requests were removed.

    Each package and each request has a separate transaction; what a process that died left over is done the next time.
    A request with a letter that is not sent yet is left until that letter is settled.
    """
    now = timezone.now()
    with open_scope(tenant=tenant_id, reason=_REASON):
        packages = list(AccessPackage.objects.filter(expires_at__lte=now).values_list("id", flat=True))
        over = ErasureRequest.objects.filter(
            purpose=Purpose.ACCESS,
            state__in=FINISHED,
            finished_at__lte=now - KEPT_FOR,
            data_key_id__in=DataKey.objects.values("id"),
        )
        requests = list(over.order_by("id").values_list("id", flat=True))
    expired = each_by_itself(packages, lambda id: _expire(tenant_id, id), doing="remove an expired package")
    return expired + each_by_itself(requests, lambda id: _forget(tenant_id, id), doing="forget a request for access")


def _expire(tenant_id: TenantId, package_id: UUID) -> bool:
    with open_scope(tenant=tenant_id, reason=_REASON):
        found = AccessPackage.objects.filter(id=package_id).defer("ciphertext").select_related("request").first()
        if found is None or not remove_packages([package_id]):
            return False
        tell("expired", found.request, package_id=str(package_id))
    return True


def _forget(tenant_id: TenantId, request_id: UUID) -> bool:
    with open_scope(tenant=tenant_id, reason=_REASON):
        request = locked_request(request_id)
        if not may_be_forgotten(request):
            return False
        forget(request)
    return True
