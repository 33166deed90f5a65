"""Calculations over rows in one year: a share, a difference, a sum, the largest or smallest row of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm, Form
from apps.retrieval.stages.figures.calculating.asked_names import asked_names, with_one_measure
from apps.retrieval.stages.figures.calculating.matching import find_named_rows, find_tables
from apps.retrieval.stages.figures.calculating.operands import (
    Calculated,
    Operand,
    TimeSeries,
    find_pair,
    find_share,
    find_time_series,
    operand_of,
    percent,
    rounded,
    show,
)
from apps.retrieval.stages.figures.calculating.row_words import is_total, names_a_result
from apps.retrieval.stages.figures.calculating.scales import say_in_scale
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.calculating.sums import find_operand
from apps.retrieval.stages.figures.calculating.wording import Wording, wording_for

_FEWEST_ROWS: Final = 2
_FEWEST_YEARS: Final = 2
_OF_WHICH: Final = re.compile(r"\W*(?:(?:of|from)\s+which|thereof|including|davon|darunter|hiervon)\b", re.IGNORECASE)


def share(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return one row as a share of another, or of the total of its table."""
    pair = find_part_and_whole(asked, series, analysis)
    if pair is None or pair[0].value < 0 or pair[1].value <= 0 or pair[0].percent or pair[1].percent:
        return None
    one, other = pair
    words = wording_for(analysis)
    line = words.share.format(
        name=one.name,
        whole=other.name,
        year=words.year.format(year=one.year),
        sum=f"{one.text} / {other.text} = {percent(one.value / other.value)}",
    )
    return show([line], pair)


def find_part_and_whole(
    asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis
) -> tuple[Operand, Operand] | None:
    """Return the two figures of a share, of one year; either may be a sum of several rows."""
    part, whole = asked.parts
    all_series = find_share(part, whole, series, analysis) or _find_each(part, whole, series, analysis)
    return _in_one_year(asked, *all_series) if all_series else None


def _find_each(
    one: str, two: str, series: Sequence[Series], analysis: QueryAnalysis
) -> tuple[TimeSeries, TimeSeries] | None:
    first, second = (find_operand(each, series, analysis) for each in (one, two))
    return (first, second) if first and second and first.label != second.label else None


