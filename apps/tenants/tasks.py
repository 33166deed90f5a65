"""What this floor does by the clock."""

from __future__ import annotations

from celery import Task, shared_task

from apps.tenants.api.idempotency import forget_expired
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants
from apps.tenants.session_store import SessionStore


def forget_all_expired() -> None:
    """Remove what was kept to replay requests, after its day, in every tenant."""
    for tenant in all_tenants():
        with open_scope(tenant=TenantId(tenant.id), reason="forget expired idempotency keys"):
            forget_expired()


def clear_sessions() -> None:
    """Remove the sessions that have ended."""
    SessionStore.clear_expired()


forget_ended_sessions: Task = shared_task(name="apps.tenants.tasks.forget_ended_sessions", ignore_result=True)(
    clear_sessions
)
forget_expired_requests: Task = shared_task(name="apps.tenants.tasks.forget_expired_requests", ignore_result=True)(
    forget_all_expired
)
