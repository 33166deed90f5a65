"""The message that makes a worker run an endpoint. It holds only ids, and the sweep replaces one that is lost."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final
from uuid import UUID

from celery.exceptions import OperationalError as CeleryError
from django.db import transaction
from kombu.exceptions import OperationalError

from apps.tenants.ids import ScopeId, TenantId

DELIVER_TASK: Final = "apps.audit.tasks.deliver_webhook"


def announce(tenant_id: TenantId, webhook_id: UUID, scope_ids: Iterable[ScopeId]) -> None:
    """Send the message when the open transaction is committed. Without a broker, the next sweep sends it."""
    arguments: list[object] = [str(tenant_id), str(webhook_id), sorted(str(each) for each in scope_ids)]
    transaction.on_commit(partial(_send, arguments))


def _send(arguments: list[object]) -> None:
    # Imported here because it reads Celery's settings, and this module is loaded while Django's settings are still
    # being read.
    from config.celery import app

    try:
        app.send_task(DELIVER_TASK, args=arguments)
    except (OperationalError, CeleryError):
        return