def difference(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return by how much one row exceeds another."""
    pair = _find_two(asked, series, analysis)
    if pair is None:
        return None
    one, other = pair
    words = wording_for(analysis)
    year = words.year.format(year=one.year)
    if other.value > one.value and not asked.in_order:
        one, other = other, one
    exceeds = f"{one.value - other.value:,}"
    shown = f"{one.text} - {other.text} = {words.points.format(value=exceeds) if one.percent else exceeds}"
    line = words.less.format(name=one.name, other=other.name, year=year, sum=shown)
    return show([line, *say_in_scale(one.value - other.value, one, asked, words)], pair)


def _find_two(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> tuple[Operand, Operand] | None:
    """Return the two figures that are compared; what only one part calls them counts for both, and is tried first."""
    one, two = asked.parts
    pairs = [(one, two)]
    # "2023 less 2022" names no second figure.
    if asked_names(one, analysis, series) and asked_names(two, analysis, series):
        pairs.insert(0, with_one_measure(one, two))
    for first, second in dict.fromkeys(pairs):
        all_series = find_pair(first, second, series, analysis) or _find_each(first, second, series, analysis)
        pair = _in_one_year(asked, *all_series) if all_series else None
        if pair is not None and pair[0].percent is pair[1].percent:
            return pair
    return None


def comparison(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return whether one row is larger or smaller than another, as the question supposes."""
    pair = _find_two(asked, series, analysis)
    if pair is None or asked.rises is None:
        return None
    one, other = pair
    words = wording_for(analysis)
    is_so = one.value != other.value and (one.value > other.value) is asked.rises
    said = words.beside.format(
        name=one.name, value=one.text, other=other.name, least=other.text, year=words.year.format(year=one.year)
    )
    difference = words.less.format(
        name=one.name,
        other=other.name,
        year=words.year.format(year=one.year),
        sum=f"{one.text} - {other.text} = {one.value - other.value:,}",
    )
    return show([(words.yes if is_so else words.no).format(said=said), difference], pair)


def sign(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return whether a result is positive or negative, as the question supposes: "is it profitable?"."""
    results = [each for each in series if names_a_result(f"{each.label}\n{each.heading}\n{each.title}")]
    time_series = find_time_series(asked.parts[0], results, analysis)
    year = asked.years[-1] if asked.years else max(time_series.years, default=0) if time_series else 0
    figure = time_series.of(year) if time_series else None
    return say_sign(asked, figure, analysis) if figure else None


def say_sign(asked: AskedForm, figure: Operand, analysis: QueryAnalysis) -> Calculated | None:
    """Return whether a figure is positive or negative, as the question supposes."""
    if asked.rises is None or figure.percent:
        return None
    words = wording_for(analysis)
    is_so = figure.value != 0 and (figure.value > 0) is asked.rises
    said = words.stands.format(name=figure.name, value=figure.text, year=words.year.format(year=figure.year))
    return show([(words.yes if is_so else words.no).format(said=said)], [figure])


def sum_of_rows(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the sum of rows of one table that a question names one by one: "A and B combined"."""
    named = find_named_rows(analysis.text, series, analysis)
    year = asked.years[-1] if asked.years else max((year for each in named for year in each.by_year), default=0)
    found = [each for each in (operand_of(row, year) for row in named) if each is not None]
    if len(found) < _FEWEST_ROWS or len(found) < len(named):
        return None
    words = wording_for(analysis)
    total = sum((each.value for each in found), Decimal(0))
    line = words.rows.format(
        rows=", ".join(each.name for each in found),
        year=words.year.format(year=year),
        sum=f"{' + '.join(each.text for each in found)} = {total:,}{' %' if found[0].percent else ''}",
    )
    return show([line], found)


def ratio(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return a ratio by the definition that the question brings: a / c, (a - b) / c or (a + b) / c."""
    all_series = [find_operand(part, series, analysis) for part in asked.parts]
    held = [time_series for time_series in all_series if time_series is not None]
    if len(held) < len(asked.parts):
        return None
    year = asked.years[-1] if asked.years else max(set.intersection(*(set(each.years) for each in held)), default=0)
    operands = [each for each in (time_series.of(year) for time_series in held) if each is not None]
    if len(operands) < len(held) or len({each.exponent for each in operands}) > 1 or not operands[-1].value:
        return None
    *above, below = operands
    sign = "+" if asked.adds else "-"
    top = above[0].value if len(above) == 1 else above[0].value + (1 if asked.adds else -1) * above[1].value
    shown = above[0].text if len(above) == 1 else f"({above[0].text} {sign} {above[1].text})"
    value = top / below.value
    result = percent(value) if asked.percent else f"{rounded(value, 2 if asked.places is None else asked.places):,}"
    words = wording_for(analysis)
    line = words.rows.format(
        rows=", ".join(dict.fromkeys(each.name for each in operands)),
        year=words.year.format(year=year),
        sum=f"{shown} / {below.text} = {result}",
    )
    return show([line], operands)


def extreme_row(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the row of a table with the highest or lowest figure, or with the highest or lowest change in per cent."""
    words = wording_for(analysis)
    for table in find_tables(asked.parts[0], analysis, series):
        rows = _without_sums([each for each in table if not is_total(each.label) and not _OF_WHICH.match(each.label)])
        year = asked.years[-1] if asked.years else max((year for each in rows for year in each.by_year), default=0)
        before = asked.years[0] if len(asked.years) > 1 else year - 1
        signed = _is_signed(table)
        found = [each for each in (operand_of(row, year, signed=signed) for row in rows) if each is not None]
        if len(found) < _FEWEST_ROWS:
            continue
        if not asked.of_change:
            return _show_extreme(asked, found, words)
        earlier = {row.label: operand_of(row, before, signed=signed) for row in rows}
        pairs = [(each, earlier.get(each.label)) for each in found]
        grown = [(each, prior) for each, prior in pairs if prior is not None and prior.value > 0]
        if len(grown) == len(pairs) and not any(each.percent for each in found):
            return _show_growth(asked, grown, words)
    return None


def _is_signed(table: Sequence[Series]) -> bool:
    """Return whether negative figures of a table are losses, and not costs that are printed in brackets throughout."""
    signs = {figure.number.negative for each in table for figure in each.by_year.values()}
    return len(signs) > 1 or names_a_result(f"{table[0].title}\n{table[0].heading}")


def _show_extreme(asked: AskedForm, found: Sequence[Operand], words: Wording) -> Calculated | None:
    best, *others = sorted(found, key=lambda each: each.value, reverse=asked.form is Form.HIGHEST)
    if others[0].value == best.value:
        return None
    template = words.highest_row if asked.form is Form.HIGHEST else words.lowest_row
    rest = "; ".join(f"{each.name}: {each.printed}" for each in others)
    year = words.year.format(year=best.year)
    return show([template.format(name=best.name, year=year, value=best.printed, others=rest)], found)


def _show_growth(asked: AskedForm, grown: Sequence[tuple[Operand, Operand]], words: Wording) -> Calculated | None:
    rates = [(after.value - before.value) / before.value for after, before in grown]
    order = sorted(zip(grown, rates, strict=True), key=lambda each: each[1], reverse=asked.form is Form.HIGHEST)
    if order[0][1] == order[1][1]:
        return None
    lines = [
        f"{after.name}, {words.span.format(first=before.year, last=after.year)}: "
        f"({after.text} - {before.text}) / {before.text} = {percent(rate)}"
        for (after, before), rate in order
    ]
    return show(lines, [each for pair in grown for each in pair])


def _without_sums(rows: Sequence[Series]) -> list[Series]:
    """Leave out rows that are in every year the sum of all others, or of some right before or after them."""
    return [each for number, each in enumerate(rows) if not _is_sum(each, rows[:number], rows[number + 1 :])]


def _is_sum(row: Series, before: Sequence[Series], after: Sequence[Series]) -> bool:
    runs = [before[-count:] for count in range(_FEWEST_ROWS, len(before) + 1)]
    runs += [after[:count] for count in range(_FEWEST_ROWS, len(after) + 1)]
    if len(before) + len(after) >= _FEWEST_ROWS:
        runs.append([*before, *after])
    # In one year alone, three figures may add up by chance.
    return len(row.by_year) >= _FEWEST_YEARS and any(_adds_up(row, run) for run in runs)


def _adds_up(row: Series, parts: Sequence[Series]) -> bool:
    return all(
        all(year in each.by_year for each in parts)
        and sum((_signed(each, year) for each in parts), Decimal(0)) == _signed(row, year)
        for year in row.by_year
    )


def _signed(row: Series, year: int) -> Decimal:
    number = row.by_year[year].number
    return -number.value if number.negative else number.value


def _in_one_year(asked: AskedForm, first: TimeSeries, second: TimeSeries) -> tuple[Operand, Operand] | None:
    year = asked.years[-1] if asked.years else max(set(first.years) & set(second.years), default=0)
    one, other = first.of(year), second.of(year)
    return (one, other) if one and other and one.exponent == other.exponent else None
