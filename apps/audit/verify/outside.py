"""The checkpoint that a verification compares the log with: the newest that lies outside the database."""

from __future__ import annotations

from django.db.models import Max

from apps.audit.log.epochs import current_origin, restore_of
from apps.audit.log.export.contracts import LATEST, checkpoint_place
from apps.audit.log.tombstone_place import tombstone_place
from apps.audit.models import Checkpoint, Verification
from apps.audit.verify.checkpoints import trusted_checkpoint
from apps.audit.verify.errors import VerificationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId


def outside_checkpoint(tenant_id: TenantId) -> str | None:
    """Return the signed note, read from where it was exported to, or None if none was ever signed.

    Raises: CheckpointExportError: the place can't be read; VerificationError: it can't be trusted,
            there is none although there was one, or an older one than was seen before,
            or the log claims a restore that is not recorded outside;
            TombstonesUnavailableError, TombstonesDamagedError: the record of restores can't be read.
    """
    with open_scope(tenant=tenant_id, reason="verify the log"):
        origin = current_origin(tenant_id)
        seen: int | None = Verification.objects.order_by().aggregate(size=Max("checkpoint_size"))["size"]
        is_signed = Checkpoint.objects.filter(note__startswith=f"{origin}\n").exists()
    note = checkpoint_place().get(origin, LATEST)
    # A checkpoint that was seen before a restore has another origin, and the first of the current origin may not be
    # signed yet.
    is_signed = is_signed or (seen is not None and restore_of(origin) is None)
    if note is None:
        _refuse_unvouched(origin)
        if is_signed:
            raise VerificationError(
                "audit.exported_checkpoint_lost", problem="No exported checkpoint is there, though some were signed"
            )
        return None
    size = trusted_checkpoint(note).size
    if seen is not None and size < seen:
        problem = f"The exported checkpoint has {size} leaves, and one of {seen} was there before"
        raise VerificationError("audit.exported_checkpoint_lost", problem=problem)
    return note


def _refuse_unvouched(origin: str) -> None:
    """Raise unless the restore that the origin names is recorded outside the database.

    An event in the database alone must not move the log to an origin without checkpoints.

    Raises: VerificationError; TombstonesUnavailableError, TombstonesDamagedError.
    """
    event_id = restore_of(origin)
    if event_id is not None and not tombstone_place().is_vouched(event_id):
        problem = f"Event {event_id} tells of a restore that manage.py restore knows nothing of"
        raise VerificationError("audit.exported_checkpoint_lost", problem=problem)
