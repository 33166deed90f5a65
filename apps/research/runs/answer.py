"""Write the answer of a run from what its steps found: sections, a table of figures, sources, and what is missing.

Nothing is worded anew. Each sentence is one that a step's answer was let out with, under the mark of its source; an
answer of an earlier round is never replaced, so a later answer keeps every figure of the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from apps.filings.text.bindings import years_of
from apps.research.runs.contracts import (
    Cell,
    Plan,
    Result,
    Row,
    SearchContent,
    Section,
    Sentence,
    Source,
    SubQuestion,
    Table,
)
from apps.research.runs.scoring import best_of, gap_of, score
from apps.retrieval.contracts import Answer, Citation, GroundingStatus, Refusal, RefusalReason, RelevanceStatus
from apps.retrieval.trace import page_url

_REF: Final = re.compile(r"\s*\[([^\[\]\s]+)\]")
# A statement ends with its citations.
_STATEMENT: Final = re.compile(r"(?<=\])\s+(?=[^\[\s])|\n+")
_NUMBER: Final = re.compile(
    r"(?<![\w.,])[-\u2212(]?(?:[A-Z]{3}\s|[$€£])?\d[\d.,]*"
    r"(?:\s?(?:%|percent|million|billion|thousand|Mio\.|Mrd\.|Prozent|bps))?\)?"
)
_FISCAL_YEAR: Final = re.compile(r"FY((?:19|20|21)\d\d)")
_A_YEAR: Final = re.compile(r"(?:19|20|21)\d\d")
_WHOLE_YEAR: Final = re.compile(
    r"(?:FY\s?|fiscal\s(?:year\s)?|(?:twelve\smonths|(?:fiscal\s)?year)\sended\s.{0,20})?(?:19|20|21)\d\d",
    re.IGNORECASE,
)
"""The heading of a column that is of a whole year, and says nothing else."""
_YEAR: Final = re.compile(r"^(?:19|20|21)\d\d$")
_MARKS: Final = (
    ("10K", re.compile(r"\b10-?K\b|annual report|geschäftsbericht", re.IGNORECASE)),
    ("10Q", re.compile(r"\b10-?Q\b", re.IGNORECASE)),
    ("T", re.compile(r"transcript|earnings call", re.IGNORECASE)),
    ("N", re.compile(r"\bnews\b|press release", re.IGNORECASE)),
)
_CONFIDENCE: Final = {
    GroundingStatus.GROUNDED: 90,
    GroundingStatus.PARTIAL: 60,
    None: 40,
    GroundingStatus.UNGROUNDED: 10,
}
_RELEVANCE: Final = {RelevanceStatus.FULL: 100, RelevanceStatus.PARTIAL: 60, RelevanceStatus.NONE: 20}


def write_answer(plan: Plan, found: Sequence[SearchContent], *, stopped_by: str) -> Result:
    """Return the answer of what was found, the same for the same steps."""
    best = best_of(plan, found)
    marks = _Marks()
    sections = tuple(_sections(plan, best, marks))
    table = _table(plan, best, marks)
    scores, confidence = score(plan, best)
    answers = [each.answer for each in best.values()]
    return Result(
        sections=sections,
        table=table,
        sources=marks.sources(),
        gaps=tuple(gap for cell in plan.sub_questions if (gap := gap_of(cell, best))),
        notices=tuple(dict.fromkeys((*plan.notices, *(each for answer in answers for each in answer.notices)))),
        disclaimers=tuple(dict.fromkeys(each.text for answer in answers for each in answer.disclaimers)),
        scores=scores,
        confidence=confidence,
        stopped_by=stopped_by,
    )


def unasked(cell: SubQuestion, why: str) -> SearchContent:
    """Return what stands for the answer of a question that can't be asked."""
    answer = Answer(
        text=why,
        ref_ids=(),
        citations=(),
        grounding=None,
        generator="",
        model="",
        refusal=Refusal(reason=RefusalReason.TOO_VAGUE, message=why),
    )
    return SearchContent(key=cell.key, attempt=cell.attempt, text=cell.text, answer=answer)


def figures_of(result: Result) -> frozenset[str]:
    """Return every figure that an answer states."""
    texts = [each.text for section in result.sections for each in section.sentences]
    texts += [cell.text for row in (result.table.rows if result.table else ()) for cell in row.cells]
    return frozenset(number for text in texts for number in _numbers(text))


class _Marks:
    """The marks of sources, counted by sort in the order in which they are first cited."""

    def __init__(self) -> None:
        self._by_chunk: dict[UUID, Source] = {}
        self._counts: dict[str, int] = {}

    def of(self, citation: Citation, found: SearchContent) -> str:
        held = self._by_chunk.get(citation.chunk_id)
        if held is None:
            sort = _sort_of(citation)
            self._counts[sort] = self._counts.get(sort, 0) + 1
            relevance = found.answer.relevance
            held = self._by_chunk[citation.chunk_id] = Source(
                mark=f"{sort}{self._counts[sort]}",
                ref_id=citation.ref_id,
                document_id=citation.document_id,
                chunk_id=citation.chunk_id,
                title=citation.document_title,
                version=citation.version,
                kind=citation.kind,
                page=citation.page,
                section=citation.section,
                quote=citation.quote,
                url=page_url(citation.document_id, citation.page),
                char_start=citation.char_start,
                char_end=citation.char_end,
                confidence=_CONFIDENCE[found.answer.grounding],
                relevance=_RELEVANCE[relevance.status] if relevance else 0,
            )
        return held.mark

    def sources(self) -> tuple[Source, ...]:
        return tuple(self._by_chunk.values())


