"""Define the targets of a removal, and the interface that every store of the application implements for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol
from uuid import UUID

from apps.tenants.personal_data import Phase as Phase
from apps.tenants.personal_data import TargetType as TargetType

# Types that contain other things. Everything inside such a target is removed, except single items that must stay.
WHOLE: Final = (TargetType.SCOPE, TargetType.TENANT)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Target:
    """One thing to remove. part: the name of the group (apps.audit.registry.Group) for an event group; else empty."""

    type: TargetType
    id: UUID
    part: str = ""


class Store(Protocol):
    """One place where personal data lie: a table, a kind of key in Redis, a folder.

    All methods run in the open scope. For a target of a type that the store does not know, count() adds 0 and clear()
    removes nothing. For a scope or a tenant, both leave out the items in it that must stay (registry.kept_within).

    A store may set `waits_for_holds = True`. It is then not cleared at all for a scope or tenant in which something
    must stay, because the people who answer for the retained items need what the store holds.
    """

    key: str  # dotted, `app.things`, such as corpus.pages; never change it: ledgers and certificates name it
    label: str  # as a DPO would call it
    phase: Phase

    def count(self, targets: Sequence[Target]) -> int:
        """Return how many items (rows, keys, files) of the targets the store holds now. Zero means complete."""
        ...

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """Remove at most about `limit` items of the targets, in the open transaction. Returns: how many were removed.

        The call can be repeated: items that are already gone are skipped. It returns 0 only when nothing of the targets
        can be removed now; the caller then calls count() to learn whether the store is empty or must be tried later.
        """
        ...


# Returns, as targets, what the scopes and tenants among the given targets contain.
Contents = Callable[[Sequence[Target]], Sequence[Target]]


class DigestKind(StrEnum):
    """What a tombstone keeps a keyed digest of."""

    CONTENT = "content_sha256"
    EXTERNAL_ID = "external_id"


# Called in the open scope before anything is removed; yields (kind, value) for what is stored of the targets.
DigestSource = Callable[[Sequence[Target]], Iterable[tuple[DigestKind, str]]]


class Origin(StrEnum):
    """The reason for which a removal run was proposed."""

    PURGE = "purge"  # a retention rule: origin_id is the purge's
    LOG = "log"  # a damaged log: origin_id is the tenant's (apps/erasure/mending.py)
    REQUEST = "request"  # a request for erasure: origin_id is the request's
    REMOVAL = "removal"  # somebody wants a document gone: origin_id is the document's


class RunState(StrEnum):
    PROPOSED = "proposed"  # targets are frozen; waits for a second person
    REJECTED = "rejected"
    APPROVED = "approved"  # waits for the eraser
    EXECUTING = "executing"
    VERIFYING = "verifying"  # every store counts zero; the disk is overwritten and scanned (proof/)
    COMPLETED = "completed"  # every store counts zero, and the run's Proof was produced
    PARTIALLY_COMPLETED = "partially_completed"  # as COMPLETED, except for items that must stay
    FAILED = "failed"  # retried on a schedule or by a person; nothing is rolled back


class Proof(StrEnum):
    """The evidence that a run has removed its targets. It is fixed when the run is proposed."""

    COUNTS = "counts"  # every store counts zero
    PHYSICAL = "physical"  # also: tables and WAL rewritten, a clean residue scan after a control, a certificate


class Obstacle(Protocol):
    """Something that may keep targets from being removed: a legal hold, or an open request that concerns them."""

    def __call__(self, targets: Sequence[Target]) -> Mapping[Target, str]:
        """Return the targets that must stay, each with its ground as a code and an id, such as `hold:<uuid>`.

        It is called in the transaction that removes, and takes the locks that keep its answer true until that
        transaction ends.
        """
        ...


class KeptWithin(Protocol):
    """As Obstacle, for whole scopes and tenants: returns the documents and parts of events in them that must stay."""

    def __call__(self, targets: Sequence[Target]) -> Mapping[Target, Mapping[Target, str]]: ...


class RunListener(Protocol):
    """A callback that is called when a run changes its state, in the same transaction."""

    def __call__(self, *, origin_id: UUID, run_id: UUID, state: RunState) -> None: ...
