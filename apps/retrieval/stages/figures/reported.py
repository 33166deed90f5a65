"""Check whether a row or sentence of a report gives the very figure that a question asks for.

A report is full of numbers that are near to one asked for: of another measure, year or part of the group, in per cent
instead of an amount. A row counts if the question names it (calculating/matching.py) and its facts are of the time
asked for. A sentence counts if it states a number beside the measure's name, and nothing in it says that the number is
another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.numbers import Number, NumberUnit, read_numbers
from apps.filings.vocabulary.concepts import find_in_text
from apps.retrieval.contracts import AnswerKind, ContextBlock, DocumentFacts, Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.answerable import COUNT_WORD, Lack, is_of_company, is_of_period
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm, Form
from apps.retrieval.stages.figures.calculating.asked_names import Names, asked_names
from apps.retrieval.stages.figures.calculating.form_words import GROUPS, MONEY_ASKED
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.figures.calculating.matching import find_series
from apps.retrieval.stages.figures.calculating.quarters import asked_quarter
from apps.retrieval.stages.figures.calculating.row_words import is_expected
from apps.retrieval.stages.figures.calculating.series import read_series
from apps.retrieval.stages.figures.calculating.shares import names_an_amount
from apps.retrieval.stages.figures.in_passages import PER_SHARE, read_piece
from apps.retrieval.stages.figures.lines import row_label
from apps.retrieval.stages.figures.periods import claimed_years, span_of
from apps.retrieval.stages.figures.phrases import PhraseText, Span, figures_beside, phrases_of
from apps.retrieval.stages.question.answer_kind import read_answer_kind
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_GIVEN_AS: Final = (AnswerKind.NUMBER, AnswerKind.TEXT, AnswerKind.DEFINITION, AnswerKind.LIST)
_PART: Final = re.compile(
    r"\b(?:segments?|divisions?|reporting\s+units?|business\s+(?:units?|lines?|areas?)|subsidiar(?:y|ies)|regions?"
    r"|segmente?n?s?|gesch\u00e4ftsbereiche?n?s?|sparten?|tochter\w*)\b",
    re.IGNORECASE,
)
# "How many centres did it run": what is counted, without what was done with it.
_COUNTED: Final = re.compile(
    r"\b(?:how\s+(?:many|much)|wie\s*viele?n?)\s+(?P<what>.+?)\s+(?:did|do|does|has|have|had|was|were|is|are|hat|haben|hatten?"
    r"|ist|sind|war|waren|gab|gibt|besitzt|betreibt|beschäftigt|beschäftigte)\b",
    re.IGNORECASE,
)
_WHAT_IS_SAID: Final = re.compile(
    r"\b(?:say|says|said|tells?|sagt|steht|schreibt)\s+(?:\w+\s+)?(?:about|on|\u00fcber|zu)\b", re.IGNORECASE
)
_OF_THE_GROUP: Final = re.compile(
    r"\b(?:consolidated|total|group|company-?wide|firm-?wide|overall|konzern\w*|gesamt\w*|insgesamt)\b", re.IGNORECASE
)
_TO_COME: Final = re.compile(
    r"\b(?:expects?|anticipates?|intends?|plans?\s+to|will|outlook|guidance|erwarten?|wird|werden|rechnen\s+(?:wir\s+)?mit)\b",
    re.IGNORECASE,
)
_NEAR: Final = Decimal("0.005")
_YEAR: Final = frozenset({"year"})
_QUARTER: Final = frozenset({"quarter"})


class AskedOfReports:
    """What a question asks of reports: a figure of a period, which only that figure answers.

    Args: context: its rows are read once, for all pieces.
    """

    def __init__(self, analysis: QueryAnalysis, context: ContextBlock) -> None:
        self._analysis = analysis
        self._forms = read_forms(analysis) if asks_for_a_figure_of_a_period(analysis) else ()
        self._context = context
        self._years = frozenset(self._forms[0].years) if self._forms else frozenset[int]()
        self._series = read_series(context, analysis) if self._forms else ()
        self._rows = frozenset(self._find_rows()) if self._forms else frozenset[tuple[str, int]]()

    def lack_of(self, piece: Quote, passage: Passage) -> Lack | None:
        """Return what a piece of a report lacks to be the figure; None if nothing, or if none is asked for."""
        if not self._forms or passage.chunk.document.fiscal_year is None:
            return None
        if read_piece(passage, piece) is not None:
            place = (passage.ref_id, piece.start)
            is_named = place in self._rows or (place not in self._read and self._is_called_so(piece))
            return None if is_named else Lack.FIGURE
        lack, stated = self._read_sentence(piece.text, passage)
        if lack is None and stated and not self._is_of_the_whole(piece.text, stated, passage):
            return Lack.PART
        return lack

    @cached_property
    def _read(self) -> frozenset[tuple[str, int]]:
        """The rows that were read, with their columns."""
        return frozenset((each.passage.ref_id, each.quote.start) for each in self._series)

    def _is_called_so(self, piece: Quote) -> bool:
        """Return whether a row that no table could be read from is called by all that is asked for."""
        label = frozenset(terms(row_label(piece.text), self._analysis.language))
        return bool(self._words) and all(any(name <= label for name in names) for names in self._words)

    def _find_rows(self) -> Iterator[tuple[str, int]]:
        """Yield the rows that the question names best."""
        found = find_series(self._analysis.text, self._analysis, self._series)
        for each in found:
            if each.score == found[0].score and self._years <= each.series.by_year.keys():
                yield each.series.passage.ref_id, each.series.quote.start

    def _is_of_the_whole(self, text: str, stated: Sequence[Number], passage: Passage) -> bool:
        """Return whether no sentence of the document gives another figure of that name, or this one is the group's."""
        beside = [(other, numbers[:1]) for other, numbers, of in self._sentences if of == passage.chunk.document]
        of_the_group = [numbers for other, numbers in beside if _OF_THE_GROUP.search(other)]
        others = [each for numbers in of_the_group or [numbers for _, numbers in beside] for each in numbers]
        if of_the_group and not _OF_THE_GROUP.search(text):
            return any(_is_near(one, other) for one in stated for other in others)
        return all(any(_is_near(one, other) for one in stated) for other in others)

    @cached_property
    def _sentences(self) -> tuple[tuple[str, tuple[Number, ...], DocumentFacts], ...]:
        """The sentences of all passages that may give the figure, each with its figures."""
        read = (
            (piece.text, self._read_sentence(piece.text, passage), passage.chunk.document)
            for passage in self._context.passages
            if passage.chunk.document.fiscal_year is not None and is_of_company(passage, self._analysis)
            for piece in quotable_pieces(passage)
            if read_piece(passage, piece) is None and is_of_period(piece, passage, self._analysis)
        )
        return tuple((text, stated, document) for text, (lack, stated), document in read if lack is None)

    def _read_sentence(self, text: str, passage: Passage) -> tuple[Lack | None, tuple[Number, ...]]:
        """Return what a sentence lacks to be the answer, and the figures that it gives."""
        spans = self._named_in(text, passage)
        if spans is None:
            return None, ()
        if not spans:
            return Lack.FIGURE, ()
        asked, language = self._forms[0], passage.chunk.language
        stated = [
            number
            for start, end in spans
            for number in figures_beside(
                text,
                start,
                end,
                change_asked=asked.form is Form.CHANGE,
                language=language,
                loosely=not self._is_known,
            )
        ]
        if not stated:
            return (None if COUNT_WORD.search(text) and not self._is_known else Lack.NUMBER), ()
        if _is_to_come(text) and not _is_to_come(self._analysis.text):
            return Lack.PERIOD, ()
        if not _is_of_span(text, self._analysis):
            return Lack.PERIOD, ()
        numbers = read_numbers(text, language)
        of_document = frozenset({passage.chunk.document.fiscal_year or 0})
        stated = [
            each
            for each in stated
            if not (years := claimed_years(text, numbers, each, of_document)) or years & self._years
        ]
        if not stated:
            return Lack.PERIOD, ()
        if _PART.search(text) and not GROUPS.search(self._analysis.text):
            return Lack.PART, ()
        of_kind = tuple(each for each in stated if _is_of_kind(each, asked, self._analysis))
        return (None if of_kind else Lack.KIND), of_kind

    @cached_property
    def _asked_concepts(self) -> frozenset[str]:
        return frozenset(each.concept.name for each in find_in_text(self._analysis.text))

    @property
    def _is_known(self) -> bool:
        """Whether what is asked for is a figure of the glossary or of the vocabulary."""
        return bool(self._analysis.figures or self._asked_concepts)

    @cached_property
    def _words(self) -> tuple[Names, ...]:
        """What the question names, each by its names."""
        counted = _COUNTED.search(self._analysis.text)
        text = counted["what"] if counted else self._analysis.text
        return tuple(names for names, _ in asked_names(text, self._analysis, self._series))

    def _named_in(self, text: str, passage: Passage) -> list[Span] | None:
        """Return where a sentence names what is asked for; None if the question names nothing.

        Of what is neither in the glossary nor in the vocabulary, all names must stand in the passage, and one of them
        in the sentence.
        """
        analysis = self._analysis
        found = PhraseText(text, analysis.language)
        if analysis.figures:
            return [span for figure in analysis.figures for span in phrases_of(figure, found, analysis)]
        if self._asked_concepts:
            return [
                (each.start, each.end)
                for each in find_in_text(text)
                if each.concept.name in self._asked_concepts
                or (PER_SHARE.search(text) and f"{each.concept.name} per share" in self._asked_concepts)
            ]
        if not self._words:
            return None
        held = {term for term, _, _ in found.terms}
        around = held.union(
            terms(passage.chunk.text, analysis.language), terms(passage.chunk.section, analysis.language)
        )
        if not all(any(name <= around for name in names) for names in self._words):
            return []
        own = frozenset[str]().union(*(name for names in self._words for name in names if name <= held))
        return [(start, end) for term, start, end in found.terms if term in own]