def _sort_of(citation: Citation) -> str:
    if citation.record is not None:
        return "F"
    named = f"{citation.document_title} {citation.kind.replace('_', ' ')}"
    return next((sort for sort, words in _MARKS if words.search(named)), "D")


def _sections(plan: Plan, best: Mapping[str, SearchContent], marks: _Marks) -> Iterator[Section]:
    by_company = len(plan.companies) > 1
    titles = dict.fromkeys(_title(plan, cell, by_company=by_company) for cell in plan.sub_questions)
    for title in titles:
        sentences: list[Sentence] = []
        for cell in plan.sub_questions:
            answered = best.get(cell.key)
            if answered is not None and answered.is_answered and _title(plan, cell, by_company=by_company) == title:
                sentences += [each for each in _sentences(answered, marks) if each not in sentences]
        if sentences:
            yield Section(title=title, sentences=tuple(sentences))
    closest = tuple(
        dict.fromkeys(
            Sentence(text=citation.quote, marks=(marks.of(citation, each),), grounded=True)
            for each in best.values()
            if each.answer.closest
            for citation in each.answer.citations
        )
    )
    if closest:
        yield Section(title="Closest passages, which do not clearly answer", sentences=closest)


def _title(plan: Plan, cell: SubQuestion, *, by_company: bool) -> str:
    named = cell.company if by_company else cell.part
    return named or (plan.topic if len(plan.sub_questions) == 1 else cell.text)


def _sentences(found: SearchContent, marks: _Marks) -> Iterator[Sentence]:
    """Yield the sentences of an answer. One that cites nothing of its own stands on what the answer cites."""
    by_ref: dict[str, list[Citation]] = {}
    for citation in found.answer.citations:
        by_ref.setdefault(citation.ref_id, []).append(citation)
    grounded = found.answer.grounding is GroundingStatus.GROUNDED
    for piece in _STATEMENT.split(found.answer.text):
        cited = [ref for ref in _REF.findall(piece) if ref in by_ref]
        text = " ".join(_REF.sub(lambda ref: "" if ref.group(1) in by_ref else ref.group(), piece).split())
        if text:
            own = tuple(dict.fromkeys(marks.of(by_ref[ref][0], found) for ref in cited or by_ref))
            yield Sentence(text=text, marks=own, grounded=grounded and bool(own))


def _table(plan: Plan, best: Mapping[str, SearchContent], marks: _Marks) -> Table | None:
    """Return the figures side by side, where a number was asked for of more than one company, period or part."""
    cells = [cell for cell in plan.sub_questions if cell.part]
    labels = dict.fromkeys((cell.company, cell.period) for cell in cells)
    parts = tuple(dict.fromkeys(cell.part for cell in cells))
    if not plan.wants_number or len(cells) < 2:
        return None
    by_place = {(cell.company, cell.period, cell.part): cell for cell in cells}
    rows = tuple(
        Row(
            label=", ".join(each for each in (company, period) if each) or plan.topic,
            cells=tuple(_cell(by_place.get((company, period, part)), best, marks) for part in parts),
        )
        for company, period in labels
    )
    return Table(columns=parts, rows=rows)


def _cell(cell: SubQuestion | None, best: Mapping[str, SearchContent], marks: _Marks) -> Cell:
    found = best.get(cell.key) if cell is not None else None
    if cell is None or found is None or not found.is_answered:
        return Cell(text="not found")
    cited = tuple(dict.fromkeys(marks.of(each, found) for each in found.answer.citations))
    numbers = _figures_of_period(found.answer, cell.period)
    # Which of several figures is meant is not guessed: the section has them all.
    return Cell(text=numbers[0] if len(numbers) == 1 else "see the text", marks=cited)


def _figures_of_period(answer: Answer, period: str) -> tuple[str, ...]:
    """Return what an answer states of a period: its one row's figure under the heading of that year, else its numbers.

    A calculation states its operands as well, and a sentence may be of another year; neither is taken.
    """
    rows = [citation.row for citation in answer.citations if citation.row is not None]
    if not rows:
        said = years_of(_REF.sub("", answer.text))
        year = _A_YEAR.search(period)
        return () if year and said and said != {int(year.group())} else _numbers(answer.text)
    fiscal_year = _FISCAL_YEAR.fullmatch(period)
    if fiscal_year is None or len(rows) != 1 or "=" in answer.text:
        return ()
    (row,) = rows
    found = (
        f"{cell.value} ({row.caption})" if row.caption else cell.value
        for cell in row.cells
        if _WHOLE_YEAR.fullmatch(cell.column.strip()) and years_of(cell.column) == {int(fiscal_year[1])}
    )
    return tuple(dict.fromkeys(found))


def _numbers(text: str) -> tuple[str, ...]:
    bare = _REF.sub("", text)
    found = (each.group().strip(" .,") for each in _NUMBER.finditer(bare))
    return tuple(dict.fromkeys(each for each in found if not _YEAR.match(each)))
