"""The Celery tasks of this app: its scheduled tasks, and the one that mails a link to set a password."""

from __future__ import annotations

from celery import Task, shared_task

from apps.tenants.alarm_mail import tell_operators
from apps.tenants.api.idempotency import forget_expired
from apps.tenants.api.probes import seen_now
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import sweep_all
from apps.tenants.services.account_links import forget_expired_links, password_link_send
from apps.tenants.services.invitations import forget_expired_invitations
from apps.tenants.session_store import SessionStore
from apps.tenants.sweeping import Sweep, each_tenant


def forget_all_expired() -> None:
    """Remove idempotency keys after their day, and the mailboxes of expired invitations, in every tenant."""
    each_tenant(_forget_expired, doing=Sweep.REQUESTS)


def _forget_expired(tenant_id: TenantId) -> int:
    with open_scope(tenant=tenant_id, reason="forget expired idempotency keys"):
        forget_expired()
    with open_scope(tenant=tenant_id, reason="forget the mailboxes of invitations that expired"):
        forget_expired_invitations()
    return 1


def tell_all_alarms() -> None:
    """Mail the operators the alarms that were not sent today."""
    seen = seen_now()
    if seen is not None:
        tell_operators(seen.alarms)


def clear_sessions() -> None:
    """Remove the sessions and the mailed links that have ended."""
    SessionStore.clear_expired()
    forget_expired_links()


password_link_ask: Task = shared_task(name="apps.tenants.tasks.password_link_ask", ignore_result=True)(
    password_link_send
)
forget_ended_sessions: Task = shared_task(name="apps.tenants.tasks.forget_ended_sessions", ignore_result=True)(
    clear_sessions
)
sweep_jobs: Task = shared_task(name="apps.tenants.tasks.sweep_jobs", ignore_result=True)(sweep_all)
tell_alarms: Task = shared_task(name="apps.tenants.tasks.tell_alarms", ignore_result=True)(tell_all_alarms)
forget_expired_requests: Task = shared_task(name="apps.tenants.tasks.forget_expired_requests", ignore_result=True)(
    forget_all_expired
)
