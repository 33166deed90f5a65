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
from apps.retrieval.stages.figures.measure_table import MEASURES, SPENT, Measure, Result

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
    """A measure with the rows of each of its lines, which agree where they give the same year.

    label: as the question names it.
    """

    label: str
    measure: Measure
    lines: dict[str, list[Series]]

    @property
    def percent(self) -> bool:
        return self.measure.result is Result.PERCENT

    @property
    def company(self) -> str:
        return next(iter(self.lines.values()))[0].passage.chunk.document.company

    @property
    def years(self) -> tuple[int, ...]:
        held = {year for rows in self.lines.values() for each in rows for year in each.by_year}
        return tuple(sorted(year for year in held if self.of(year) is not None))

    def of(self, year: int) -> WorkedRatio | None:
        """Return the measure in a year; None if a line does not give that year."""
        used: dict[str, Series] = {}
        scales: set[int | None] = set()

        def look_up(name: str, of: int) -> Decimal | None:
            row = next((each for each in self.lines[name] if of in each.by_year), None)
            if row is None:
                return None
            figure = row.by_year[of]
            used[f"{name}@{of}"] = row
            scales.add(figure.stated.exponent)
            # A row in brackets is an outflow, or else a loss, of which a share means nothing.
            costs = name in SPENT or row.is_outflow
            return None if figure.number.negative and not costs else figure.number.value

        worked = work_out(self.measure.formula, year=year, figure=look_up)
        # Figures of different scales would need a conversion that the calculation does not show.
        if worked is None or len(scales) > 1:
            return None
        value = worked.value * 100 if self.percent else worked.value
        places = _PLACES.get(self.measure.result)
        if places is not None:
            value = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        return WorkedRatio(
            value=value,
            percent=self.percent,
            text=worked.text,
            rows=tuple({each.quote: each.passage for each in used.values()}.items()),
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
            lines = {each.name: _rows_of(each.name, plain, analysis.language) for each in lines_of(measure.formula)}
            if lines and all(lines.values()):
                return Ratio(label=expansion.trigger, measure=measure, lines=lines)
    return None


def _of_concept(name: str, series: Sequence[Series]) -> list[Series]:
    """Return the rows that are called by a concept's name, or else those that are called by no other concept's.

    What a cash flow statement gives under the name of a balance is its change.
    """
    concept = concepts()[name]
    if concept.period is Period.INSTANT and "cash" not in name:
        series = [each for each in series if not each.of_cash_flows]
    own = [each for each in series if name in each.concepts]
    # A part of a total is not the total.
    allowed = frozenset((name,) if name.startswith("total ") else (name, *concept.parts))
    return own or [each for each in series if not each.concepts or not allowed.isdisjoint(each.concepts)]


def _rows_of(name: str, series: Sequence[Series], language: str) -> list[Series]:
    """Return the rows that come nearest to a line of the statements; none if some come as near and differ in a year."""
    item = ITEMS.get(name)
    near: list[tuple[tuple[int | bool, ...], Series]] = []
    for each in _of_concept(name, series):
        called_so = name in each.concepts
        distance = _CALLED_SO if called_so else label_distance(item, each.label, language) if item else None
        if distance is not None and each.unit is NumberUnit.PLAIN and not each.per_share:
            near.append((distance, each))
    if not near:
        return []
    least = min(distance for distance, _ in near)
    best = sorted((each for distance, each in near if distance == least), key=lambda each: -len(each.by_year))
    values: dict[int, Decimal] = {}
    for each in best:
        for year, figure in each.by_year.items():
            if values.setdefault(year, figure.number.value) != figure.number.value:
                return []
    return best
