"""Compare what two or more companies report: the same figure of each, side by side, and which is higher."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm, Form
from apps.retrieval.stages.figures.calculating.defined import find_defined
from apps.retrieval.stages.figures.calculating.definitions import Definition, read_definition
from apps.retrieval.stages.figures.calculating.form_words import AVERAGE, HIGHER, LOWER, SUM
from apps.retrieval.stages.figures.calculating.operands import (
    Calculated,
    Operand,
    TimeSeries,
    find_time_series,
    percent,
    show,
)
from apps.retrieval.stages.figures.calculating.scales import convert, say_in_scale
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.calculating.wording import Wording, wording_for

_A_PAIR: Final = 2
_COMPARED: Final = (Form.VALUE, Form.CHANGE, Form.DIFFERENCE, Form.COMPARISON, Form.HIGHEST, Form.LOWEST)
_WORD: Final = re.compile(r"[^\W\d_][\w&'\u2019-]*")
_LEFT_OVER: Final = re.compile(
    r"\b(?:vs\.?|versus|against|gegen|or|oder|und|and)(?=\s{2,}|\s*[,:;?]|\s*$)|[:,]\s*(?=[:,?]|$)", re.IGNORECASE
)
_OF_SEVERAL: Final = re.compile(f"{AVERAGE.pattern}|{SUM.pattern}", re.IGNORECASE)
"""A sum or an average of companies is no comparison of them."""


def compare_companies(
    companies: Sequence[str], asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis
) -> Calculated | None:
    """Return the figure of each company, or its change in per cent, the highest first; None if one is not held.

    The figure is a row, a measure, or the ratio that the question brings: "R&D as a % of revenue".
    """
    definition = read_definition(_without_companies(analysis.text, companies, analysis.language))
    if (
        asked.form not in _COMPARED
        or _OF_SEVERAL.search(analysis.text)
        or (len(asked.years) > 1 and not asked.of_change)
    ):
        return None
    all_series: list[TimeSeries] = []
    for company in companies:
        own = [each for each in series if each.passage.chunk.document.company == company]
        time_series = _find(definition, asked, own, analysis)
        if time_series is None:
            return None
        all_series.append(time_series)
    if len({time_series.percent for time_series in all_series}) > 1:
        return None
    if asked.of_change:
        return _compare_growth(asked, all_series, wording_for(analysis))
    year = (
        asked.years[-1] if asked.years else max(set.intersection(*(set(each.years) for each in all_series)), default=0)
    )
    operands = [each for each in (time_series.of(year) for time_series in all_series) if each is not None]
    if len(operands) < len(all_series):
        return None
    words = wording_for(analysis)
    shown_year = words.year.format(year=year)
    operands = _in_one_scale(operands, words)
    order = list(zip(companies, operands, strict=True))
    # Figures in another currency stand side by side, without a difference.
    comparable = len({(each.exponent, each.currencies) for each in operands}) == 1
    if comparable:
        order.sort(key=lambda each: -each[1].value)
    lines = [f"{company}, {each.name}, {shown_year}: {each.printed}" for company, each in order]
    if comparable and len(order) == _A_PAIR:
        (name, most), (other, least) = order
        gap = f"{most.value - least.value:,}"
        result = words.points.format(value=gap) if most.percent else gap
        shown = f"{most.text} - {least.text} = {result}"
        lines.append(words.less.format(name=name, other=other, year=shown_year, sum=shown))
        lines.extend(say_in_scale(most.value - least.value, most, asked, words))
        lines[:0] = _say_whether(asked, order, analysis.text, words)
    return show(lines, [each for _, each in order], each_its_own=not asked.yes_no)


def _say_whether(
    asked: AskedForm, order: Sequence[tuple[str, Operand]], question: str, words: Wording
) -> Iterator[str]:
    """Yield whether the company named first has the higher or lower figure, as the question supposes."""
    more, less = HIGHER.search(question), LOWER.search(question)
    if not asked.yes_no or bool(more) is bool(less):
        return
    (name, first), (other, second) = sorted(order, key=lambda each: question.lower().find(each[0].lower()))
    is_so = first.value != second.value and (first.value > second.value) is (more is not None)
    said = words.beside.format(
        name=f"{name}, {first.name}",
        value=first.text,
        other=f"{other}, {second.name}",
        least=second.text,
        year=words.year.format(year=first.year),
    )
    yield (words.yes if is_so else words.no).format(said=said)


def _without_companies(text: str, companies: Sequence[str], language: str) -> str:
    """Return a question without the companies that it compares: "A vs B R&D as a % of revenue"."""
    names = frozenset(terms(" ".join(companies), language))

    def blank(word: re.Match[str]) -> str:
        return " " if (own := frozenset(terms(word.group(), language))) and own <= names else word.group()

    return _LEFT_OVER.sub(" ", _WORD.sub(blank, text))


def _find(
    definition: Definition | None, asked: AskedForm, own: Sequence[Series], analysis: QueryAnalysis
) -> TimeSeries | None:
    defined = find_defined(definition, asked, own, analysis, goes_on=False) if definition else None
    return defined or find_time_series(analysis.text, own, analysis)


def _in_one_scale(operands: Sequence[Operand], words: Wording) -> list[Operand]:
    """Return amounts of one currency in the largest of their scales, if all of them are stated."""
    scales = [each.exponent for each in operands if each.exponent is not None]
    same_currency = len({each.currencies for each in operands}) == 1
    if len(scales) < len(operands) or len(set(scales)) == 1 or not same_currency:
        return list(operands)
    largest = max(scales)
    return [each if each.exponent == largest else convert(each, largest, words) for each in operands]


def _compare_growth(asked: AskedForm, all_series: Sequence[TimeSeries], words: Wording) -> Calculated | None:
    rates: list[tuple[Decimal, TimeSeries, Operand, Operand]] = []
    for time_series in all_series:
        last = max(asked.years or time_series.years, default=0)
        found = time_series.all_of((asked.years[0] if len(asked.years) > 1 else last - 1, last))
        if found is None or found[0].value <= 0 or time_series.percent:
            return None
        before, after = found
        rates.append(((after.value - before.value) / before.value, time_series, before, after))
    rates.sort(key=lambda each: -each[0])
    lines = [
        f"{time_series.company}, {after.name}, {words.span.format(first=before.year, last=after.year)}: "
        f"({after.text} - {before.text}) / {before.text} = {percent(rate)}"
        for rate, time_series, before, after in rates
    ]
    return show(lines, [after for *_, after in rates], each_its_own=True)
