"""The checkpoints that a log is verified against: a given one and the stored ones, with their attestations."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from apps.audit.errors import TimestampError
from apps.audit.log.cosignatures import cosignature_of
from apps.audit.log.notes import Checkpoint, InvalidNoteError, opened
from apps.audit.log.timestamps import stamp_of
from apps.audit.models import Attestation, AttestationKind
from apps.audit.models import Checkpoint as StoredCheckpoint
from apps.audit.verify.errors import VerificationError


def trusted_checkpoint(note: str) -> Checkpoint:
    """Open a checkpoint from outside. Raises: VerificationError: none of our keys has signed it."""
    try:
        return opened(note, settings.GLASSBOX_LOG_VERIFY_KEYS)
    except InvalidNoteError as error:
        raise VerificationError("audit.checkpoint_not_trusted", problem=error) from None


def own_checkpoints() -> Iterator[tuple[int, Checkpoint | str]]:
    """Yield each stored checkpoint of the open scope's tenant by its size: as signed, or what is wrong with it."""
    for row in StoredCheckpoint.objects.order_by("size").iterator():
        try:
            found = opened(row.note, settings.GLASSBOX_LOG_VERIFY_KEYS)
        except InvalidNoteError as error:
            yield row.size, str(error)
            continue
        is_the_same = (found.size, found.root) == (row.size, bytes(row.root))
        yield row.size, found if is_the_same else "it says something else than what was signed"


def false_attestations() -> Iterator[tuple[int, str]]:
    """Yield each attestation that does not match its stored checkpoint: the checkpoint's size, and the attester.

    Only attestations by configured witnesses and services are checked. Those of former ones are kept but prove nothing
    here.
    """
    keys = {each.key.name: each.key for each in settings.GLASSBOX_WITNESSES}
    service = settings.GLASSBOX_TIMESTAMPS
    for row in Attestation.objects.order_by("size", "kind", "by").iterator():
        note = StoredCheckpoint.objects.filter(size=row.size).values_list("note", flat=True).first() or ""
        try:
            if row.kind == AttestationKind.COSIGNATURE and row.by in keys:
                cosignature_of(note, row.content, keys[row.by])
            elif row.kind == AttestationKind.TIMESTAMP and service is not None and row.by == service.url:
                stamp_of(service, note, row.content)
        except (InvalidNoteError, TimestampError):
            yield row.size, row.by
