"""Have witnesses and a time-stamping service attest a tenant's newest checkpoint. Runs as glassbox_worker.

The task has its own schedule, and no checkpoint waits for it. A missing attestation is logged and shown. A minute later
it is asked for again, for the checkpoint that is the newest then.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from time import monotonic
from typing import Final

from django.conf import settings
from django.db import IntegrityError

from apps.audit.errors import CheckpointExportError, MissingNodesError, TimestampError, WitnessError
from apps.audit.log.epochs import current_origin
from apps.audit.log.export.contracts import checkpoint_place
from apps.audit.log.export.state import note_attesting
from apps.audit.log.storage import stored_consistency_path
from apps.audit.log.timestamps import TimestampService, stamped
from apps.audit.log.witnesses import Witness, cosigned
from apps.audit.models import Attestation, AttestationKind, Checkpoint
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

logger = logging.getLogger("glassbox.audit")

# The time limit of one run. The next run begins with the tenants that waited longest.
LONGEST_S: Final = 50.0
_REASON: Final = "have the checkpoint of the log attested"

_waited: dict[TenantId, float] = {}


def attest_all() -> int:
    """Ask for the attestations that the newest checkpoint of each tenant lacks. Returns: how many were obtained."""
    if not settings.GLASSBOX_WITNESSES and settings.GLASSBOX_TIMESTAMPS is None:
        return 0
    began, waiting = monotonic(), 0

    def attested(tenant_id: TenantId) -> int:
        nonlocal waiting
        if monotonic() - began > LONGEST_S:
            waiting += 1
            return 0
        _waited[tenant_id] = monotonic()
        return attest_tenant(tenant_id)

    had = each_tenant(attested, doing=Sweep.ATTESTATIONS, rank=lambda tenant_id: _waited.get(tenant_id, 0.0))
    if waiting:
        logger.warning("%d logs wait for the next run to be attested", waiting)
    return had


def attest_tenant(tenant_id: TenantId) -> int:
    """Ask each witness and service that has not attested the tenant's newest checkpoint. No transaction spans a call.

    Returns: how many attestations were obtained.
    """
    witnesses: Sequence[Witness] = settings.GLASSBOX_WITNESSES
    service: TimestampService | None = settings.GLASSBOX_TIMESTAMPS
    with open_scope(tenant=tenant_id, reason=_REASON):
        checkpoint: Checkpoint | None = Checkpoint.objects.order_by("-size").first()
        if checkpoint is None or not _is_current(checkpoint, tenant_id):
            return 0
        there = {(each.kind, each.by) for each in Attestation.objects.filter(size=checkpoint.size)}
        last = {each.key.name: _last_of(each.key.name, checkpoint) for each in witnesses}
    problems: dict[str, str] = {}
    had = 0
    for witness in witnesses:
        if (AttestationKind.COSIGNATURE, witness.key.name) in there:
            continue
        try:
            found = cosigned(
                witness,
                checkpoint.note,
                size=checkpoint.size,
                known=last[witness.key.name],
                proof=lambda old: _proof(tenant_id, old, checkpoint.size),
            )
        except (WitnessError, MissingNodesError, ValueError) as error:
            problems[witness.key.name] = _told(tenant_id, error)
            continue
        had += _keep(tenant_id, checkpoint, AttestationKind.COSIGNATURE, witness.key.name, found.line, found.at)
    if service is not None and (AttestationKind.TIMESTAMP, service.url) not in there:
        try:
            stamp = stamped(service, checkpoint.note)
        except TimestampError as error:
            problems[service.url] = _told(tenant_id, error)
        else:
            had += _keep(tenant_id, checkpoint, AttestationKind.TIMESTAMP, service.url, stamp.content, stamp.at)
    if had:
        _export(tenant_id, checkpoint)
    note_attesting(tenant_id, problems=problems)
    return had


def attested_note(note: str, lines: Sequence[str]) -> str:
    """Return a note with the cosignatures of its checkpoint as further lines."""
    return note + "".join(f"{line}\n" for line in lines)


def _is_current(checkpoint: Checkpoint, tenant_id: TenantId) -> bool:
    """Return whether the checkpoint is of the current origin; after a restore, the log has another one."""
    return checkpoint.note.partition("\n")[0] == current_origin(tenant_id)


def _last_of(witness: str, checkpoint: Checkpoint) -> int:
    """Return the largest size that the witness is known to have cosigned under this origin, 0 for none.

    The witness says so when it last cosigned another size.
    """
    origin = checkpoint.note.partition("\n")[0]
    of_origin = Checkpoint.objects.filter(note__startswith=f"{origin}\n", size__lt=checkpoint.size).values("size")
    mine = Attestation.objects.filter(kind=AttestationKind.COSIGNATURE, by=witness, size__in=of_origin)
    return mine.order_by("-size").values_list("size", flat=True).first() or 0


def _proof(tenant_id: TenantId, old: int, size: int) -> Sequence[bytes]:
    if old == size:
        return ()
    with open_scope(tenant=tenant_id, reason=_REASON):
        return stored_consistency_path(old, size)


def _keep(
    tenant_id: TenantId, checkpoint: Checkpoint, kind: AttestationKind, by: str, content: str, told_at: object
) -> int:
    try:
        with open_scope(tenant=tenant_id, reason=_REASON):
            Attestation.objects.create(
                tenant_id=tenant_id, size=checkpoint.size, kind=kind, by=by, content=content, told_at=told_at
            )
    except IntegrityError:
        # Another process stored its attestation first, which is as good as this one.
        return 0
    return 1


def _export(tenant_id: TenantId, checkpoint: Checkpoint) -> None:
    """Export the attestations beside the note, which stays as signed because the time stamp is of those bytes."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        found = list(Attestation.objects.filter(size=checkpoint.size))
    origin = checkpoint.note.partition("\n")[0]
    lines = [each.content for each in found if each.kind == AttestationKind.COSIGNATURE]
    try:
        place = checkpoint_place()
        if lines:
            place.put(origin, f"{checkpoint.size}.cosigned.note", attested_note(checkpoint.note, lines))
        for each in found:
            if each.kind == AttestationKind.TIMESTAMP:
                place.put(origin, f"{checkpoint.size}.tsr.base64", each.content + "\n")
    except CheckpointExportError as error:
        logger.error("attestations of tenant %s are stored, and not exported: %s", tenant_id, error)  # noqa: TRY400


def _told(tenant_id: TenantId, error: Exception) -> str:
    problem = error.detail if isinstance(error, ApplicationError) else type(error).__name__
    logger.error("the checkpoint of tenant %s: %s", tenant_id, problem)
    return problem
