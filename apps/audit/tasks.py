"""The scheduled and queued tasks of apps.audit.

They run as glassbox_worker, because no other role may make a leaf or a checkpoint.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import Final
from uuid import UUID

from celery import Task, shared_task

from apps.audit.log.attesting import attest_all
from apps.audit.log.checkpoints import checkpoint_all
from apps.audit.log.lag import ALARM_AFTER, alarm_where_late
from apps.audit.log.sequencer import seal_all_waiting
from apps.audit.models import Verification
from apps.audit.verify.requests import verifications_request_due
from apps.audit.verify.runs import verification_run
from apps.audit.webhooks.collecting import webhooks_sweep
from apps.audit.webhooks.delivering import webhook_run
from apps.audit.webhooks.queue import DELIVER_TASK
from apps.tenants.ids import ScopeId, TenantId

logger = logging.getLogger("glassbox.audit")

# This is longer than for other tasks: ten million events take a quarter of an hour and more.
_LONGEST_VERIFICATION_S: Final = 6 * 3600
# A witness may take some time, but other tasks must not wait for it for long.
_LONGEST_ATTESTING_S: Final = 300

_last_run: float | None = None


def seal_all() -> int:
    """Give every waiting event its leaf. Returns: how many.

    Alarm before sealing, if events waited while no sealer ran, and again for events that still wait afterwards.
    """
    global _last_run
    if _last_run is None or monotonic() - _last_run > ALARM_AFTER.total_seconds():
        alarm_where_late()
    sealed = seal_all_waiting()
    alarm_where_late()
    _last_run = monotonic()
    return sealed


def _run_verification(tenant_id: str, verification_id: str) -> None:
    outcome = verification_run(verification_id=UUID(verification_id), tenant_id=TenantId(UUID(tenant_id)))
    logger.info("verification %s: %s", verification_id, outcome)


def _deliver_webhook(tenant_id: str, webhook_id: str, scope_ids: list[str]) -> None:
    webhook_run(
        tenant_id=TenantId(UUID(tenant_id)),
        webhook_id=UUID(webhook_id),
        scope_ids=[ScopeId(UUID(each)) for each in scope_ids],
    )


seal: Task = shared_task(name="apps.audit.tasks.seal", ignore_result=True)(seal_all)
checkpoint: Task = shared_task(name="apps.audit.tasks.checkpoint", ignore_result=True)(checkpoint_all)
# A separate task from the checkpoint, which never waits for an answer from outside.
attest: Task = shared_task(name="apps.audit.tasks.attest", ignore_result=True, time_limit=_LONGEST_ATTESTING_S)(
    attest_all
)
# It runs in the worker that processes documents and not in the sealer, so that no verification delays sealing.
run_verification: Task = shared_task(
    name=Verification.task,
    acks_late=True,
    reject_on_worker_lost=True,
    ignore_result=True,
    time_limit=_LONGEST_VERIFICATION_S,
)(_run_verification)
verification_sweep: Task = shared_task(name="apps.audit.tasks.verification_sweep", ignore_result=True)(
    verifications_request_due
)
# A run ends on its own after a few seconds.
deliver_webhook: Task = shared_task(name=DELIVER_TASK, ignore_result=True, time_limit=120)(_deliver_webhook)
webhooks_due: Task = shared_task(name="apps.audit.tasks.webhooks_due", ignore_result=True)(webhooks_sweep)
