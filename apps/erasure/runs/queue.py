"""Send for certificates once the transaction is through. The schedule makes up for a message that is lost."""

from __future__ import annotations

from functools import partial
from typing import Final

from django.db import transaction

from apps.erasure.models import RemovalRun
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import send

CERTIFY_TASK: Final = "apps.erasure.tasks.issue_certificates"
# By then the event that ends a run is sealed: what waits has its leaf every second.
_SEALED_AFTER_S: Final = 2.0


def enqueue_certificate(run: RemovalRun) -> None:
    """Have the certificate of a run that ends issued, when the current transaction commits."""
    enqueue_certificates(TenantId(run.tenant_id))


def enqueue_certificates(tenant_id: TenantId) -> None:
    """Have what is due of a tenant issued, when the current transaction commits."""
    transaction.on_commit(partial(send, CERTIFY_TASK, [str(tenant_id)], _SEALED_AFTER_S))
