"""What stands in the context, what was written from it, and what of that is supported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.retrieval.contracts.analysis import Refusal
from apps.retrieval.contracts.question import ChunkId, DocumentId
from apps.retrieval.contracts.search import Candidate, FoundLine, StoredChunk


class CutRule(StrEnum):
    TOP_K = "top_k"
    CUMULATIVE_PROBABILITY = "cumulative_probability"
    CLIFF = "cliff"
    MAXIMUM = "maximum"
    ALL_KEPT = "all_kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class CutDecision:
    """What was kept and what was cut, in order, and by which rule."""

    kept: tuple[Candidate, ...]
    cut: tuple[Candidate, ...]
    rule: CutRule
    reason: str


# --- context ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A verbatim piece of a chunk: `chunk.text[start:end] == text`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What the context holds of one chunk. `trimmed` tells that parts of the chunk were left out for the budget.

    lines: those of the candidate that are shown.
    """

    ref_id: str
    chunk: StoredChunk
    excerpts: tuple[Excerpt, ...]
    text: str
    trimmed: bool
    lines: tuple[FoundLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSection:
    """All passages of one kind under its heading; `text` is at most `cap_chars` long."""

    kind: str
    label: str
    cap_chars: int
    passages: tuple[Passage, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A chunk that was found and did not get into the context, and why."""

    chunk_id: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """The text that an answer may be written from: the same hits give the same bytes.

    `evicted` are whole sections taken out under the total cap; `left_out` the chunks that found no room; `sha256` is
    over the UTF-8 bytes of `text`.
    """

    text: str
    sections: tuple[ContextSection, ...]
    passages: tuple[Passage, ...]
    evicted: tuple[ContextSection, ...]
    left_out: tuple[LeftOut, ...]
    truncated: bool
    size_chars: int
    total_cap_chars: int
    sha256: str


# --- answer -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A verbatim piece of a passage that an answer shows. `start` and `end` count within the chunk's text.

    `columns` is the line of column headings above a row of a table, verbatim, or empty.
    """

    ref_id: str
    text: str
    start: int
    end: int
    columns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswer:
    """What a generator wrote, before it was checked. `attempts` counts the calls of a model (0 without one).

    worked_out: how many figures it calculated from what it quotes, each in full view (stages/figures/measures.py).
    """

    text: str
    ref_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]
    generator: str
    model: str
    attempts: int = 0
    worked_out: int = 0
    notes: tuple[str, ...] = ()
    refusal: Refusal | None = None


class GroundingStatus(StrEnum):
    GROUNDED = "grounded"
    PARTIAL = "partial"
    UNGROUNDED = "ungrounded"


class Repair(StrEnum):
    """What was done to an answer that the check did not pass as it was."""

    NONE = "none"
    ASKED_AGAIN = "asked_again"
    """The model wrote it anew, told what did not stand."""
    SHORTENED = "shortened"
    """The sentences that did not stand were taken out, and the rest still answers."""


class FindingType(StrEnum):
    REF_ID = "ref_id"
    QUOTE = "quote"
    NUMBER = "number"
    NAME = "name"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One checked claim. `ref_id` is the passage that supports it, empty if none does."""

    type: FindingType
    value: str
    supported: bool
    ref_id: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingReport:
    status: GroundingStatus
    findings: tuple[Finding, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """Where a quote stands: document version, page (from 1), section, and the characters on that page."""

    ref_id: str
    chunk_id: ChunkId
    document_id: DocumentId
    document_title: str
    version: int
    kind: str
    page: int
    section: str
    quote: str
    columns: str
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A part that failed and was done without; the answer says so."""

    stage: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the person gets. With a refusal, `text` is its message and there are no citations."""

    text: str
    ref_ids: tuple[str, ...]
    citations: tuple[Citation, ...]
    grounding: GroundingStatus | None
    generator: str
    model: str
    degradations: tuple[Degradation, ...] = ()
    notices: tuple[str, ...] = ()
    refusal: Refusal | None = None
    repair: Repair = Repair.NONE

    @property
    def degraded(self) -> bool:
        return bool(self.degradations)

    @property
    def refused(self) -> bool:
        return self.refusal is not None
