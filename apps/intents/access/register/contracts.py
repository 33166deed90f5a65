"""The history that the register is computed from, the question, and its result. Every validity is half-open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from apps.corpus.kinds import Kind
from apps.intents.access.contracts import Holding, IntentReach, ScopeName, Subject, TenantFacts
from apps.intents.contracts import PolicySnapshot
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role


class Mode(StrEnum):
    """AT: an instant. RANGE: from one instant to before another one. CHANGES: what differs between two instants."""

    AT = "at"
    RANGE = "range"
    CHANGES = "changes"


class ScopeBirth(NamedTuple):
    """A scope with the time when it was made. The tree only grows: a scope keeps its place."""

    id: ScopeId
    parent_id: ScopeId | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A person or a key, with everything that they ever held, each with every grant that it ever had."""

    subject: Subject
    holdings: tuple[Holding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A policy version while it was in force, and what its questions reached. valid_to is None while it lasts."""

    snapshot: PolicySnapshot
    sha256: str
    reaches: tuple[IntentReach, ...]
    valid_from: datetime
    valid_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFact:
    """A document version, for questions about one document.

    title: empty for a document that is no longer there, or that the asker may not see.
    published_at: from then on a question could reach it; None if none ever could.
    gone_at: when it was removed; None if it was not, or if the time is not in the log.
    restricted: the periods in which no question reached it, and only who decides about privacy could open it.
    """

    id: UUID
    title: str
    kind: str
    scope_id: ScopeId
    received_at: datetime
    published_at: datetime | None
    superseded_at: datetime | None
    gone_at: datetime | None
    restricted: tuple[tuple[datetime, datetime | None], ...]
    is_there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is read for an answer, whatever the instants of the question are.

    names: the scopes that the asker may see. forgotten: how many memberships the log records whose rows are gone.
    log_size, log_root: the head of the log when the history was read; the root is in hex.
    """

    read_at: datetime
    tenant: TenantFacts
    holders: tuple[Holder, ...]
    scopes: tuple[ScopeBirth, ...]
    names: Mapping[ScopeId, ScopeName]
    versions: tuple[Version, ...]
    forgotten: int
    log_size: int
    log_root: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a question is narrowed to. Empty and None: everything.

    holder_id: a person or a key. role: whoever held it then; what they reached by other roles counts too.
    scope_id: that very scope. kind: by its key.
    """

    holder_id: UUID | None = None
    role: Role | None = None
    scope_id: ScopeId | None = None
    kind: str = ""
    document: DocumentFact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """until: for AT None."""

    mode: Mode
    since: datetime
    until: datetime | None
    filters: Filters = Filters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a holder could reach for some time.

    asks: the scopes in which their questions found documents, of the kinds in `reaches`.
    opens: the scopes in which they could open a document's page, whatever its kind.
    reaches: what questions of each intent reached; only intents that reached something.
    """

    roles: tuple[Role, ...]
    asks: frozenset[ScopeId]
    opens: frozenset[ScopeId]
    reaches: tuple[tuple[str, tuple[Kind, ...]], ...]

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(kind for _, kinds in self.reaches for kind in kinds)

    @property
    def scopes(self) -> frozenset[ScopeId]:
        return self.asks | self.opens


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What a holder could reach from one instant to before another one; for an instant, both are None."""

    subject: Subject
    cell: Cell
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a holder's reach differed between two instants; None where they reached nothing."""

    subject: Subject
    before: Cell | None
    after: Cell | None
