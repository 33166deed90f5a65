"""Short ways to the pipeline's values, for tests of its pure stages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.contracts import KindBudget
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import (
    Candidate,
    ChunkId,
    ContextBlock,
    CorpusInventory,
    DocumentFacts,
    DocumentId,
    FusedHit,
    GeneratedAnswer,
    InventoryEntry,
    QueryAnalysis,
    Quote,
    Ranking,
    SourceRank,
    SparseHit,
    StoredChunk,
)
from apps.retrieval.stages.question.analyse import analyse
from apps.retrieval.stages.ranking.assemble import assemble

CASH_FLOWS = """\
Consolidated Statement of Cash Flows
(Millions) | 2018 | 2017 | 2016
Depreciation and amortization | 2018: 1,488 | 2017: 1,544 | 2016: 1,474
Cash Flows from Investing Activities
Purchases of property, plant and equipment (PP&E) | 2018: (1,577) | 2017: (1,373) | 2016: (1,420)
Proceeds from sale of PP&E and other assets | 2018: 262 | 2017: 49 | 2016: 58
Cash Flows from Financing Activities
Purchases of treasury stock | 2018: (4,870) | 2017: (2,068) | 2016: (3,753)"""
CAPEX_QUESTION = (
    "What is the FY2018 capital expenditure amount (in USD millions) for Northwind? Give a response to the question by "
    "relying on the details shown in the cash flow statement."
)


def entry(
    company: str = "",
    fiscal_year: int | None = None,
    fiscal_quarter: int | None = None,
    *,
    document_type: str = "10-K",
    ticker: str = "",
    kind: str = "reference_report",
    jurisdictions: tuple[str, ...] = (),
) -> InventoryEntry:
    return InventoryEntry(
        kind=kind,
        company=company,
        ticker=ticker,
        document_type=document_type,
        fiscal_year=fiscal_year,
        fiscal_quarter=fiscal_quarter,
        documents=1,
        jurisdictions=jurisdictions,
    )


def analysed(text: str, *entries: InventoryEntry, language: str = "en") -> QueryAnalysis:
    return analyse(
        text,
        language=language,
        inventory=CorpusInventory(entries=entries),
        minimum_chars=3,
        expansion_weight=0.6,
        statement_weight=1.0,
    )


def document(
    number: int = 1,
    *,
    title: str = "Northwind 2018 10-K",
    kind: str = "reference_report",
    company: str = "Northwind",
    fiscal_year: int | None = 2018,
    fiscal_quarter: int | None = None,
    document_type: str = "10-K",
    jurisdictions: tuple[str, ...] = (),
) -> DocumentFacts:
    return DocumentFacts(
        document_id=DocumentId(UUID(int=1000 + number)),
        slug=f"northwind-{number}",
        title=title,
        version=1,
        kind=kind,
        company=company,
        document_type=document_type,
        fiscal_year=fiscal_year,
        fiscal_quarter=fiscal_quarter,
        jurisdictions=jurisdictions,
    )


def candidate(
    text: str,
    number: int = 1,
    *,
    facts: DocumentFacts | None = None,
    header: str = "",
    page: int = 1,
    char_start: int = 0,
    rrf_score: float | None = None,
    rerank_score: float | None = None,
    language: str = "en",
) -> Candidate:
    facts = facts or document()
    chunk_id = ChunkId(UUID(int=number))
    return Candidate(
        chunk=StoredChunk(
            chunk_id=chunk_id,
            document=facts,
            number=number,
            text=text,
            context_header=header,
            page_start=page,
            page_end=page,
            char_start=char_start,
            section="",
            language=language,
            content_sha256="0" * 64,
        ),
        hit=FusedHit(
            chunk_id=chunk_id,
            document_id=facts.document_id,
            kind=facts.kind,
            rrf_score=1 / (60 + number) if rrf_score is None else rrf_score,
            ranks=(SourceRank(ranking="sparse", rank=number),),
        ),
        rerank_score=rerank_score,
    )


def budget(
    kind: Kind = FundHouse.REFERENCE_REPORT, cap_chars: int = 600, position: int = 1, *, label: str = ""
) -> KindBudget:
    return KindBudget(kind=kind, label=label or kind.label, cap_chars=cap_chars, position=position)


def context_of(
    analysis: QueryAnalysis,
    candidates: Sequence[Candidate],
    *,
    budgets: Sequence[KindBudget] | None = None,
    total_cap_chars: int = 4096,
) -> ContextBlock:
    return assemble(
        candidates, analysis=analysis, budgets=budgets or [budget(cap_chars=4000)], total_cap_chars=total_cap_chars
    )


def written(text: str, *ref_ids: str, quotes: Iterable[Quote] = ()) -> GeneratedAnswer:
    """An answer as a model would have written it."""
    return GeneratedAnswer(text=text, ref_ids=ref_ids, quotes=tuple(quotes), generator="test", model="test-model")


def ranking(name: str, numbers: Iterable[int]) -> Ranking:
    """Hits in the order of the numbers; each number is a chunk."""
    return Ranking(
        name=name,
        hits=tuple(
            SparseHit(
                chunk_id=ChunkId(UUID(int=number)),
                document_id=DocumentId(UUID(int=1001)),
                kind="reference_report",
                bm25_score=100.0 - position,
            )
            for position, number in enumerate(numbers)
        ),
    )


WORDS = st.sampled_from(
    [
        *("capital", "expenditure", "purchases", "property", "plant", "equipment", "fund", "drawdown", "risk", "net"),
        *("1,577", "(12)", "3.5%", "2018", "U.S.", "Inc.", "of", "the", "and", "cash", "flow", "exposure", "limit"),
    ]
)
LINES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
TEXTS = st.lists(
    LINES | LINES.map(lambda line: line + ".") | LINES.map(lambda line: line + " | 2018: 5"), min_size=1, max_size=12
).map("\n".join)
"""Texts that look like pages: prose, sentences and rows of tables."""
