"""What a removal is aimed at, and what every store of the application answers about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, Protocol
from uuid import UUID


class TargetType(StrEnum):
    DOCUMENT = "document"  # one version of a document: Document.id
    EVENT_GROUP = "event_group"  # one field group of one event: Event.id, and the group as part
    USER = "user"  # an account's traces within the tenant: User.id
    SCOPE = "scope"  # a scope with all that is in it: Scope.id
    TENANT = "tenant"  # Tenant.id


# What other things lie in: of it everything goes but what must stay, item by item.
WHOLE: Final = (TargetType.SCOPE, TargetType.TENANT)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Target:
    """part: of an event group, its name (apps.audit.registry.Group); else empty."""

    type: TargetType
    id: UUID
    part: str = ""


class Phase(IntEnum):
    """The order in which stores are cleared: what is made of a thing goes before the thing."""

    CACHES = 10  # caches, queues, answers kept for repeated requests
    DERIVED = 20  # mentions, metrics, feedback, conversations, previews
    SEARCH = 30  # vectors and term statistics
    PASSAGES = 40  # chunks, pages
    DOCUMENTS = 50  # documents and their files
    ACCOUNTS = 60  # memberships, grants, keys of a person
    LOG = 70  # field groups of events
    KEYS = 80  # data keys


class Store(Protocol):
    """One place where personal data lie: a table, a kind of key in Redis, a folder.

    All of them run in the open scope. A target whose type the store knows nothing of counts 0 and clears nothing. Of a
    scope or a tenant, what must stay in it (registry.kept_within) is left out of both.

    A store may say `waits_for_holds = True`: of a scope or tenant in which something must stay it is not cleared at
    all, since whoever answers for what stays needs it.
    """

    key: str  # dotted, `app.things`, such as corpus.pages; stays what it is: ledgers and certificates name it
    label: str  # as a DPO would call it
    phase: Phase

    def count(self, targets: Sequence[Target]) -> int:
        """How many items (rows, keys, files) the store holds of the targets now. Zero is what completion means."""
        ...

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """Remove at most about `limit` items of the targets, in the open transaction. Returns: how many were removed.

        Can be repeated: what is gone already is passed over. Returns 0 only when nothing of the targets can be
        removed now; the caller then asks count() whether that is the end or a wait.
        """
        ...


# What lies in the scopes and tenants among the targets, as targets.
Contents = Callable[[Sequence[Target]], Sequence[Target]]


class DigestKind(StrEnum):
    """What a tombstone keeps a keyed digest of."""

    CONTENT = "content_sha256"
    EXTERNAL_ID = "external_id"


# In the open scope, before anything of the targets is removed: (kind, value) of what is held of them.
DigestSource = Callable[[Sequence[Target]], Iterable[tuple[DigestKind, str]]]


class Origin(StrEnum):
    """What a run of removals was proposed for."""

    PURGE = "purge"  # a retention rule: origin_id is the purge's
    LOG = "log"  # a log that was spoilt: origin_id is the tenant's (apps/erasure/mending.py)
    REQUEST = "request"  # a request for erasure: origin_id is the request's
    REMOVAL = "removal"  # somebody wants a document gone: origin_id is the document's


class RunState(StrEnum):
    PROPOSED = "proposed"  # targets are frozen; waits for a second person
    REJECTED = "rejected"
    APPROVED = "approved"  # waits for the eraser
    EXECUTING = "executing"
    VERIFYING = "verifying"  # every store counts zero; the disk is made to forget, and looked through (proof/)
    COMPLETED = "completed"  # every store counts zero, and what Proof asks for was shown
    PARTIALLY_COMPLETED = "partially_completed"  # likewise, but for what is held
    FAILED = "failed"  # tried again by the clock, or by a person; nothing is taken back


class Proof(StrEnum):
    """What shows that a run has removed what it named. Of the run from its proposal on."""

    COUNTS = "counts"  # every store counts zero
    PHYSICAL = "physical"  # besides: tables and WAL written anew, a clean residue scan after a control, a certificate


class Obstacle(Protocol):
    """What may keep targets from being removed: a legal hold, an open request that concerns them."""

    def __call__(self, targets: Sequence[Target]) -> Mapping[Target, str]:
        """Of the targets, those that must stay, with the ground as a code and an id, such as `hold:<uuid>`.

        Called in the transaction that removes. What it answers stays true until that ends: it takes the locks for it.
        """
        ...


class KeptWithin(Protocol):
    """As Obstacle, of whole scopes and tenants: the documents and parts of events in them that must stay."""

    def __call__(self, targets: Sequence[Target]) -> Mapping[Target, Mapping[Target, str]]: ...


class RunListener(Protocol):
    """Told, in the same transaction, when a run changes its state."""

    def __call__(self, *, origin_id: UUID, run_id: UUID, state: RunState) -> None: ...
