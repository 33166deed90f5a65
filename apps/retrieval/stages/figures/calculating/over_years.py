"""Calculations over the years of one row: change, compound growth, average, sum, the highest and the lowest year."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.retrieval.stages.figures.calculating.asked_form import AskedForm, Form
from apps.retrieval.stages.figures.calculating.operands import (
    Calculated,
    Operand,
    TimeSeries,
    percent,
    rounded,
    show,
)
from apps.retrieval.stages.figures.calculating.scales import say_in_scale
from apps.retrieval.stages.figures.calculating.wording import Wording

_MOST_YEARS: Final = 20
_FEWEST_TO_COMPARE: Final = 2


def change(asked: AskedForm, time_series: TimeSeries, words: Wording) -> Calculated | None:
    """Return the change of a row from one year to another, as an amount and in per cent, or whether it rose."""
    found = find_both_ends(asked, time_series)
    if found is None:
        return None
    before, after = found
    lines = [_direction(asked, before, after, words), *change_lines(before, after, words)]
    return show([*lines, *say_in_scale(after.value - before.value, after, asked, words)], found)


def change_lines(before: Operand, after: Operand, words: Wording) -> Iterator[str]:
    """Yield the change from one year to another: as an amount and, where that means something, in per cent."""
    span = words.span.format(first=before.year, last=after.year)
    difference = after.value - before.value
    shown = words.points.format(value=f"{difference:,}") if before.percent else f"{difference:,}"
    yield words.change.format(name=before.name, span=span, sum=f"{after.text} - {before.text} = {shown}")
    if before.value > 0 and not before.percent:
        yield words.relative.format(
            year=words.year.format(year=before.year),
            sum=f"({after.text} - {before.text}) / {before.text} = {percent(difference / before.value)}",
        )


def _direction(asked: AskedForm, before: Operand, after: Operand, words: Wording) -> str:
    moved = after.value - before.value
    said = say_direction(before, after, words)
    if asked.rises is None:
        return said
    return (words.yes if moved and (moved > 0) is asked.rises else words.no).format(said=said)


def say_direction(before: Operand, after: Operand, words: Wording) -> str:
    """Return whether a figure rose or fell, with both figures."""
    moved = after.value - before.value
    template = words.rose if moved > 0 else words.fell if moved < 0 else words.unchanged
    return template.format(
        name=before.name,
        before=before.text,
        after=after.text,
        first=words.year.format(year=before.year),
        last=words.year.format(year=after.year),
    )


def compound_growth(asked: AskedForm, time_series: TimeSeries, words: Wording) -> Calculated | None:
    """Return the compound annual growth of a row between two years."""
    found = find_both_ends(asked, time_series)
    if found is None or any(each.value <= 0 or each.percent for each in found):
        return None
    before, after = found
    years = after.year - before.year
    rate = (after.value / before.value) ** (Decimal(1) / years) - 1
    power = f" ^ (1/{years})" if years > 1 else ""
    line = words.growth.format(
        name=before.name,
        span=words.span.format(first=before.year, last=after.year),
        sum=f"({after.text} / {before.text}){power} - 1 = {percent(rate)}",
    )
    return show([line], found)


def average_or_sum(asked: AskedForm, time_series: TimeSeries, words: Wording) -> Calculated | None:
    """Return the average or the sum of a row over several years."""
    found = time_series.all_of(_every_year(asked, time_series))
    if found is None or len(found) < _FEWEST_TO_COMPARE:
        return None
    total = sum((each.value for each in found), Decimal(0))
    shown = " + ".join(each.text for each in found)
    sign = " %" if time_series.percent else ""
    span = (words.span if _in_a_row(found) else words.years).format(first=found[0].year, last=found[-1].year)
    if asked.form is Form.SUM:
        line = words.sum.format(name=time_series.name, span=span, sum=f"{shown} = {total:,}{sign}")
        return show([line, *say_in_scale(total, found[-1], asked, words)], found)
    places = max(each.places for each in found) + 1 if asked.places is None else asked.places
    mean = rounded(total / len(found), places)
    line = words.average.format(name=time_series.name, span=span, sum=f"({shown}) / {len(found)} = {mean:,}{sign}")
    return show([line, *say_in_scale(mean, found[-1], asked, words)], found)


def extreme_year(asked: AskedForm, time_series: TimeSeries, words: Wording) -> Calculated | None:
    """Return the year in which a row was highest or lowest, with the figures of the other years."""
    found = time_series.all_of(_every_year(asked, time_series))
    if found is None or len(found) < _FEWEST_TO_COMPARE:
        return None
    best = (max if asked.form is Form.HIGHEST else min)(found, key=lambda each: each.value)
    if sum(each.value == best.value for each in found) > 1:
        return None
    others = ", ".join(
        words.figure.format(value=each.printed, year=words.year.format(year=each.year))
        for each in found
        if each is not best
    )
    template = words.highest if asked.form is Form.HIGHEST else words.lowest
    year = words.year.format(year=best.year)
    return show([template.format(name=time_series.name, year=year, value=best.printed, others=others)], found)


def find_both_ends(asked: AskedForm, time_series: TimeSeries) -> list[Operand] | None:
    """Return the figures of the first and the last year: as named, or else the year named and the one before."""
    if not time_series.years:
        return None
    last = asked.years[-1] if asked.years else time_series.years[-1]
    if len(asked.years) > 1:
        first = asked.years[0]
    elif asked.since:
        first, last = last, time_series.years[-1]
    elif asked.count > 1:
        # Growth over three years is from the year before them.
        first = last - asked.count + (0 if asked.form is Form.COMPOUND_GROWTH else 1)
    elif asked.form is Form.COMPOUND_GROWTH:
        first = time_series.years[0]
    else:
        first = last - 1
    return time_series.all_of((first, last)) if first < last else None


def _every_year(asked: AskedForm, time_series: TimeSeries) -> list[int]:
    if len(asked.years) > 1:
        first, last = asked.years[0], asked.years[-1]
        whole = asked.whole_range or len(asked.years) > 2
        return list(range(first, last + 1)) if whole and last - first < _MOST_YEARS else list(asked.years)
    if asked.since and asked.years:
        return [year for year in time_series.years if year >= asked.years[0]]
    last = asked.years[0] if asked.years else time_series.years[-1] if time_series.years else 0
    if asked.count > 1:
        return list(range(last - asked.count + 1, last + 1))
    return [year for year in time_series.years if year <= last]


def _in_a_row(found: Sequence[Operand]) -> bool:
    return len(found) > _FEWEST_TO_COMPARE or found[-1].year - found[0].year == 1
