"""What this floor does by the clock, and on a message.

The log's as glassbox_worker: no other role may make a leaf or a checkpoint. Removals as glassbox_eraser, which no other
process is: their queue is `erasure`.
"""

from __future__ import annotations

from time import monotonic
from uuid import UUID

from celery import Task, shared_task

from apps.audit.erasure.engine import carry_out_due, run_carry_out
from apps.audit.erasure.leftovers import remove_leftovers_all
from apps.audit.erasure.queue import CARRY_OUT_TASK
from apps.audit.log.checkpoints import checkpoint_all
from apps.audit.log.lag import ALARM_AFTER, alarm_where_late
from apps.audit.log.sequencer import seal_all_waiting
from apps.audit.requests.services.letters import SEND_TASK
from apps.audit.requests.services.sending import letter_send, letters_sweep
from apps.tenants.ids import TenantId

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


seal: Task = shared_task(name="apps.audit.tasks.seal", ignore_result=True)(seal_all)
checkpoint: Task = shared_task(name="apps.audit.tasks.checkpoint", ignore_result=True)(checkpoint_all)
send_letter: Task = shared_task(name=SEND_TASK, ignore_result=True)(_send_letter)
send_letters: Task = shared_task(name="apps.audit.tasks.send_letters", ignore_result=True)(_send_letters)
carry_out_removal: Task = shared_task(name=CARRY_OUT_TASK, acks_late=True, ignore_result=True)(_carry_out)
sweep_removals: Task = shared_task(name="apps.audit.tasks.sweep_removals", ignore_result=True)(_carry_out_due)
remove_leftovers: Task = shared_task(name="apps.audit.tasks.remove_leftovers", ignore_result=True)(remove_leftovers_all)
