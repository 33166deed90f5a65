"""Celery tasks of the privacy app: scheduled sweeps, and work that a message starts."""

from __future__ import annotations

import logging
from typing import Final
from uuid import UUID

from celery import Task, shared_task

from apps.privacy.access_packages.expiring import expire_all
from apps.privacy.inventory.asking import REDACT_TASK
from apps.privacy.inventory.redacting import redactions_make, redactions_send_again
from apps.privacy.inventory.runner import inventory_run
from apps.privacy.models import Inventory
from apps.privacy.requests.services.letters import SEND_TASK
from apps.privacy.requests.services.sending import letter_send, letters_sweep
from apps.tenants.ids import TenantId

logger = logging.getLogger("glassbox.privacy")

# A search reads every text of a tenant.
_LONGEST_SEARCH_S: Final = 2 * 3600


def _send_letter(tenant_id: str, letter_id: str) -> None:
    letter_send(tenant_id=TenantId(UUID(tenant_id)), letter_id=UUID(letter_id))


def _send_letters() -> None:
    letters_sweep()


def _run_inventory(tenant_id: str, inventory_id: str) -> None:
    outcome = inventory_run(tenant_id=TenantId(UUID(tenant_id)), inventory_id=UUID(inventory_id))
    logger.info("inventory %s: %s", inventory_id, outcome)


def _redact_inventory(tenant_id: str, request_id: str) -> None:
    redactions_make(tenant_id=TenantId(UUID(tenant_id)), request_id=UUID(request_id))


send_letter: Task = shared_task(name=SEND_TASK, ignore_result=True)(_send_letter)
send_letters: Task = shared_task(name="apps.privacy.tasks.send_letters", ignore_result=True)(_send_letters)
run_inventory: Task = shared_task(
    name=Inventory.task, acks_late=True, reject_on_worker_lost=True, ignore_result=True, time_limit=_LONGEST_SEARCH_S
)(_run_inventory)
redact_inventory: Task = shared_task(
    name=REDACT_TASK, acks_late=True, reject_on_worker_lost=True, ignore_result=True, time_limit=_LONGEST_SEARCH_S
)(_redact_inventory)
send_redactions: Task = shared_task(name="apps.privacy.tasks.send_redactions", ignore_result=True)(
    redactions_send_again
)
expire_access: Task = shared_task(name="apps.privacy.tasks.expire_access", ignore_result=True)(expire_all)
