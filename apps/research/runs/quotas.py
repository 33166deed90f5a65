"""How much research a person and a tenant may have under way at once."""

from __future__ import annotations

from datetime import timedelta

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from apps.research.errors import RunError
from apps.research.models import ResearchRun, RunMode, RunState
from apps.research.runs.limits import DEEP_AT_ONCE, PLAN_SECONDS, RUNS_AT_ONCE, RUNS_OF_OWNER
from apps.tenants.advisory import advisory_key
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal


def require_quota_of_owner(tenant_id: TenantId, who: Principal) -> None:
    """Require that a person may have one more run, plans of the last hour included. Raises: RunError."""
    _one_at_a_time(tenant_id)
    # A plan that was forgotten must not lock its owner out.
    last_plans = Q(state=RunState.PLANNED, requested_at__gt=timezone.now() - timedelta(seconds=PLAN_SECONDS))
    own = ResearchRun.objects.filter(Q(state__in=(RunState.QUEUED, RunState.RUNNING)) | last_plans, owner_id=who.id)
    if own.count() >= RUNS_OF_OWNER:
        raise RunError("research.too_many_own_runs", limit=RUNS_OF_OWNER)


def _one_at_a_time(tenant_id: TenantId) -> None:
    """Make the second of two requests that come at once wait until the first is counted."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("research", tenant_id)])


def require_quota_of_tenant(tenant_id: TenantId, mode: RunMode) -> None:
    """Require that the tenant may have one more run that waits or runs. Raises: RunError."""
    _one_at_a_time(tenant_id)
    under_way = ResearchRun.objects.filter(state__in=(RunState.QUEUED, RunState.RUNNING))
    if under_way.count() >= RUNS_AT_ONCE:
        raise RunError("research.too_many_runs", limit=RUNS_AT_ONCE)
    if mode is RunMode.DEEP_SEARCH and under_way.filter(mode=mode).count() >= DEEP_AT_ONCE:
        raise RunError("research.too_many_runs", limit=f"{DEEP_AT_ONCE} deep")
