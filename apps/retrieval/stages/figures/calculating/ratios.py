"""A measure that is calculated from lines of the statements (an operating margin), as a figure a year."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.numbers import NumberUnit
from apps.filings.vocabulary.concepts import Period, concepts
from apps.retrieval.contracts import Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.calculating.qualifiers import qualifiers_in
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.formulas import lines_of, work_out
from apps.retrieval.stages.figures.line_items import ITEMS
from apps.retrieval.stages.figures.lines import label_distance
from apps.retrieval.stages.figures.measures import MEASURES, SPENT, Measure, Result

_CALLED_SO: Final = (0, 0, 0, False)
_PLACES: Final = {Result.RATIO: 2, Result.PERCENT: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedRatio:
    """A measure in one year.

    value: in per cent where it is a share. text: the calculation without its result. exponent: the scale of an amount,
    if it is stated.
    """

    value: Decimal
    percent: bool
    text: str
    exponent: int | None = None
    rows: tuple[tuple[Quote, Passage], ...]
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A measure with the rows of its lines. label: as the question names it."""

    label: str
    measure: Measure
    lines: dict[str, Series]

    @property
    def percent(self) -> bool:
        return self.measure.result is Result.PERCENT

    @property
    def company(self) -> str:
        return next(iter(self.lines.values())).passage.chunk.document.company

    @property
    def years(self) -> tuple[int, ...]:
        held = {year for each in self.lines.values() for year in each.by_year}
        return tuple(sorted(year for year in held if self.of(year) is not None))

    def of(self, year: int) -> WorkedRatio | None:
        """Return the measure in a year; None if a line does not give that year."""
        used: dict[str, Series] = {}

        def look_up(name: str, of: int) -> Decimal | None:
            figure = self.lines[name].by_year.get(of)
            used[name] = self.lines[name]
            # A row in brackets is an outflow, or else a loss, of which a share means nothing.
            return None if figure is None or (figure.number.negative and name not in SPENT) else figure.number.value

        worked = work_out(self.measure.formula, year=year, figure=look_up)
        if worked is None:
            return None
        value = worked.value * 100 if self.percent else worked.value
        places = _PLACES.get(self.measure.result)
        if places is not None:
            value = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        return WorkedRatio(
            value=value,
            percent=self.percent,
            text=worked.text,
            rows=tuple((each.quote, each.passage) for each in used.values()),
            refs=tuple(dict.fromkeys(each.passage.ref_id for each in used.values())),
        )


def asked_ratio(part: str, series: Sequence[Series], analysis: QueryAnalysis) -> Ratio | None:
    """Return the measure that a part of the question names, if every line of its formula has one row."""
    # Only some lines of an adjusted measure would be adjusted, and the question does not say which.
    if qualifiers_in(part):
        return None
    plain = [each for each in series if not each.qualifiers]
    said = frozenset(terms(part, analysis.language))
    for expansion in analysis.expansions:
        if not frozenset(terms(expansion.trigger, analysis.language)) <= said:
            continue
        for measure in MEASURES.get(expansion.label, ()):
            lines = {each.name: _row_of(each.name, plain, analysis.language) for each in lines_of(measure.formula)}
            found = {name: each for name, each in lines.items() if each is not None}
            # Figures of different scales would need a conversion that the calculation does not show.
            scales = {figure.stated.exponent for each in found.values() for figure in list(each.by_year.values())[:1]}
            if found and len(found) == len(lines) and len(scales) == 1:
                return Ratio(label=expansion.trigger, measure=measure, lines=found)
    return None


def _of_concept(name: str, series: Sequence[Series]) -> list[Series]:
    """Return the rows that are called by a concept's name, or else those that are called by no other concept's.

    What a cash flow statement gives under the name of a balance is its change.
    """
    concept = concepts()[name]
    if concept.period is Period.INSTANT and "cash" not in name:
        series = [each for each in series if not each.of_cash_flows]
    own = [each for each in series if name in each.concepts]
    allowed = frozenset((name, *concept.parts))
    return own or [each for each in series if not each.concepts or not allowed.isdisjoint(each.concepts)]


def _row_of(name: str, series: Sequence[Series], language: str) -> Series | None:
    """Return the row that comes nearest to a line of the statements; None if several come as near and differ."""
    item = ITEMS[name]
    near: list[tuple[tuple[int | bool, ...], Series]] = []
    for each in _of_concept(name, series):
        distance = _CALLED_SO if name in each.concepts else label_distance(item, each.label, language)
        if distance is not None and each.unit is NumberUnit.PLAIN and not each.per_share:
            near.append((distance, each))
    if not near:
        return None
    least = min(distance for distance, _ in near)
    best = [each for distance, each in near if distance == least]
    longest = max(best, key=lambda each: len(each.by_year))
    for each in best:
        for year, figure in each.by_year.items():
            other = longest.by_year.get(year)
            if other is not None and other.number.value != figure.number.value:
                return None
    return longest
