"""Issuing certificates, as glassbox_worker, which alone has the key: of ends that a checkpoint of the log holds.

Where an end has its leaf and no checkpoint yet, one is made for it: the clock's may be a minute off.
"""

from __future__ import annotations

import hashlib
import logging
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection

from apps.audit.canonical import canonical_bytes
from apps.audit.erasure.contracts import Proof
from apps.audit.erasure.events import CERTIFIED
from apps.audit.errors import SigningKeyMissingError
from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.notes import Checkpoint as SignedState
from apps.audit.log.notes import SigningKey, signed
from apps.audit.models import Certificate, Checkpoint, Event, Leaf, RemovalRun
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.audit")

_REASON: Final = "issue certificates of erasures"


def note_origin(tenant_id: TenantId) -> str:
    """Whose certificates a note is about: another one than that of the log, so that neither passes for the other."""
    return f"glassbox/erasure/{tenant_id}"


def issue_all(*, only: TenantId | None = None) -> int:
    """Issue what is due, in every tenant, or in one. Returns: how many. One's trouble keeps no other waiting."""
    issued = 0
    tenants = _tenants() if only is None else [only]
    for tenant_id in tenants:
        try:
            issued += issue_tenant(TenantId(tenant_id))
        except Exception as error:  # noqa: BLE001 - tried again by the clock
            # Not its message: a database's may quote a row.
            logger.error("no certificate for tenant %s: %s", tenant_id, type(error).__name__)  # noqa: TRY400
    return issued


def _tenants() -> list[UUID]:
    with open_identity(Identity(all_tenants=True)):
        found = RemovalRun.objects.filter(proof=Proof.PHYSICAL).exclude(end_events=[]).order_by().distinct()
        return sorted(found.values_list("tenant_id", flat=True))


def issue_tenant(tenant_id: TenantId) -> int:
    """Issue, in the order in which they ended, what has none; up to the first that has no leaf in the log yet.

    Raises: SigningKeyMissingError; what checkpoint_tenant raises.
    """
    key: SigningKey | None = settings.GLASSBOX_LOG_SIGNING_KEY
    if key is None:
        raise SigningKeyMissingError
    issued = 0
    while True:
        with open_scope(tenant=tenant_id, reason=_REASON):
            is_issued = _locked(tenant_id) and _issue_next(tenant_id, key)
            lacks_checkpoint = not is_issued and _lacks_checkpoint()
        issued += is_issued
        if not is_issued and not (lacks_checkpoint and checkpoint_tenant(tenant_id)):
            return issued


def digest_of(body: dict[str, Any]) -> bytes:
    """What is signed of a certificate: 32 bytes."""
    return hashlib.sha256(canonical_bytes(body)).digest()


def _issue_next(tenant_id: TenantId, key: SigningKey) -> bool:
    event, leaf, checkpoint = _next_end()
    if event is None or leaf is None or checkpoint is None:
        return False
    run = RemovalRun.objects.get(id=event.subject_id)
    statement = payloads_of([event], groups=[Group.CORE])[event.id][Group.CORE]["statement"]
    number = 1 + (Certificate.objects.order_by("-number").values_list("number", flat=True).first() or 0)
    body = {
        **statement,
        "number": number,
        "log": {
            "origin": checkpoint.note.partition("\n")[0],
            "event": str(event.id),
            "leaf": leaf.index,
            "size": checkpoint.size,
            "root": bytes(checkpoint.root).hex(),
        },
    }
    note = signed(SignedState(origin=note_origin(tenant_id), size=number, root=digest_of(body)), key)
    certificate = Certificate.objects.create(
        tenant_id=tenant_id,
        number=number,
        run=run,
        origin=run.origin,
        origin_id=run.origin_id,
        outcome=statement["outcome"],
        event_id=event.id,
        leaf_index=leaf.index,
        size=checkpoint.size,
        root=bytes(checkpoint.root),
        body=body,
        note=note,
    )
    record(
        action=CERTIFIED,
        core={"number": number, "run": str(run.id), "end_event": str(event.id)},
        subject_type="certificate",
        subject_id=certificate.id,
    )
    return True


def _lacks_checkpoint() -> bool:
    _, leaf, checkpoint = _next_end()
    return leaf is not None and checkpoint is None


def _next_end() -> tuple[Event | None, Leaf | None, Checkpoint | None]:
    """The first end that has no certificate, its leaf, and the first checkpoint that holds it: as far as they are."""
    done = set(Certificate.objects.values_list("event_id", flat=True))
    ends = RemovalRun.objects.filter(proof=Proof.PHYSICAL).exclude(end_events=[]).values_list("end_events", flat=True)
    waiting = sorted({each for several in ends for each in several} - done)
    event = Event.objects.filter(id=waiting[0]).first() if waiting else None
    leaf = None if event is None else Leaf.objects.filter(event_id=event.id).first()
    after = None if leaf is None else Checkpoint.objects.filter(size__gt=leaf.index).order_by("size").first()
    return event, leaf, after


def _locked(tenant_id: TenantId) -> bool:
    """Until the end of the transaction: numbers have no gap and no double."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [advisory_key("certificate", tenant_id)])
        return bool(cursor.fetchone()[0])
