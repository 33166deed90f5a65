"""The trace of one question, stage by stage: the output, what was left out and why, and how long the stage took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import (
    Candidate,
    ChunkId,
    ContextBlock,
    CutRule,
    Degradation,
    DocumentId,
    FusedHit,
    GeneratedAnswer,
    GroundingReport,
    HealRound,
    ProfileCheck,
    QueryAnalysis,
    Ranking,
    ReadWith,
    Rewriting,
    SourceRank,
)
from apps.retrieval.stages.ranking.assemble import ref_id


class Stage(StrEnum):
    """The stages, in the order of the pipeline."""

    VALIDATE = "validate"
    CLASSIFY = "classify"
    GATE = "gate"
    PROFILE = "profile"
    ANALYSE = "analyse"
    REWRITE = "rewrite"
    EMBED = "embed"
    DENSE = "dense"
    SPARSE = "sparse"
    STATEMENTS = "statements"
    METADATA = "metadata"
    FUSE = "fuse"
    BOOST = "boost"
    DIVERSIFY = "diversify"
    RERANK = "rerank"
    CUT_OFF = "cut_off"
    HEAL = "heal"
    LINES = "lines"
    EXPAND = "expand"
    ASSEMBLE = "assemble"
    GENERATE = "generate"
    GROUND = "ground"
    SUITABILITY = "suitability"


class StageStatus(StrEnum):
    RAN = "ran"
    NOT_CONFIGURED = "not_configured"
    SKIPPED = "skipped"
    DEGRADED = "degraded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Something that a stage left out: a kind, a chunk, a section, a filter."""

    subject: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatedQuestion:
    """read_with: None where no earlier question came with it."""

    text: str
    length_chars: int
    read_with: ReadWith | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedQuery:
    """The provider that embedded the question. The vector itself is not kept."""

    provider: str
    model: str
    region: str
    dimension: int
    texts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateLine:
    """A candidate as the trace shows it: its scores and its place, without its text.

    url: the address of its page in the API.
    around: the id of the passage around which this one was added; None for a passage that the search itself found.
    """

    chunk_id: ChunkId
    document_id: DocumentId
    ref_id: str
    document_title: str
    document_version: int
    kind: str
    page: int
    section: str
    content_sha256: str
    url: str
    rrf_score: float
    boost: float
    boost_reasons: tuple[str, ...]
    rerank_score: float | None
    ranks: tuple[SourceRank, ...]
    around: ChunkId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateList:
    candidates: tuple[CandidateLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealedList(CandidateList):
    """The candidates, including those that stage heal added, and the rounds of sub-queries that found them.

    coverage: how much of the question is covered at the end, 0 to 1.
    """

    healer: str
    rounds: tuple[HealRound, ...]
    coverage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LineList(CandidateList):
    """The candidates, including passages of statements, and the statement lines that were wanted and found."""

    wanted: tuple[str, ...]
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What a rewriter added to the question."""

    rewriter: str
    rewriting: Rewriting


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedRanking:
    hits: tuple[FusedHit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutLine:
    rule: CutRule
    reason: str
    kept: int
    cut: int


StageOutput = (
    ValidatedQuestion
    | IntentDecision
    | KindGrant
    | ProfileCheck
    | QueryAnalysis
    | Rewritten
    | EmbeddedQuery
    | Ranking
    | FusedRanking
    | CandidateList
    | CutLine
    | ContextBlock
    | GeneratedAnswer
    | GroundingReport
)
OutputT = TypeVar("OutputT")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRecord:
    """The record of one stage. Counts are of whatever the stage handles (terms, hits, candidates, passages, claims)."""

    stage: Stage
    status: StageStatus
    elapsed_ms: float
    count_in: int | None
    count_out: int | None
    exclusions: tuple[Exclusion, ...]
    notes: tuple[str, ...]
    output: StageOutput | None


OnStage = Callable[[StageRecord], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One request to a model, as its events tell it.

    event_id: the event from before it was sent. attempt: which request to this model for the question it was, from 1.
    first_byte_ms: until the reply began; None if none came. code: of the error; empty if there was none.
    cost: a decimal number in `currency`; None if no price is set or the server did not state its tokens.
    """

    event_id: str
    profile: str
    model: str
    region: str
    purpose: str
    attempt: int
    timeout_seconds: float
    elapsed_ms: float
    first_byte_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    price: str
    cost: str | None
    currency: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineUse:
    """How long all requests of the question to models may take together, and how much of that was used."""

    seconds: float
    used_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """All stages in the order in which they ran. A stage is absent if the question ended before it.

    calls: the requests to models, in the order in which they ended. A local model takes none. deadline: None where none
    was kept, as in an evaluation.
    """

    stages: tuple[StageRecord, ...]
    degradations: tuple[Degradation, ...]
    elapsed_ms: float
    calls: tuple[ModelCall, ...] = ()
    deadline: DeadlineUse | None = None

    def output(self, wanted: type[OutputT]) -> OutputT | None:
        """Return the first output of a type, such as `trace.output(ContextBlock)`."""
        return next((record.output for record in self.stages if isinstance(record.output, wanted)), None)

    def outputs(self, wanted: type[OutputT]) -> tuple[OutputT, ...]:
        """Return all outputs of a type, in order. Each search for missing parts adds rankings of its own."""
        return tuple(record.output for record in self.stages if isinstance(record.output, wanted))

    def record(self, stage: Stage) -> StageRecord | None:
        """Return the first record of a stage (dense and sparse have one for each wording of the question)."""
        return next((record for record in self.stages if record.stage is stage), None)


def page_url(document_id: DocumentId, page: int) -> str:
    """Return the API address of a page of a document version. Quotes and passages have their positions in its text."""
    return f"/api/v1/documents/{document_id}/pages/{page}/"


def candidate_list(candidates: Sequence[Candidate]) -> CandidateList:
    """Return the candidates without their text, best first."""
    return CandidateList(
        candidates=tuple(
            CandidateLine(
                chunk_id=each.hit.chunk_id,
                document_id=each.hit.document_id,
                ref_id=ref_id(each.chunk),
                document_title=each.chunk.document.title,
                document_version=each.chunk.document.version,
                kind=each.hit.kind,
                page=each.chunk.page_start,
                section=each.chunk.section,
                content_sha256=each.chunk.content_sha256,
                url=page_url(each.hit.document_id, each.chunk.page_start),
                rrf_score=each.hit.rrf_score,
                boost=each.boost,
                boost_reasons=each.boost_reasons,
                rerank_score=each.rerank_score,
                ranks=each.hit.ranks,
                around=each.around,
            )
            for each in candidates
        )
    )
