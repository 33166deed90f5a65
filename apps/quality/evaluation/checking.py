"""Measure the check of answers: how much of what is right passes, how much of what is wrong is stopped, and how long
the check takes. A reply is read, its question analysed and the answer checked as in the pipeline; no model is asked.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from apps.corpus.extraction.language import detect_language
from apps.quality.evaluation import metrics
from apps.quality.evaluation.checking_cases import RIGHT, Case
from apps.retrieval.contracts import (
    ChunkId,
    ContextBlock,
    CorpusInventory,
    DocumentFacts,
    DocumentId,
    Excerpt,
    GeneratedAnswer,
    GroundingReport,
    GroundingStatus,
    InventoryEntry,
    Passage,
    QueryAnalysis,
    StoredChunk,
)
from apps.retrieval.generation.reply import Reply, read_reply
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.stages.grounding.ground import ground
from apps.retrieval.stages.question.analyse import analyse
from apps.retrieval.stages.question.validate import validate

_SHORTEST_QUESTION_CHARS: Final = 3
_KIND: Final = "reference_report"
_NO_DIGEST: Final = "0" * 64
_FALLBACK_LANGUAGE: Final = "en"
ALL: Final = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What became of one case. report: None if the reply could not be read. elapsed_ms: of the check alone."""

    case: Case
    report: GroundingReport | None
    elapsed_ms: float

    @property
    def passed(self) -> bool:
        return self.report is not None and self.report.status is GroundingStatus.GROUNDED

    @property
    def as_wanted(self) -> bool:
        return self.passed is (self.case.verdict == "pass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of some cases came out as wanted."""

    wanted: int
    cases: int

    @property
    def value(self) -> float:
        return self.wanted / self.cases


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckingFigures:
    """The shares by class, then by style and form of the reply ("all" for all of them), and the time of the check.

    cases: how many replies were checked. A reply that cannot be read is stopped without a check.
    """

    shares: Mapping[str, Mapping[str, Share]]
    p50_ms: float
    p95_ms: float
    cases: int


def check_cases(cases: Sequence[Case]) -> list[Checked]:
    """Check every case."""
    languages = _languages(cases)
    return [_checked(case, languages) for case in cases]


def figures_of(checked: Sequence[Checked]) -> CheckingFigures:
    """Return the figures of at least one checked case; right answers first, then what is wrong by name."""
    found: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for each in checked:
        form = "structured" if each.case.structured else "plain"
        for column in (ALL, each.case.style, form):
            found[each.case.class_][column].append(each.as_wanted)
    times = [each.elapsed_ms for each in checked if each.report] or [0.0]
    return CheckingFigures(
        shares={
            class_: {column: Share(wanted=sum(seen), cases=len(seen)) for column, seen in found[class_].items()}
            for class_ in sorted(found, key=lambda name: (name != RIGHT, name))
        },
        p50_ms=round(metrics.percentile(times, 0.5), 2),
        p95_ms=round(metrics.percentile(times, 0.95), 2),
        cases=sum(each.report is not None for each in checked),
    )


def _languages(cases: Iterable[Case]) -> Mapping[str, str]:
    """Return the language of each document by its slug, found as in ingestion: in all of its text that there is."""
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    for case in cases:
        for passage in case.passages:
            texts[_slug(passage)][str(passage["text"])] = None
    return {slug: detect_language(of_slug) or _FALLBACK_LANGUAGE for slug, of_slug in texts.items()}


def _checked(case: Case, languages: Mapping[str, str]) -> Checked:
    context = _context(case, languages)
    reply = read_reply(json.dumps(case.reply), {passage.ref_id for passage in context.passages})
    if not isinstance(reply, Reply) or not reply.answer:
        return Checked(case=case, report=None, elapsed_ms=0.0)
    analysis = _analysis(case, context)
    answer = GeneratedAnswer(
        text=reply.answer,
        ref_ids=reply.ref_ids,
        quotes=(),
        generator="model",
        model="model",
        claims=reply.claims,
        calculations=reply.calculations,
    )
    started = time.perf_counter()
    report = ground(answer, context, analysis=analysis)
    return Checked(case=case, report=report, elapsed_ms=1000 * (time.perf_counter() - started))


def _analysis(case: Case, context: ContextBlock) -> QueryAnalysis:
    settings = StageSettings()
    entries = (
        InventoryEntry(
            kind=facts.kind,
            company=facts.company,
            ticker="",
            document_type=facts.document_type,
            fiscal_year=facts.fiscal_year,
            fiscal_quarter=facts.fiscal_quarter,
            documents=1,
        )
        for facts in dict.fromkeys(passage.chunk.document for passage in context.passages)
    )
    return analyse(
        validate(case.question, maximum_chars=settings.question_maximum_chars),
        language=case.language,
        inventory=CorpusInventory(entries=tuple(entries)),
        minimum_chars=_SHORTEST_QUESTION_CHARS,
        expansion_weight=settings.expansion_weight,
        statement_weight=settings.statement_weight,
    )


def _context(case: Case, languages: Mapping[str, str]) -> ContextBlock:
    passages = tuple(_passage(each, number, languages) for number, each in enumerate(case.passages, start=1))
    text = "\n\n".join(f"[{passage.ref_id}]\n{passage.text}" for passage in passages)
    return ContextBlock(
        text=text,
        sections=(),
        passages=passages,
        evicted=(),
        left_out=(),
        truncated=False,
        size_chars=len(text),
        total_cap_chars=len(text),
        sha256=_NO_DIGEST,
    )


def _passage(told: Mapping[str, Any], number: int, languages: Mapping[str, str]) -> Passage:
    slug, text = _slug(told), str(told["text"])
    page = int(str(told["ref_id"]).split("|")[1].removeprefix("p"))
    facts = DocumentFacts(
        document_id=DocumentId(uuid5(NAMESPACE_URL, slug)),
        slug=slug,
        title=str(told["title"]),
        version=1,
        kind=_KIND,
        company=str(told["company"]),
        document_type=str(told["document_type"]),
        fiscal_year=told.get("fiscal_year"),
        fiscal_quarter=told.get("fiscal_quarter"),
    )
    chunk = StoredChunk(
        chunk_id=ChunkId(UUID(int=number)),
        document=facts,
        number=number,
        text=text,
        context_header=str(told["context_header"]),
        page_start=page,
        page_end=page,
        char_start=0,
        section=str(told["section"]),
        language=languages[slug],
        content_sha256=_NO_DIGEST,
    )
    excerpts = (Excerpt(text=text, start=0, end=len(text)),)
    return Passage(ref_id=str(told["ref_id"]), chunk=chunk, excerpts=excerpts, text=text, trimmed=False)


def _slug(passage: Mapping[str, Any]) -> str:
    return str(passage["ref_id"]).split("|")[0]
