"""Proofs for the holder of a checkpoint: that an event is in the log, and that the log only ever grew."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from apps.audit.errors import NoCheckpointError, NotSealedError, SizeUnknownError
from apps.audit.log.storage import root_at, stored_consistency_path, stored_inclusion_path, stored_size
from apps.audit.models import Checkpoint, Leaf


@dataclass(frozen=True, slots=True, kw_only=True)
class InclusionProof:
    """The proof that the event is at `index` of the first `size` leaves, whose root is `root`; hashes are 32 bytes.

    checkpoint: the signed note of that size; None for a size that was not signed.
    """

    event_id: UUID
    leaf: bytes
    index: int
    size: int
    path: tuple[bytes, ...]
    root: bytes
    checkpoint: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyProof:
    """The proof that the log of `second` leaves begins with the log of `first` leaves."""

    first: int
    second: int
    first_root: bytes
    second_root: bytes
    path: tuple[bytes, ...]


def inclusion_proof(event_id: UUID, *, size: int | None = None) -> InclusionProof:
    """Prove that an event is in the log of the open scope's tenant.

    Args:   size: of the tree to prove it for; None for the size of the newest checkpoint.
    Raises: NotSealedError: the event has no leaf in that tree; SizeUnknownError; NoCheckpointError;
            MissingNodesError: the stored tree is damaged.
    Costs:  six queries at most.
    """
    leaf: Leaf | None = Leaf.objects.filter(event_id=event_id).first()
    if leaf is None:
        raise NotSealedError(event=event_id)
    checkpoint: Checkpoint | None
    if size is None:
        checkpoint = latest_checkpoint()
        size = checkpoint.size
    else:
        _refuse_unknown(size)
        checkpoint = Checkpoint.objects.filter(size=size).first()
    if leaf.index >= size:
        raise NotSealedError(event=event_id)
    return InclusionProof(
        event_id=event_id,
        leaf=bytes(leaf.hash),
        index=leaf.index,
        size=size,
        path=stored_inclusion_path(leaf.index, size),
        root=root_at(size),
        checkpoint=checkpoint.note if checkpoint else None,
    )


def consistency_proof(first: int, second: int) -> ConsistencyProof:
    """Prove that the log of `second` leaves begins with the log of `first` leaves.

    Raises: SizeUnknownError: not 1 <= first <= second <= the log's size; MissingNodesError.
    Costs:  seven queries at most.
    """
    _refuse_unknown(second)
    if not 1 <= first <= second:
        raise SizeUnknownError(size=first, largest=second)
    return ConsistencyProof(
        first=first,
        second=second,
        first_root=root_at(first),
        second_root=root_at(second),
        path=stored_consistency_path(first, second),
    )


def latest_checkpoint() -> Checkpoint:
    """Return the newest checkpoint. Raises: NoCheckpointError."""
    found: Checkpoint | None = Checkpoint.objects.order_by("-size").first()
    if found is None:
        raise NoCheckpointError
    return found


def _refuse_unknown(size: int) -> None:
    largest = stored_size()
    if not 1 <= size <= largest:
        raise SizeUnknownError(size=size, largest=largest)
