"""Work out what a sentence or its question names by formula: a measure, or one row as a share of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from apps.filings.text.bindings import years_of
from apps.filings.text.numbers import Number, NumberUnit
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.stages.figures.calculations import comes_out
from apps.retrieval.stages.figures.formulas import work_out
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.measure_table import MEASURES
from apps.retrieval.stages.figures.periods import claimed_years, is_from
from apps.retrieval.stages.grounding.evidence import Result, rows_named
from apps.retrieval.stages.grounding.labels import measure_words, measures_in
from apps.retrieval.stages.grounding.moving_words import calculated_terms, moving_terms
from apps.retrieval.stages.grounding.pairs import time_of
from apps.retrieval.stages.grounding.spoken import Bound, Spoken, reference_years
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms

_RELATIVE: Final = re.compile(
    r"\b(?:relative\s+to|times|(?:share|percentage|proportion)\s+of|as\s+an?\s+(?:share|percentage|proportion)\s+of|divided\s+by|in\s+relation\s+to|per\s?cent\s+of|%\s+of"
    r"|im\s+verh\u00e4ltnis\s+zu[rm]?|geteilt\s+durch|gemessen\s+an)\b|%\s+of\b",
    re.IGNORECASE,
)
_SHARE: Final = re.compile(
    r"\b(?:ratio|share|proportion|margin|percentage|percent\s+of|per\s+cent\s+of|makes?|made\s+up|times|quote|anteil|marge)\b|%\s+of\b",
    re.IGNORECASE,
)
_SUM: Final = re.compile(r"\b(?:add(?:s|ed)?\s+up|sums?|together|combined|in\s+total|summe|zusammen)\b", re.IGNORECASE)
_MEAN: Final = re.compile(r"\b(?:average|mean|durchschnitt)\b", re.IGNORECASE)
_BY_ITS_FORMULA: Final = "calculated by its formula"

Time = tuple[int, int]
Lines = dict[str, tuple[Figure, ...]]


def by_formula(number: Number, spoken: Spoken, bound: Sequence[Bound]) -> tuple[Bound, Result] | None:
    """Return a figure as bound if a formula that is named gives it; None if none is named, or gives another figure.

    The sentence names the formula, or else, if it names nothing, the question. No other formula is tried.
    """
    language = spoken.evidence.analysis.language
    said = frozenset(word_terms(blank_places(spoken.text), language))
    telling = said - plain_terms(language) - moving_terms(language) - calculated_terms(language)
    around = frozenset[str]().union(*(spoken.evidence.sources.around(each) for each in spoken.evidence.passages))
    texts = [spoken.text] if telling - around else [spoken.text, spoken.evidence.analysis.text]
    for text in texts:
        for value, operands, words in (*_values(text, number, spoken), *_of_each_other(text, bound)):
            if _gives(number, value, operands):
                ref_id = operands[0].ref_id
                found = Bound(number=number, supported=True, note=_BY_ITS_FORMULA, ref_id=ref_id)
                return found, Result(number=number, operands=operands, words=words, ref_id=ref_id)
    return None


def _gives(number: Number, value: Decimal, operands: tuple[Figure, ...]) -> bool:
    if number.unit in (NumberUnit.POINTS, NumberUnit.BASIS_POINTS):
        return False
    if number.unit is NumberUnit.PERCENT:
        value *= 100
    if comes_out(value, (), replace(number, unit=NumberUnit.PLAIN)):
        return True
    scales = {exponent for each in operands for exponent in (each.stated.exponent or 0, each.number.exponent)}
    return number.unit is NumberUnit.PLAIN and any(comes_out(value.scaleb(each), (), number) for each in scales)


def _values(text: str, number: Number, spoken: Spoken) -> Iterator[tuple[Decimal, tuple[Figure, ...], frozenset[str]]]:
    """Yield the values of the formulas that a text names, with the figures from which they follow."""
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    said = frozenset(word_terms(blank_places(text), language))
    times = _times(number, spoken)
    lines = _lines(spoken)
    for measure in measures_in(said, language):
        for formula in MEASURES.get(measure, ()):
            for time in times:
                used: list[Figure] = []

                def look_up(
                    name: str, year: int, time: Time = time, used: list[Figure] = used, lines: Lines = lines
                ) -> Decimal | None:
                    at = (year, time[1])
                    figure = next((each for each in lines.get(name, ()) if time_of(each) == at), None)
                    if figure is not None:
                        used.append(figure)
                    return None if figure is None else figure.number.value

                worked = work_out(formula.formula, year=time[0], figure=look_up)
                if worked is not None and used:
                    yield worked.value, tuple(used), measure_words([measure], language)
    if (found := _RELATIVE.search(text)) is not None:
        parts = [frozenset(word_terms(each, language)) for each in (text[: found.start()], text[found.end() :])]
        above, below = (rows_named(evidence, each) for each in parts)
        for time in times:
            for one in above:
                for other in below:
                    pair = [next((each for each in row if time_of(each) == time), None) for row in (one, other)]
                    first, second = pair
                    if first and second and first is not second and second.number.value:
                        yield first.number.value / second.number.value, (first, second), frozenset()


def _lines(spoken: Spoken) -> dict[str, tuple[Figure, ...]]:
    """Return the rows of the glossary's lines. Of several rows of one line, none is chosen."""
    found: dict[str, list[tuple[Figure, ...]]] = {}
    for row in spoken.evidence.rows:
        for item in spoken.evidence.sources.label(row[0]).items:
            found.setdefault(item, []).append(row)
    return {item: rows[0] for item, rows in found.items() if len(rows) == 1}


def _of_each_other(text: str, bound: Sequence[Bound]) -> Iterator[tuple[Decimal, tuple[Figure, ...], frozenset[str]]]:
    """Yield one figure of a sentence as a share of the other, if it gives two and speaks of a share."""
    cells = [each.figure for each in bound if each.figure is not None]
    if len(cells) > 1 and (_SUM.search(text) or _MEAN.search(text)):
        total = sum((-each.number.scaled if each.number.negative else each.number.scaled for each in cells), Decimal(0))
        yield (total / len(cells) if _MEAN.search(text) else total), tuple(cells), frozenset()
    if len(cells) == 2 and _SHARE.search(text):
        for one, other in (cells, reversed(cells)):
            if other.number.value:
                yield one.number.scaled / other.number.scaled, (one, other), frozenset()


def _times(number: Number, spoken: Spoken) -> list[Time]:
    """Return the years and quarters of a figure: as the sentence names them, or else the question, or as is meant."""
    own = claimed_years(spoken.text, spoken.numbers, number, reference_years(spoken))
    before = is_from(spoken.text, number) and not own
    for text in (spoken.text, spoken.evidence.analysis.text):
        periods = [each.period for each in read_period_mentions(text).named]
        times = [(each.fiscal_year, each.fiscal_quarter) for each in periods] or [(year, 0) for year in years_of(text)]
        if before:
            times = [(year - 1, quarter) for year, quarter in times]
        if own and any(year in own for year, _ in times):
            times = [(year, quarter) for year, quarter in times if year in own]
        elif own:
            times = [(year, quarter) for year in own for _, quarter in times[:1]]
        if times:
            return sorted(times, reverse=True)
    years = own or reference_years(spoken)
    quarters = {each.chunk.document.fiscal_quarter or 0 for each in spoken.evidence.passages}
    return [(year - before, quarter) for year in sorted(years, reverse=True) for quarter in quarters]
