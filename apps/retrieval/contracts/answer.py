"""The context, the answer that was written from it, and the report on how much of the answer is supported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.retrieval.contracts.analysis import Refusal
from apps.retrieval.contracts.claims import Claim, ClaimedCalculation
from apps.retrieval.contracts.outcome import AnswerOutcome, AnswerRelevance
from apps.retrieval.contracts.profile import Disclaimer, ProfileFinding
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
    """The candidates that were kept and those that were cut, both in order, and the rule that decided."""

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
    """The part of one chunk that the context holds.

    trimmed: whether parts of the chunk were left out to keep within the budget.
    lines: the candidate's lines that are shown.
    rank: its position among the candidates, from 0.
    similarities: cosine similarity of the question with each quotable piece, by the piece's start in the chunk; empty
        where the pieces were not embedded.
    """

    ref_id: str
    chunk: StoredChunk
    excerpts: tuple[Excerpt, ...]
    text: str
    trimmed: bool
    lines: tuple[FoundLine, ...] = ()
    rank: int = 0
    similarities: tuple[tuple[int, float], ...] = ()


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
    """A chunk that was found but not put into the context, with the reason."""

    chunk_id: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock:
    """The text that an answer may be written from. The same hits always give the same bytes.

    evicted: whole sections that were removed to keep within the total cap.
    left_out: chunks that did not fit.
    sha256: digest of the UTF-8 bytes of `text`.
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
class RowCell:
    """A cell of a table's row. column: its heading, or empty if the table does not say."""

    column: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedRow:
    """A row of a table as it was read. caption: what the table says of its unit and scale ("in EUR million")."""

    label: str
    cells: tuple[RowCell, ...]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A verbatim piece of a passage that an answer shows. `start` and `end` are positions in the chunk's text.

    columns: the line of column headings above a row of a table, verbatim; empty where there is none.
    row: the piece as a row of a table; None for a sentence.
    """

    ref_id: str
    text: str
    start: int
    end: int
    columns: str = ""
    row: QuotedRow | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswer:
    """The text that a generator wrote, before it is checked.

    attempts: how often a model was called; 0 for a generator without a model.
    worked_out: how many figures the generator calculated from what it quotes. Each calculation is shown in full
        (stages/figures/measures.py).
    claims, calculations: what a model says that its text claims; empty from a model that writes the text alone.
    closest: whether the text claims nothing and quotes the passages that come closest to an answer.
    missing: for these, what was asked for and is not in them, in words.
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
    claims: tuple[Claim, ...] = ()
    calculations: tuple[ClaimedCalculation, ...] = ()
    closest: bool = False
    missing: tuple[str, ...] = ()


class GroundingStatus(StrEnum):
    GROUNDED = "grounded"
    PARTIAL = "partial"
    UNGROUNDED = "ungrounded"


class Repair(StrEnum):
    """How an answer that failed the grounding check was repaired."""

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
    COMPANY = "company"
    """Of whom a sentence speaks: of the company of the document that it cites, or of another."""
    MEASURE = "measure"
    """What a sentence calls a figure."""
    DIRECTION = "direction"
    """Up, down or unchanged, and by how much."""
    COMPARISON = "comparison"
    """The largest, the smallest, or more than another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One checked claim. `ref_id` names the passage that supports it; it is empty if no passage does."""

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
class CitedRecord:
    """The structured record that a cited document was made of. pointers: JSON pointers of the fields in the quote."""

    source: str
    external_id: str
    type: str
    pointers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The place of a quote: document version, page (from 1), section, and the characters on that page.

    record: added when the answer is recorded (selectors/cited_records.py); None where there is none.
    """

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
    row: QuotedRow | None = None
    record: CitedRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A part of the pipeline that failed. The pipeline went on without it, and the answer says so."""

    stage: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer that the person gets. For a refusal, `text` is the refusal's message and there are no citations.

    grounding: whether every statement stands in its source; None where nothing is claimed.
    relevance: whether it answers what was asked; None for a refusal.
    disclaimers: what must stand under it. profile: the rules of the compliance profile that fired on it.
    """

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
    relevance: AnswerRelevance | None = None
    closest: bool = False
    disclaimers: tuple[Disclaimer, ...] = ()
    profile: tuple[ProfileFinding, ...] = ()

    @property
    def outcome(self) -> AnswerOutcome:
        if self.refusal is not None:
            return AnswerOutcome.REFUSED
        return AnswerOutcome.CLOSEST if self.closest else AnswerOutcome.ANSWERED

    @property
    def degraded(self) -> bool:
        return bool(self.degradations)

    @property
    def refused(self) -> bool:
        return self.refusal is not None
