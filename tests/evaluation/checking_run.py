"""Measure the check of answers on the cases of checking/: how much right passes, and how much wrong is stopped,
by class and style, with and without claims in the reply; and how long the check takes.

    python -m tests.evaluation.checking_run --set open
    python -m tests.evaluation.checking_run --set open --show right
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from apps.corpus.extraction.language import detect_language
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
    StoredChunk,
)
from apps.retrieval.generation.reply import Reply, read_reply
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.stages.grounding.ground import ground
from apps.retrieval.stages.question.analyse import analyse
from apps.retrieval.stages.question.validate import validate
from tests.evaluation.checking.load import Case, cases

_SHORTEST_QUESTION_CHARS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one case. seconds: for `ground` alone."""

    case: Case
    report: GroundingReport | None
    seconds: float

    @property
    def passed(self) -> bool:
        return self.report is not None and self.report.status is GroundingStatus.GROUNDED

    @property
    def as_wanted(self) -> bool:
        return self.passed is (self.case.verdict == "pass")


def check(case: Case, languages: Mapping[str, str]) -> Outcome:
    """Read a reply, analyse its question and check the answer, as the product does."""
    context = _context(case, languages)
    reply = read_reply(json.dumps(case.reply), {passage.ref_id for passage in context.passages})
    if not isinstance(reply, Reply) or not reply.answer:
        return Outcome(case=case, report=None, seconds=0.0)
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
    analysis = analyse(
        validate(case.question, maximum_chars=settings.question_maximum_chars),
        language=case.language,
        inventory=CorpusInventory(entries=tuple(entries)),
        minimum_chars=_SHORTEST_QUESTION_CHARS,
        expansion_weight=settings.expansion_weight,
        statement_weight=settings.statement_weight,
    )
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
    return Outcome(case=case, report=report, seconds=time.perf_counter() - started)


def languages_of(given: Iterable[Case]) -> Mapping[str, str]:
    """Return the language of each document by its slug, found as the product does: in all of it that there is."""
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    for case in given:
        for passage in case.passages:
            texts[str(passage["ref_id"]).split("|")[0]][str(passage["text"])] = None
    return {slug: detect_language(of_slug) or "en" for slug, of_slug in texts.items()}


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
        sha256="0" * 64,
    )


def _passage(told: Mapping[str, Any], number: int, languages: Mapping[str, str]) -> Passage:
    slug, page, _ = str(told["ref_id"]).split("|")
    text = str(told["text"])
    facts = DocumentFacts(
        document_id=DocumentId(uuid5(NAMESPACE_URL, slug)),
        slug=slug,
        title=str(told["title"]),
        version=1,
        kind="reference_report",
        company=str(told["company"]),
        document_type=str(told["document_type"]),
        fiscal_year=told["fiscal_year"],
        fiscal_quarter=told["fiscal_quarter"],
    )
    chunk = StoredChunk(
        chunk_id=ChunkId(UUID(int=number)),
        document=facts,
        number=number,
        text=text,
        context_header=str(told["context_header"]),
        page_start=int(page.removeprefix("p")),
        page_end=int(page.removeprefix("p")),
        char_start=0,
        section=str(told["section"]),
        language=languages[slug],
        content_sha256="0" * 64,
    )
    excerpts = (Excerpt(text=text, start=0, end=len(text)),)
    return Passage(ref_id=str(told["ref_id"]), chunk=chunk, excerpts=excerpts, text=text, trimmed=False)


def tell(outcomes: Iterable[Outcome]) -> str:
    """Return the figures as lines of text: the share of cases that came out as wanted, by class and style."""
    shares: dict[tuple[str, str], list[bool]] = defaultdict(list)
    seconds: list[float] = []
    for each in outcomes:
        form = "structured" if each.case.structured else "plain"
        for column in ("all", each.case.style, form):
            shares[each.case.class_, column].append(each.as_wanted)
        seconds.append(each.seconds)
    classes = sorted({name for name, _ in shares}, key=lambda name: (name != "right", name))
    columns = ["all", *sorted({name for _, name in shares} - {"all"})]
    lines = [f"{'class':<24}" + "".join(f"{name:>18}" for name in columns)]
    for name in classes:
        cells = (shares.get((name, column), []) for column in columns)
        lines.append(
            f"{name:<24}"
            + "".join(f"{sum(cell) / len(cell):>9.3f} of {len(cell):<5}" if cell else " " * 18 for cell in cells)
        )
    seconds.sort()
    p50, p95 = (1000 * seconds[int(len(seconds) * share)] for share in (0.5, 0.95))
    lines.append(f"ground: p50 {p50:.1f} ms, p95 {p95:.1f} ms, over {len(seconds)} answers")
    return "\n".join(lines)


def _show(outcomes: Iterable[Outcome], class_: str) -> None:
    for each in outcomes:
        if each.as_wanted or each.case.class_ != class_:
            continue
        print(f"\n{each.case.id} {each.case.style} {each.case.mutated}: {each.case.question}\n  {each.case.answer}")
        for finding in each.report.findings if each.report else ():
            if not finding.supported:
                print(f"    {finding.type.value} | {finding.value} | {finding.note}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("open", "kept"), default="open")
    parser.add_argument("--show", default="", help="print the cases of this class that do not come out as wanted")
    given = parser.parse_args()
    if given.show and given.set == "kept":
        parser.error("the kept cases are not shown")
    languages = languages_of(cases(given.set))
    outcomes = [check(case, languages) for case in cases(given.set)]
    if given.show:
        _show(outcomes, given.show)
    print(tell(outcomes))


if __name__ == "__main__":
    main()