def asks_for_a_figure_of_a_period(analysis: QueryAnalysis) -> bool:
    """Return whether only a figure of a year or quarter that the question names can answer it."""
    kind = read_answer_kind(analysis.text, wants_number=analysis.wants_number, language=analysis.language)
    asks = kind is AnswerKind.NUMBER or (analysis.wants_number and kind in _GIVEN_AS)
    return asks and bool(analysis.periods) and not _WHAT_IS_SAID.search(analysis.text)


def _is_to_come(text: str) -> bool:
    return is_expected(text) or _TO_COME.search(text) is not None


def _is_near(one: Number, other: Number) -> bool:
    """Return whether two figures may be one, of which one is rounded."""
    first, second = one.scaled, other.scaled
    step = max(Decimal(1).scaleb(each.exponent - each.decimals) for each in (one, other))
    return one.unit is other.unit and abs(first - second) <= max(step / 2, _NEAR * max(first, second))


def _is_of_span(text: str, analysis: QueryAnalysis) -> bool:
    """Return whether the times that a sentence names are as long as the one asked for; True if it names none."""
    spans = span_of(text)
    asked = span_of(analysis.text) or (_QUARTER if asked_quarter(analysis) else _YEAR)
    return not spans or bool(spans & asked)


def _is_of_kind(number: Number, asked: AskedForm, analysis: QueryAnalysis) -> bool:
    """Return whether a number is an amount or in per cent, as is asked for."""
    is_share = number.unit is not NumberUnit.PLAIN
    if asked.percent:
        return is_share
    if asked.exponent is not None or MONEY_ASKED.search(analysis.text):
        return not is_share
    return not is_share or asked.form is not Form.VALUE or not names_an_amount(analysis)
