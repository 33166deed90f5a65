"""The Celery tasks of this app, run on a schedule or on a message.

Removals run as glassbox_eraser, a role that no other process has. Their queue is `erasure`.
"""

from __future__ import annotations

from uuid import UUID

from celery import Task, shared_task

from apps.erasure.certificate.issuing import issue_all
from apps.erasure.engine import carry_out_due, run_carry_out
from apps.erasure.models import RemovalRun
from apps.erasure.retention.counting import count_due_all
from apps.erasure.runs.leftovers import remove_leftovers_all
from apps.erasure.runs.queue import CERTIFY_TASK
from apps.tenants.ids import TenantId


def _carry_out(tenant_id: str, run_id: str) -> None:
    run_carry_out(tenant_id=TenantId(UUID(tenant_id)), run_id=UUID(run_id))


def _carry_out_due() -> None:
    carry_out_due()


def _issue(tenant_id: str = "") -> None:
    """Issue certificates for all tenants on a schedule, or for one tenant when one of its runs has ended."""
    issue_all(only=TenantId(UUID(tenant_id)) if tenant_id else None)


issue_certificates: Task = shared_task(name=CERTIFY_TASK, ignore_result=True)(_issue)
count_due: Task = shared_task(name="apps.erasure.tasks.count_due", ignore_result=True)(count_due_all)
carry_out_removal: Task = shared_task(
    name=RemovalRun.task, acks_late=True, reject_on_worker_lost=True, ignore_result=True
)(_carry_out)
sweep_removals: Task = shared_task(name="apps.erasure.tasks.sweep_removals", ignore_result=True)(_carry_out_due)
remove_leftovers: Task = shared_task(name="apps.erasure.tasks.remove_leftovers", ignore_result=True)(
    remove_leftovers_all
)
