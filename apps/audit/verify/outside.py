"""The checkpoint that a verification holds the log against: the newest that lies outside the database."""

from __future__ import annotations

from django.db.models import Max

from apps.audit.log.epochs import current_origin, restore_of
from apps.audit.log.export.contracts import LATEST, checkpoint_place
from apps.audit.log.tombstone_place import tombstone_place
from apps.audit.models import Checkpoint, Verification
from apps.audit.verify.checkpoints import trusted_checkpoint
from apps.audit.verify.errors import ExportedCheckpointLostError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId


def outside_checkpoint(tenant_id: TenantId) -> str | None:
    """The signed note, read back from where it was exported to; None where none was ever signed.

    Raises: CheckpointExportError: the place can't be read; CheckpointNotTrustedError;
            ExportedCheckpointLostError: there is none though there was one, or an older one than was seen before,
            or the log says that it was restored and nobody outside knows of it;
            TombstonesUnavailableError, TombstonesDamagedError: nobody can say that.
    """
    with open_scope(tenant=tenant_id, reason="verify the log"):
        origin = current_origin(tenant_id)
        seen: int | None = Verification.objects.order_by().aggregate(size=Max("checkpoint_size"))["size"]
        is_signed = Checkpoint.objects.filter(note__startswith=f"{origin}\n").exists()
    note = checkpoint_place().get(origin, LATEST)
    # What was seen before a restore lies at another origin: of the log as it goes on, the first may not be signed yet.
    is_signed = is_signed or (seen is not None and restore_of(origin) is None)
    if note is None:
        _refuse_unvouched(origin)
        if is_signed:
            raise ExportedCheckpointLostError(problem="No exported checkpoint is there, though some were signed")
        return None
    size = trusted_checkpoint(note).size
    if seen is not None and size < seen:
        problem = f"The exported checkpoint has {size} leaves, and one of {seen} was there before"
        raise ExportedCheckpointLostError(problem=problem)
    return note


def _refuse_unvouched(origin: str) -> None:
    """An event of the database alone must not give the log an origin at which no checkpoint lies.

    Raises: ExportedCheckpointLostError; TombstonesUnavailableError, TombstonesDamagedError.
    """
    event_id = restore_of(origin)
    if event_id is not None and not tombstone_place().is_vouched(event_id):
        problem = f"Event {event_id} tells of a restore that manage.py restore knows nothing of"
        raise ExportedCheckpointLostError(problem=problem)
