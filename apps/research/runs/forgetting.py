"""Remove research whose time has come."""

from __future__ import annotations

from typing import Final

from django.db.models import Q
from django.utils import timezone

from apps.research.models import ResearchRun, ResearchStep
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

_REASON: Final = "research has expired"
_AT_ONCE: Final = 500


def forget_tenant(tenant_id: TenantId) -> int:
    """Remove what has expired in one tenant, and steps whose run was erased. Returns: how many runs were removed."""
    removed = 0
    while some := _forget_some(tenant_id):
        removed += some
    return removed


def _forget_some(tenant_id: TenantId) -> int:
    with open_scope(tenant=tenant_id, reason=_REASON):
        expired = ResearchRun.objects.filter(expires_at__lte=timezone.now()).values_list("id", flat=True)[:_AT_ONCE]
        ids = list(expired)
        there = ResearchRun.objects.exclude(id__in=ids).values("id")
        ResearchStep.objects.filter(Q(run_id__in=ids) | ~Q(run_id__in=there)).delete()
        removed, _ = ResearchRun.objects.filter(id__in=ids).delete()
    return removed
