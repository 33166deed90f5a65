"""Calculations over the years of one row: change, compound growth, average, sum, the highest and the lowest year."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.forms import AskedForm, Form
from apps.retrieval.stages.figures.calculating.operands import (
    Calculated,
    Operand,
    Track,
    find_track,
    percent,
    rounded,
    show,
    span_of,
)
from apps.retrieval.stages.figures.calculating.series import Series

_MOST_YEARS: Final = 20
_FEWEST_TO_COMPARE: Final = 2


def change(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the change of a row from one year to another, as an amount and in per cent, or whether it rose."""
    track = find_track(asked.parts[0], series, analysis)
    found = _both_ends(asked, track) if track else None
    if found is None:
        return None
    before, after = found
    lines = list(change_lines(before, after))
    if asked.yes_no:
        lines.insert(0, _direction(asked, before, after))
    return show(lines, found)


def change_lines(before: Operand, after: Operand) -> Iterator[str]:
    span = f"FY{before.year} to FY{after.year}"
    difference = after.value - before.value
    if before.percent:
        yield f"Change in “{before.label}”, {span}: {after.text} - {before.text} = {difference:,} percentage points"
        return
    yield f"Change in “{before.label}”, {span}: {after.text} - {before.text} = {difference:,}"
    if before.value > 0:
        yield (
            f"Relative to FY{before.year}: ({after.text} - {before.text}) / {before.text} = "
            f"{percent(difference / before.value)}"
        )


def _direction(asked: AskedForm, before: Operand, after: Operand) -> str:
    moved = after.value - before.value
    verb = "rose" if moved > 0 else "fell" if moved < 0 else "did not change"
    said = f"“{before.label}” {verb} from {before.text} in FY{before.year} to {after.text} in FY{after.year}."
    if asked.rises is None:
        return said
    return f"{'Yes' if moved and (moved > 0) is asked.rises else 'No'}: {said}"


def compound_growth(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the compound annual growth of a row between two years."""
    track = find_track(asked.parts[0], series, analysis)
    found = _both_ends(asked, track) if track else None
    if found is None or any(each.value <= 0 or each.percent for each in found):
        return None
    before, after = found
    years = after.year - before.year
    rate = (after.value / before.value) ** (Decimal(1) / years) - 1
    power = f" ^ (1/{years})" if years > 1 else ""
    return show(
        [
            f"Compound annual growth of “{before.label}”, FY{before.year} to FY{after.year}: "
            f"({after.text} / {before.text}){power} - 1 = {percent(rate)}"
        ],
        found,
    )


def average_or_sum(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the average or the sum of a row over several years."""
    track = find_track(asked.parts[0], series, analysis)
    found = track.all_of(_every_year(asked, track)) if track else None
    if track is None or found is None or len(found) < _FEWEST_TO_COMPARE:
        return None
    total = sum((each.value for each in found), Decimal(0))
    shown = " + ".join(each.text for each in found)
    sign = " %" if track.percent else ""
    if asked.form is Form.SUM:
        return show([f"Sum of “{track.label}”, {span_of(found)}: {shown} = {total:,}{sign}"], found)
    mean = rounded(total / len(found), max(each.places for each in found) + 1)
    return show([f"Average of “{track.label}”, {span_of(found)}: ({shown}) / {len(found)} = {mean:,}{sign}"], found)


def extreme_year(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the year in which a row was highest or lowest, with the figures of the other years."""
    track = find_track(asked.parts[0], series, analysis)
    found = track.all_of(_every_year(asked, track)) if track else None
    if track is None or found is None or len(found) < _FEWEST_TO_COMPARE:
        return None
    best = (max if asked.form is Form.HIGHEST else min)(found, key=lambda each: each.value)
    if sum(each.value == best.value for each in found) > 1:
        return None
    word = "highest" if asked.form is Form.HIGHEST else "lowest"
    others = ", ".join(f"{each.text} in FY{each.year}" for each in found if each is not best)
    return show([f"“{track.label}” was {word} in FY{best.year}: {best.text} ({others})."], found)


def _both_ends(asked: AskedForm, track: Track) -> list[Operand] | None:
    """Return the figures of the first and the last year: as named, or else the year named and the one before."""
    if not track.years:
        return None
    last = asked.years[-1] if asked.years else track.years[-1]
    if len(asked.years) > 1:
        first = asked.years[0]
    elif asked.form is Form.COMPOUND_GROWTH and asked.count < _FEWEST_TO_COMPARE:
        # "Since 2021" goes to the latest year that the row gives.
        first, last = (asked.years[0], track.years[-1]) if asked.years and asked.since else (track.years[0], last)
    elif asked.since:
        first, last = last, track.years[-1]
    elif asked.count > 1:
        first = last - asked.count + 1
    else:
        first = last - 1
    return track.all_of((first, last)) if first < last else None


def _every_year(asked: AskedForm, track: Track) -> list[int]:
    if len(asked.years) > 1:
        first, last = asked.years[0], asked.years[-1]
        whole = asked.whole_range or len(asked.years) > 2
        return list(range(first, last + 1)) if whole and last - first < _MOST_YEARS else list(asked.years)
    if asked.since and asked.years:
        return [year for year in track.years if year >= asked.years[0]]
    last = asked.years[0] if asked.years else track.years[-1] if track.years else 0
    if asked.count > 1:
        return list(range(last - asked.count + 1, last + 1))
    return [year for year in track.years if year <= last]
