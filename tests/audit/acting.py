"""Acting as the worker in a test's own process: leaves and checkpoints are its alone. For committed tests.

with as_worker():
    seal_tenant(firm.id)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import override_settings

from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.notes import SigningKey
from apps.audit.log.sequencer import seal_tenant
from apps.audit.models import Event
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.findings import VerificationReport
from apps.erasure.log_removal import Removal, RemovalReason, payload_erase, target_of
from apps.operations.backup.acting import ERASER, acting_as
from apps.operations.backup.repeating import repeat_removal
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from config.secrets import load_secrets
from tests.factories import Firm

WORKER = "glassbox_worker"
_REASON = RemovalReason.ERASURE_REQUEST


def signing_key() -> SigningKey:
    """The suite's own."""
    seed = load_secrets(settings.GLASSBOX_HOME).log_seed
    assert seed is not None
    return SigningKey(name=seed.kid, seed=seed.seed)


@contextmanager
def as_worker() -> Iterator[None]:
    """This thread's connection is glassbox_worker's, and the log's signing key is there. Not in two threads at once."""
    with (
        worker_connection(),
        override_settings(GLASSBOX_DB_ROLE=WORKER, GLASSBOX_LOG_SIGNING_KEY=signing_key()),
    ):
        yield


@contextmanager
def worker_connection() -> Iterator[None]:
    """This thread's connection is glassbox_worker's."""
    ordinary = connections["default"]
    configured = ordinary.settings_dict
    options = {key: value for key, value in configured["OPTIONS"].items() if key != "pool"}
    changes = {"USER": WORKER, "PASSWORD": settings.GLASSBOX_DB_PASSWORDS[WORKER], "OPTIONS": options}
    acting = DatabaseWrapper({**configured, **changes}, alias="default")
    connections["default"] = acting
    try:
        yield
    finally:
        connections["default"] = ordinary
        acting.close()


def authorised(tenant_id: TenantId, removals: Sequence[Removal], reason: RemovalReason = _REASON) -> Event:
    """The event that authorises these removals, unsealed: as the eraser writes it, of what a restore repeats.

    It is committed. Without an open transaction.
    """
    targets = [target_of(removal) for removal in removals]
    with (
        repeat_removal(tenant_id, targets, database="", reason="a test"),
        acting_as(ERASER),
        open_scope(tenant=tenant_id, reason="a test"),
    ):
        return payload_erase(removals=removals, reason_code=reason)


def recorded(firm: Firm, count: int = 1) -> list[Event]:
    """So many events of a firm, all committed together."""
    with open_scope(tenant=firm.id, reason="a test"):
        return [record(action="tenants.scope.created", core={"key": f"fund:{number}"}) for number in range(count)]


def sealed(firm: Firm, count: int = 0) -> int:
    """Record so many more, and seal all that wait. Returns: how many were sealed."""
    recorded(firm, count)
    with as_worker():
        return seal_tenant(firm.id)


def checkpointed(firm: Firm) -> bool:
    with as_worker():
        return checkpoint_tenant(firm.id)


def verified_log(firm: Firm) -> VerificationReport:
    """A firm's log as it is verified on any night: a checkpoint covers what was sealed."""
    checkpointed(firm)
    return verify_tenant(tenant=firm.id)
