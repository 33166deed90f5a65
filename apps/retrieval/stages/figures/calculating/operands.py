"""The operands of a calculation: a figure of a row in a year, or a measure that is itself calculated from rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from apps.filings.text.numbers import NumberUnit
from apps.filings.vocabulary.concepts import Period, concepts
from apps.retrieval.contracts import Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.calculating.matching import Match, find_series, names_table
from apps.retrieval.stages.figures.calculating.quarters import are_said_to_be_of_years
from apps.retrieval.stages.figures.calculating.ratios import Ratio, WorkedRatio, asked_ratio
from apps.retrieval.stages.figures.calculating.row_words import is_total
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.calculating.wording import Wording, wording_for

_PERCENT_PLACES: Final = Decimal("0.1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A figure of one year. value: its size, with its sign unless the row is an outflow.

    label, name: what it is called, and the same as it is written: what a row is called in quotation marks.
    text: as it is written in a calculation. printed: as its row gives it. places: its decimals.
    exponent, currencies: as stated; None or empty where they are not.
    before: a calculation that gives it, to be shown first; empty for a figure of a row.
    """

    label: str
    name: str
    year: int
    value: Decimal
    text: str
    printed: str
    percent: bool
    places: int
    exponent: int | None
    currencies: frozenset[str]
    rows: tuple[tuple[Quote, Passage], ...]
    refs: tuple[str, ...]
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSeries:
    """What a question names, as a figure a year.

    years: those that are held, earliest first. is_balance: whether it is a figure of a day, and not of a whole year.
    """

    label: str
    name: str
    percent: bool
    years: tuple[int, ...]
    company: str
    of: Callable[[int], Operand | None] = field(repr=False)
    is_balance: bool = False

    def all_of(self, years: Sequence[int]) -> list[Operand] | None:
        """Return the operands of all these years; None if one of them is not held."""
        found = [each for each in map(self.of, years) if each is not None]
        return found if found and len(found) == len(years) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculated:
    """Calculations that answer a question. lines: as shown, each with the references of its operands.

    rows: the rows that the operands are from, with their passages.
    """

    lines: tuple[str, ...]
    rows: tuple[tuple[Quote, Passage], ...]


def find_time_series(part: str, series: Sequence[Series], analysis: QueryAnalysis) -> TimeSeries | None:
    """Return what a part of the question names; None if that is nothing, or several rows that differ.

    A measure that is calculated (an operating margin) is taken from a row of its own if there is one of the years asked
    for.
    """
    matches = find_series(part, analysis, series)
    found = _merge_best([each for each in matches if each.score == matches[0].score]) if matches else None
    years = {each.fiscal_year for each in analysis.periods}
    if matches and (found is None or years.issubset(found.years)):
        return found
    ratio = asked_ratio(part, series, analysis)
    calculated = _of_ratio(ratio, wording_for(analysis)) if ratio else None
    return calculated if calculated and (found is None or years.issubset(calculated.years)) else found


def _merge_best(best: Sequence[Match]) -> TimeSeries | None:
    """Return rows that are called equally well as one time series; of such as differ, those that are surely meant."""
    rows, fewest = [each.series for each in best], min(each.foreign for each in best)
    surer = (
        rows,
        [each for each in rows if each.is_whole],
        [each for each in rows if each.of_statement],
        # The same row of a quarter may stand beside it under columns that do not say so.
        [each for each in rows if are_said_to_be_of_years(each.by_year.values(), each.heading)],
        # What a new accounting standard changed stands under columns that say so.
        [each.series for each in best if each.foreign == fewest],
    )
    return next((found for each in surer if (found := merge_rows(each))), None)


def find_pair(
    first: str, second: str, series: Sequence[Series], analysis: QueryAnalysis
) -> tuple[TimeSeries, TimeSeries] | None:
    """Return what two parts of a question name, from one table where one of them fits several tables.

    "Profit of cranes less lifts" names the profit once, and lifts stand in the table of revenue as well.
    """
    one, other = (_best(part, series, analysis) for part in (first, second))
    shared = {each.columns for each in one} & {each.columns for each in other}
    if shared:
        one, other = ([each for each in rows if each.columns in shared] for rows in (one, other))
    elif one and other and bool(one[0].concepts) is not bool(other[0].concepts):
        return None  # A line of the group and one of a segment.
    all_series = merge_rows(one), merge_rows(other)
    return (
        (all_series[0], all_series[1])
        if all_series[0] and all_series[1] and all_series[0].label != all_series[1].label
        else None
    )


def find_share(
    part: str, whole: str, series: Sequence[Series], analysis: QueryAnalysis
) -> tuple[TimeSeries, TimeSeries] | None:
    """Return a part and the whole of which it is a share: another row, or the total of its own table."""
    for text in (part, f"{part} {whole}"):
        rows = _best(text, series, analysis)
        others = [each for each in series if each.label not in {row.label for row in rows}]
        if {each.label for each in rows} & {each.label for each in _best(whole, series, analysis)}:
            return None
        tables = {each.columns for each in rows}
        # Of several rows that fit, the whole is the one beside the part: "Deposits" may head another table, too.
        beside = [each for each in _best(whole, others, analysis) if each.columns in tables]
        left, right = merge_rows(rows), merge_rows(beside) or find_time_series(whole, others, analysis)
        if left and right:
            return left, right
        totals = [each for each in series if each.columns in tables and is_total(each.label)]
        if rows and totals and names_table(whole, totals[0], analysis, series):
            right = merge_rows(totals)
            if left and right:
                return left, right
    return None


def _best(part: str, series: Sequence[Series], analysis: QueryAnalysis) -> list[Series]:
    matches = find_series(part, analysis, series)
    return [each.series for each in matches if each.score == matches[0].score]


