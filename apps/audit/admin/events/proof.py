"""Where an event stands in the log, and whether what is stored of it leads to a signed root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from apps.audit.errors import MissingNodesError, NoCheckpointError, NotSealedError
from apps.audit.log.leaves import leaf_of
from apps.audit.log.notes import InvalidNoteError, opened
from apps.audit.log.proofs import InclusionProof, inclusion_proof
from apps.audit.log.tree import proves_inclusion
from apps.audit.models import Event, Leaf

_NEXT: Final = "Keep a copy of the database as it is, and verify the log (manage.py audit verify)."


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProof:
    """tone: of its pill. index counts from 0; hashes are in hex; note is the signed checkpoint to keep.

    index, size and the rest are there once the event has a place, and a checkpoint covers it.
    """

    state: str
    tone: str
    meaning: str
    leaf: str = ""
    index: int | None = None
    size: int | None = None
    path: tuple[str, ...] = ()
    root: str = ""
    note: str = ""


def proof_of(event: Event) -> EventProof:
    """Costs: seven queries at most."""
    leaf: Leaf | None = Leaf.objects.filter(event_id=event.id).first()
    if leaf is None:
        return EventProof(
            state="Waiting",
            tone="busy",
            meaning="It waits for its place in the log, which it gets within seconds. Until then nobody outside "
            "could detect its loss.",
        )
    try:
        found = inclusion_proof(event.id)
    except (NotSealedError, NoCheckpointError):
        return EventProof(
            state="Sealed",
            tone="good",
            meaning="It has its place in the log. The next signed checkpoint, within a minute of it, covers it.",
            leaf=bytes(leaf.hash).hex(),
            index=leaf.index,
        )
    except MissingNodesError:
        return EventProof(
            state="Damaged",
            tone="bad",
            meaning=f"A part of the stored tree is missing, so nothing can be proved about this event. {_NEXT}",
        )
    recomputed = leaf_of(event)
    signed = _signed_root(found)
    if signed is None:
        state, tone = "Not signed", "bad"
        meaning = f"No key that is known here has signed the newest checkpoint, so it proves nothing. {_NEXT}"
    elif proves_inclusion(leaf=recomputed, index=found.index, size=found.size, path=found.path, root=signed):
        state, tone = "Proved", "good"
        meaning = "Its leaf was computed again from this very record, and leads to the root that the checkpoint signs."
    else:
        state, tone = "Not what was sealed", "bad"
        meaning = (
            "The record's leaf, computed again, does not lead to the signed root: the record, or the stored tree, was "
            f"changed after it was signed. {_NEXT}"
        )
    return EventProof(
        state=state,
        tone=tone,
        meaning=meaning,
        leaf=recomputed.hex(),
        index=found.index,
        size=found.size,
        path=tuple(each.hex() for each in found.path),
        root=found.root.hex(),
        note=found.checkpoint or "",
    )


def _signed_root(found: InclusionProof) -> bytes | None:
    """What the checkpoint says that the root is; None where it is not a checkpoint of this tree by a known key."""
    try:
        signed = opened(found.checkpoint or "", settings.GLASSBOX_LOG_VERIFY_KEYS)
    except InvalidNoteError:
        return None
    return signed.root if signed.size == found.size else None
