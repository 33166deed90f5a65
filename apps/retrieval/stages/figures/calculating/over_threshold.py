"""Whether a figure, or its change, is above or below an amount that the question names."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from apps.filings.text.numbers import NumberUnit
from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm
from apps.retrieval.stages.figures.calculating.operands import Calculated, Operand, TimeSeries, percent, show
from apps.retrieval.stages.figures.calculating.over_rows import find_part_and_whole
from apps.retrieval.stages.figures.calculating.over_years import change_lines, find_both_ends, say_direction
from apps.retrieval.stages.figures.calculating.scales import convert
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.calculating.sums import find_operand
from apps.retrieval.stages.figures.calculating.thresholds import Threshold
from apps.retrieval.stages.figures.calculating.wording import Wording, wording_for

_PERCENT = 100


def compare_with_threshold(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return whether a figure or its change is as the question supposes; None if the amount is of another unit."""
    if len(asked.parts) > 1:
        return _share(asked, series, analysis)
    time_series = find_operand(asked.parts[0], series, analysis)
    return say_threshold(asked, time_series, analysis) if time_series else None


def _share(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return whether one figure is as large a share of another as the question supposes."""
    pair = find_part_and_whole(asked, series, analysis)
    if asked.threshold is None or pair is None or any(each.percent or each.value <= 0 for each in pair):
        return None
    part, whole = pair
    share = part.value / whole.value
    words = wording_for(analysis)
    year = words.year.format(year=part.year)
    said = words.beside.format(name=part.name, value=part.text, other=whole.name, least=whole.text, year=year)
    shown = f"{part.text} / {whole.text} = {percent(share)}"
    verdict = words.yes if asked.threshold.holds_for(share * _PERCENT) else words.no
    line = words.share.format(name=part.name, whole=whole.name, year=year, sum=shown)
    return show([verdict.format(said=said), line], pair)


def say_threshold(asked: AskedForm, time_series: TimeSeries, analysis: QueryAnalysis) -> Calculated | None:
    """Return whether a time series, or its change, is as the question supposes."""
    threshold = asked.threshold
    if threshold is None:
        return None
    if asked.of_change and threshold.of_level and not (threshold.moved_to or threshold.of_change):
        return None  # "The increase was above 5 million" is of another figure than "it rose above 5 million".
    if _is_of_a_change(asked, threshold, percent=time_series.percent):
        return _change(asked, threshold, time_series, wording_for(analysis))
    year = asked.years[-1] if asked.years else max(time_series.years, default=0)
    figure = time_series.of(year)
    if figure is None or len(asked.years) > 1:
        return None
    value = _in_its_unit(figure, figure.value, threshold)
    if value is None:
        return None
    words = wording_for(analysis)
    said = words.stands.format(name=figure.name, value=figure.text, year=words.year.format(year=year))
    lines = [(words.yes if threshold.holds_for(value) else words.no).format(said=said)]
    scale = threshold.amount.exponent
    if scale and not figure.percent and not figure.before and figure.exponent != scale:
        lines.append(convert(figure, scale, words).before)
    return show(lines, [figure])


def _is_of_a_change(asked: AskedForm, threshold: Threshold, *, percent: bool) -> bool:
    """Return whether the amount is that of a change: "grew over 10 %" is, "rose above 5 billion" is not."""
    if not asked.of_change:
        return False
    relative = threshold.amount.unit is NumberUnit.PERCENT and not percent
    return threshold.of_change or relative or not threshold.of_level


def _change(asked: AskedForm, threshold: Threshold, time_series: TimeSeries, words: Wording) -> Calculated | None:
    ends = find_both_ends(asked, time_series)
    if ends is None:
        return None
    before, after = ends
    moved = after.value - before.value
    if threshold.amount.unit is NumberUnit.PERCENT:
        # Of a share, per cent and percentage points are two things.
        value = moved / before.value * _PERCENT if before.value > 0 and not before.percent else None
    else:
        value = _in_its_unit(before, moved, threshold)
    if value is None:
        return None
    is_so = threshold.holds_for(-value if asked.rises is False else value)
    said = say_direction(before, after, words)
    return show([(words.yes if is_so else words.no).format(said=said), *change_lines(before, after, words)], ends)


def _in_its_unit(figure: Operand, value: Decimal, threshold: Threshold) -> Decimal | None:
    """Return a value of a figure's unit and scale in those of the threshold; None if they are not comparable."""
    amount = threshold.amount
    if amount.unit is NumberUnit.POINTS:
        return value if figure.percent and threshold.of_change else None
    if amount.unit is NumberUnit.BASIS_POINTS:
        return value * _PERCENT if figure.percent else None
    if figure.percent or amount.percent:
        return value if figure.percent and amount.percent else None
    if amount.currency and figure.currencies and amount.currency not in figure.currencies:
        return None
    if figure.exponent is None or (not amount.exponent and amount.value < 10**figure.exponent):
        # "Above 60", where the rows are in millions: it does not say of what.
        return value if figure.exponent is None and not amount.exponent and not amount.currency else None
    return value.scaleb(figure.exponent - amount.exponent)