def merge_rows(rows: Sequence[Series]) -> TimeSeries | None:
    """Return rows of one name as one time series; None if two of one document give different figures of a year.

    The same row stands in several passages and reports. What a later report gives is taken, and an earlier one adds the
    years before, unless it gives another figure of a year of both: then the later one is restated.
    """
    if not rows:
        return None
    held: dict[int, Series] = {}
    for each in sorted(rows, key=lambda row: row.passage.chunk.document.fiscal_year or 0, reverse=True):
        differing = [held[year] for year in each.by_year if year in held and _differ(each, held[year], year)]
        if any(other.unit is not each.unit or _in_one_report(other, each) for other in differing):
            return None
        if not differing:
            held.update({year: each for year in each.by_year if year not in held})
    # What is stated in thousands in one report and in millions in the next would need a conversion.
    stated = [each.by_year[year].stated for year, each in held.items()]
    if all(_overlap(each, rows) for each in held.values()):
        # Where the same figure stands in both, a scale that only one states is that of both.
        stated = [each for each in stated if each.exponent is not None] or stated
    currencies = {each.currencies for each in stated if each.currencies}
    if len({each.exponent for each in stated}) > 1 or len(currencies) > 1:
        return None
    first = rows[0]
    return TimeSeries(
        label=first.label,
        name=f"“{first.label}”",
        percent=first.unit is NumberUnit.PERCENT,
        years=tuple(sorted(held)),
        company=first.passage.chunk.document.company,
        of=lambda year: operand_of(held[year], year) if year in held else None,
        is_balance=any(concepts()[name].period is Period.INSTANT for name in first.concepts),
    )


def _overlap(one: Series, rows: Sequence[Series]) -> bool:
    """Return whether every other row gives a year that the row gives too: none of them differ (merge_rows)."""
    return all(not one.by_year.keys().isdisjoint(each.by_year) for each in rows)


def _differ(one: Series, other: Series, year: int) -> bool:
    return one.unit is not other.unit or one.by_year[year].number.value != other.by_year[year].number.value


def _in_one_report(one: Series, other: Series) -> bool:
    return one.passage.chunk.document == other.passage.chunk.document


def operand_of(series: Series, year: int, *, signed: bool = False) -> Operand | None:
    """Return the figure of a row in a year.

    Args: signed: whether it has its sign even if the row is negative throughout.
    """
    figure = series.by_year.get(year)
    if figure is None:
        return None
    negative = figure.number.negative and (signed or not series.is_outflow)
    percent = series.unit is NumberUnit.PERCENT
    size = f"{figure.number.value:,}{' %' if percent else ''}"
    return Operand(
        label=series.label,
        name=f"“{series.label}”",
        year=year,
        value=-figure.number.value if negative else figure.number.value,
        text=f"({size})" if negative else size,
        printed=f"({size})" if figure.number.negative else size,
        percent=percent,
        places=figure.number.decimals,
        exponent=figure.stated.exponent,
        currencies=figure.stated.currencies,
        rows=((series.quote, series.passage),),
        refs=(figure.ref_id,),
    )


def _of_ratio(ratio: Ratio, words: Wording) -> TimeSeries:
    rows = tuple(each[0].label for each in ratio.lines.values())

    def of(year: int) -> Operand | None:
        worked = ratio.of(year)
        return worked_operand(worked, ratio.label, rows, year, words) if worked else None

    return TimeSeries(
        label=ratio.label, name=ratio.label, percent=ratio.percent, years=ratio.years, company=ratio.company, of=of
    )


def worked_operand(worked: WorkedRatio, label: str, rows: Sequence[str], year: int, words: Wording) -> Operand:
    """Return what was calculated for a year as an operand. Args: label: its name; empty if the rows are its name."""
    text = f"{worked.value:,}{' %' if worked.percent else ''}"
    named = ", ".join(f"“{each}”" for each in dict.fromkeys(rows))
    template = words.measure if label else words.rows
    calculation = f"{worked.text} = {text}"
    return Operand(
        label=label or named,
        name=label or named,
        year=year,
        value=worked.value,
        text=text,
        printed=text,
        percent=worked.percent,
        places=max(0, -int(worked.value.as_tuple().exponent)),
        exponent=worked.exponent,
        currencies=frozenset(),
        rows=worked.rows,
        refs=worked.refs,
        before=template.format(name=label, rows=named, year=words.year.format(year=year), sum=calculation),
    )


def show(lines: Sequence[str], operands: Sequence[Operand], *, each_its_own: bool = False) -> Calculated:
    """Return the lines after the calculations of their operands, with their references.

    Args: each_its_own: whether the first lines are of one operand each, in the same order, and not all lines of all.
    """
    before = [f"{each.before} {_marks([each])}" for each in operands if each.before]
    marked = [
        f"{line} {_marks([operands[index]] if each_its_own and index < len(operands) else operands)}"
        for index, line in enumerate(lines)
    ]
    rows = {quote: passage for each in operands for quote, passage in each.rows}
    return Calculated(lines=(*dict.fromkeys(before), *marked), rows=tuple(rows.items()))


def _marks(operands: Sequence[Operand]) -> str:
    return " ".join(f"[{ref}]" for ref in dict.fromkeys(ref for each in operands for ref in each.refs))


def rounded(value: Decimal, places: int) -> Decimal:
    found = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return found if found % 1 else found.quantize(Decimal(1))


def percent(share: Decimal) -> str:
    return f"{(share * 100).quantize(_PERCENT_PLACES, rounding=ROUND_HALF_UP):,} %"
