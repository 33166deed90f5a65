"""What this floor does by the clock, and on a message.

The log's as glassbox_worker: no other role may make a leaf or a checkpoint. Removals as glassbox_eraser, which no other
process is: their queue is `erasure`.
"""

from __future__ import annotations

import logging
from time import monotonic
from typing import Final
from uuid import UUID

from celery import Task, shared_task

from apps.audit.access.expiring import expire_all
from apps.audit.certificate.issuing import issue_all
from apps.audit.erasure.engine import carry_out_due, run_carry_out
from apps.audit.erasure.leftovers import remove_leftovers_all
from apps.audit.erasure.queue import CARRY_OUT_TASK, CERTIFY_TASK
from apps.audit.inventory.asking import REDACT_TASK, RUN_TASK, inventory_sweep_all
from apps.audit.inventory.redacting import redactions_make
from apps.audit.inventory.runner import inventory_run
from apps.audit.log.attesting import attest_all
from apps.audit.log.checkpoints import checkpoint_all
from apps.audit.log.lag import ALARM_AFTER, alarm_where_late
from apps.audit.log.sequencer import seal_all_waiting
from apps.audit.requests.services.letters import SEND_TASK
from apps.audit.requests.services.sending import letter_send, letters_sweep
from apps.audit.retention.counting import count_due_all
from apps.audit.verify.requests import RUN_VERIFICATION_TASK, verification_sweep_all
from apps.audit.verify.runs import verification_run
from apps.audit.webhooks.collecting import webhooks_sweep
from apps.audit.webhooks.delivering import webhook_run
from apps.audit.webhooks.queue import DELIVER_TASK
from apps.tenants.ids import ScopeId, TenantId

logger = logging.getLogger("glassbox.audit")

# Longer than other tasks have: ten million events take a quarter of an hour and more.
_LONGEST_VERIFICATION_S: Final = 6 * 3600
# A search reads every text of a tenant.
_LONGEST_SEARCH_S: Final = 2 * 3600
# A witness may take its time, and no other task waits for it for long.
_LONGEST_ATTESTING_S: Final = 300

_last_run: float | None = None


def seal_all() -> int:
    """Give every waiting event its leaf. Returns: how many.

    An alarm is given for what waited while nobody was there to seal it, and for what still waits afterwards.
    """
    global _last_run
    if _last_run is None or monotonic() - _last_run > ALARM_AFTER.total_seconds():
        alarm_where_late()
    sealed = seal_all_waiting()
    alarm_where_late()
    _last_run = monotonic()
    return sealed


def _send_letter(tenant_id: str, letter_id: str) -> None:
    letter_send(tenant_id=TenantId(UUID(tenant_id)), letter_id=UUID(letter_id))


def _send_letters() -> None:
    letters_sweep()


def _carry_out(tenant_id: str, run_id: str) -> None:
    run_carry_out(tenant_id=TenantId(UUID(tenant_id)), run_id=UUID(run_id))


def _carry_out_due() -> None:
    carry_out_due()


def _issue(tenant_id: str = "") -> None:
    """By the clock of all tenants; of one, when a run of it has ended."""
    issue_all(only=TenantId(UUID(tenant_id)) if tenant_id else None)


def _run_verification(tenant_id: str, verification_id: str) -> None:
    outcome = verification_run(verification_id=UUID(verification_id), tenant_id=TenantId(UUID(tenant_id)))
    logger.info("verification %s: %s", verification_id, outcome)


def _run_inventory(tenant_id: str, inventory_id: str) -> None:
    outcome = inventory_run(tenant_id=TenantId(UUID(tenant_id)), inventory_id=UUID(inventory_id))
    logger.info("inventory %s: %s", inventory_id, outcome)


def _redact_inventory(tenant_id: str, request_id: str) -> None:
    redactions_make(tenant_id=TenantId(UUID(tenant_id)), request_id=UUID(request_id))


def _deliver_webhook(tenant_id: str, webhook_id: str, scope_ids: list[str]) -> None:
    webhook_run(
        tenant_id=TenantId(UUID(tenant_id)),
        webhook_id=UUID(webhook_id),
        scope_ids=[ScopeId(UUID(each)) for each in scope_ids],
    )


seal: Task = shared_task(name="apps.audit.tasks.seal", ignore_result=True)(seal_all)
issue_certificates: Task = shared_task(name=CERTIFY_TASK, ignore_result=True)(_issue)
checkpoint: Task = shared_task(name="apps.audit.tasks.checkpoint", ignore_result=True)(checkpoint_all)
# Beside the checkpoint, which never waits for what somebody else answers.
attest: Task = shared_task(name="apps.audit.tasks.attest", ignore_result=True, time_limit=_LONGEST_ATTESTING_S)(
    attest_all
)
count_due: Task = shared_task(name="apps.audit.tasks.count_due", ignore_result=True)(count_due_all)
send_letter: Task = shared_task(name=SEND_TASK, ignore_result=True)(_send_letter)
send_letters: Task = shared_task(name="apps.audit.tasks.send_letters", ignore_result=True)(_send_letters)
carry_out_removal: Task = shared_task(name=CARRY_OUT_TASK, acks_late=True, ignore_result=True)(_carry_out)
sweep_removals: Task = shared_task(name="apps.audit.tasks.sweep_removals", ignore_result=True)(_carry_out_due)
remove_leftovers: Task = shared_task(name="apps.audit.tasks.remove_leftovers", ignore_result=True)(remove_leftovers_all)
# In the worker, beside documents, and not in the sealer: nothing is sealed later because something is verified.
run_verification: Task = shared_task(
    name=RUN_VERIFICATION_TASK,
    acks_late=True,
    reject_on_worker_lost=True,
    ignore_result=True,
    time_limit=_LONGEST_VERIFICATION_S,
)(_run_verification)
verification_sweep: Task = shared_task(name="apps.audit.tasks.verification_sweep", ignore_result=True)(
    verification_sweep_all
)
run_inventory: Task = shared_task(
    name=RUN_TASK, acks_late=True, reject_on_worker_lost=True, ignore_result=True, time_limit=_LONGEST_SEARCH_S
)(_run_inventory)
redact_inventory: Task = shared_task(
    name=REDACT_TASK, acks_late=True, reject_on_worker_lost=True, ignore_result=True, time_limit=_LONGEST_SEARCH_S
)(_redact_inventory)
inventory_sweep: Task = shared_task(name="apps.audit.tasks.inventory_sweep", ignore_result=True)(inventory_sweep_all)
# A run ends by itself after some seconds.
deliver_webhook: Task = shared_task(name=DELIVER_TASK, ignore_result=True, time_limit=120)(_deliver_webhook)
webhooks_due: Task = shared_task(name="apps.audit.tasks.webhooks_due", ignore_result=True)(webhooks_sweep)
expire_access: Task = shared_task(name="apps.audit.tasks.expire_access", ignore_result=True)(expire_all)
