"""Issuing certificates, as glassbox_worker, which alone has the key: of ends that a checkpoint of the log holds.

Where an end has its leaf and no checkpoint yet, one is made for it: the clock's may be a minute off.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import connection

from apps.audit.canonical import canonical_bytes
from apps.audit.errors import LogError
from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.notes import Checkpoint as SignedState
from apps.audit.log.notes import SigningKey, signed
from apps.audit.models import Checkpoint, Event, Leaf, Payload
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.erasure.contracts import Proof
from apps.erasure.events import CERTIFIED, SUPPLEMENTED
from apps.erasure.models import Certificate, RemovalRun, Restoration, Supplement
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_by_itself, each_tenant
from apps.tenants.tokens import Identity

_REASON: Final = "issue certificates of erasures"


def note_origin(tenant_id: TenantId) -> str:
    """Whose certificates a note is about: another one than that of the log, so that neither passes for the other."""
    return f"glassbox/erasure/{tenant_id}"


def restored_origin(tenant_id: TenantId) -> str:
    """The same of supplements, which are counted by themselves."""
    return f"glassbox/restored/{tenant_id}"


def issue_all(*, only: TenantId | None = None) -> int:
    """Issue what is due, in every tenant, or in one. Returns: how many. One's trouble keeps no other waiting."""
    if only is not None:
        return each_by_itself([only], issue_tenant, doing=Sweep.CERTIFICATES)
    return each_tenant(issue_tenant, doing=Sweep.CERTIFICATES, tenants=map(TenantId, _tenants()))


def _tenants() -> list[UUID]:
    with open_identity(Identity(all_tenants=True)):
        found = RemovalRun.objects.filter(proof=Proof.PHYSICAL).exclude(end_events=[]).order_by().distinct()
        restored = Restoration.objects.exclude(end_events=[]).order_by().distinct()
        return sorted({*found.values_list("tenant_id", flat=True), *restored.values_list("tenant_id", flat=True)})


def issue_tenant(tenant_id: TenantId) -> int:
    """Issue, in the order in which they ended, what has none; up to the first that has no leaf in the log yet.

    Raises: LogError; what checkpoint_tenant raises.
    """
    key: SigningKey | None = settings.GLASSBOX_LOG_SIGNING_KEY
    if key is None:
        raise LogError("audit.signing_key_missing")
    issued = 0
    while True:
        with open_scope(tenant=tenant_id, reason=_REASON):
            is_issued = _locked(tenant_id) and (_issue_next(tenant_id, key) or _supplement_next(tenant_id, key))
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
    number = 1 + (Certificate.objects.order_by("-number").values_list("number", flat=True).first() or 0)
    body = _body(event, leaf, checkpoint, number=number)
    note = signed(SignedState(origin=note_origin(tenant_id), size=number, root=digest_of(body)), key)
    certificate = Certificate.objects.create(
        tenant_id=tenant_id,
        number=number,
        run=run,
        origin=run.origin,
        origin_id=run.origin_id,
        outcome=body["outcome"],
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


def _body(event: Event, leaf: Leaf, checkpoint: Checkpoint, *, number: int) -> dict[str, Any]:
    """What the event states, with its place in the log."""
    statement: dict[str, Any] = payloads_of([event], groups=[Group.CORE])[event.id][Group.CORE]["statement"]
    return {
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


def _supplement_next(tenant_id: TenantId, key: SigningKey) -> bool:
    event, leaf, checkpoint = _next_statement()
    if event is None or leaf is None or checkpoint is None:
        return False
    number = 1 + (Supplement.objects.order_by("-number").values_list("number", flat=True).first() or 0)
    body = _body(event, leaf, checkpoint, number=number)
    supplement = Supplement.objects.create(
        tenant_id=tenant_id,
        number=number,
        restoration_id=event.subject_id,
        outcome=body["outcome"],
        event_id=event.id,
        leaf_index=leaf.index,
        size=checkpoint.size,
        root=bytes(checkpoint.root),
        body=body,
        note=signed(SignedState(origin=restored_origin(tenant_id), size=number, root=digest_of(body)), key),
    )
    record(
        action=SUPPLEMENTED,
        core={"number": number, "restoration": str(event.subject_id), "end_event": str(event.id)},
        subject_type="supplement",
        subject_id=supplement.id,
    )
    return True


def _lacks_checkpoint() -> bool:
    found = (_next_end(), _next_statement())
    return any(leaf is not None and checkpoint is None for _, leaf, checkpoint in found)


def _next_end() -> tuple[Event | None, Leaf | None, Checkpoint | None]:
    """The first end that has no certificate, its leaf, and the first checkpoint that holds it: as far as they are."""
    done = set(Certificate.objects.values_list("event_id", flat=True))
    ends = RemovalRun.objects.filter(proof=Proof.PHYSICAL).exclude(end_events=[]).values_list("end_events", flat=True)
    return _placed(sorted({each for several in ends for each in several} - done))


def _next_statement() -> tuple[Event | None, Leaf | None, Checkpoint | None]:
    """The same of what was stated after restores."""
    done = set(Supplement.objects.values_list("event_id", flat=True))
    ends = Restoration.objects.exclude(end_events=[]).values_list("end_events", flat=True)
    waiting = {each for several in ends for each in several} - done
    # What was emptied with its tenant since is not signed any more.
    there = Payload.objects.filter(event_id__in=waiting, group=Group.CORE).values_list("event_id", flat=True)
    return _placed(sorted(there))


def _placed(waiting: list[UUID]) -> tuple[Event | None, Leaf | None, Checkpoint | None]:
    event = Event.objects.filter(id=waiting[0]).first() if waiting else None
    leaf = None if event is None else Leaf.objects.filter(event_id=event.id).first()
    after = None if leaf is None else Checkpoint.objects.filter(size__gt=leaf.index).order_by("size").first()
    return event, leaf, after


def _locked(tenant_id: TenantId) -> bool:
    """Until the end of the transaction: numbers have no gap and no double."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [advisory_key("certificate", tenant_id)])
        return bool(cursor.fetchone()[0])
