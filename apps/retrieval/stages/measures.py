"""Work out a measure from the rows of the statements, and show how: (5,308 - 2,213) / 4,476 = 0.69.

Only where nothing is left to choose: every part is one figure of the year in one document, in one scale, and the
question gives no formula of its own. Everything that is shown is checked as any claim is (ground.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Final

from apps.retrieval.contracts import DocumentId, QueryAnalysis
from apps.retrieval.stages.figures import Figure
from apps.retrieval.stages.line_answer import LineRow
from apps.retrieval.stages.numbers import NumberUnit


class Result(StrEnum):
    AMOUNT = "amount"
    RATIO = "ratio"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """formula: names of lines in brackets and signs between them, as it is shown."""

    label: str
    formula: str
    result: Result

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(_PART.findall(self.formula))


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """A measure of one year. text: the calculation as shown, without references."""

    text: str
    ref_ids: tuple[str, ...]


_PART: Final = re.compile(r"\{([^}]+)\}")
# A question with a formula of its own, or for a mean of years, is answered with the rows alone.
_OWN_FORMULA: Final = re.compile(
    r"\baverage\b|\bdefined?\b|\bless\b|\bminus\b|\bdivided\b|\bas\s+a\s+(?:%|percent\w*)|\bper\s+share\b"
    r"|\busing\b.{1,80}\bas\s+the\b|\bdurchschnitt\w*|\badjusted\b",
    re.IGNORECASE,
)
_SPENT: Final = frozenset(
    ("capital expenditure", "cost of goods sold", "dividends", "interest expense", "depreciation and amortisation")
)
"""Lines that are printed in brackets or not, and mean the same."""


def _measure(label: str, formula: str, result: Result) -> Measure:
    return Measure(label=label, formula=formula, result=result)


# By the glossary's label; where a line may be missing, the further formula takes its place.
MEASURES: Final[dict[str, tuple[Measure, ...]]] = {
    "EBITDA": (
        _measure(
            "Operating income + depreciation and amortization (unadjusted EBITDA)",
            "{operating income} + {depreciation and amortisation}",
            Result.AMOUNT,
        ),
    ),
    "EBITDA margin": (
        _measure(
            "(Operating income + depreciation and amortization) / revenue",
            "({operating income} + {depreciation and amortisation}) / {revenue}",
            Result.PERCENT,
        ),
    ),
    "profit margin": (
        _measure("Gross profit / revenue", "{gross profit} / {revenue}", Result.PERCENT),
        _measure(
            "(Revenue - cost of sales) / revenue", "({revenue} - {cost of goods sold}) / {revenue}", Result.PERCENT
        ),
    ),
    "operating margin": (_measure("Operating income / revenue", "{operating income} / {revenue}", Result.PERCENT),),
    "net margin": (_measure("Net income / revenue", "{net income} / {revenue}", Result.PERCENT),),
    "effective tax rate": (
        _measure("Income tax / income before tax", "{income tax} / {income before tax}", Result.PERCENT),
    ),
    "free cash flow": (
        _measure(
            "Cash from operating activities - capital expenditure",
            "{operating cash flow} - {capital expenditure}",
            Result.AMOUNT,
        ),
    ),
    "capital intensity": (
        _measure("Capital expenditure / revenue", "{capital expenditure} / {revenue}", Result.PERCENT),
    ),
    "working capital": (
        _measure("Current assets - current liabilities", "{current assets} - {current liabilities}", Result.AMOUNT),
    ),
    "quick ratio": (
        _measure(
            "(Current assets - inventories) / current liabilities",
            "({current assets} - {inventory}) / {current liabilities}",
            Result.RATIO,
        ),
    ),
    "current ratio": (
        _measure("Current assets / current liabilities", "{current assets} / {current liabilities}", Result.RATIO),
    ),
    "operating cash flow ratio": (
        _measure(
            "Cash from operating activities / current liabilities",
            "{operating cash flow} / {current liabilities}",
            Result.RATIO,
        ),
    ),
    "interest coverage": (
        _measure("Operating income / interest expense", "{operating income} / {interest expense}", Result.RATIO),
    ),
    "dividend payout ratio": (_measure("Dividends / net income", "{dividends} / {net income}", Result.RATIO),),
    "return on equity": (
        _measure("Net income / equity at the end of the year", "{net income} / {equity}", Result.PERCENT),
    ),
    "return on assets": (
        _measure("Net income / total assets at the end of the year", "{net income} / {total assets}", Result.PERCENT),
    ),
}
_DECIMALS: Final = {Result.RATIO: Decimal("0.01"), Result.PERCENT: Decimal("0.1")}


def worked_out(analysis: QueryAnalysis, rows: Sequence[LineRow]) -> tuple[Worked, ...]:
    """The measures that a question asks for, of each year asked for, the latest first.

    Args: rows: as line_rows chose them.
    Returns: nothing where a part is missing, stands twice, or is negative where only its size would say something.
    """
    if _OWN_FORMULA.search(analysis.text) or any(period.fiscal_quarter for period in analysis.periods):
        return ()
    found: list[Worked] = []
    for expansion in analysis.expansions:
        for year in _years(analysis, rows):
            of_year = (_worked(measure, rows, year) for measure in MEASURES.get(expansion.label, ()))
            found.extend([each for each in of_year if each is not None][:1])
    return tuple(found)


def _years(analysis: QueryAnalysis, rows: Sequence[LineRow]) -> list[int]:
    asked = {period.fiscal_year for period in analysis.periods}
    if not asked:
        asked = {max(row.years) for row in rows[:1] if row.years}
    return sorted(asked, reverse=True)


def _worked(measure: Measure, rows: Sequence[LineRow], year: int) -> Worked | None:
    by_document: dict[DocumentId, list[LineRow]] = {}
    for row in rows:
        by_document.setdefault(row.document_id, []).append(row)
    # What one document does not give is taken from another one of the same company.
    companies = {row.passage.chunk.document.company for row in rows}
    together = [list(rows)] if len(companies) == 1 and len(by_document) > 1 else []
    for of_document in (*by_document.values(), *together):
        figures = {part: _figure(part, of_document, year) for part in measure.parts}
        parts = {part: figure for part, figure in figures.items() if figure is not None}
        if len(parts) == len(figures) and len({figure.stated.exponent for figure in parts.values()}) == 1:
            return _shown(measure, parts, year)
    return None


def _figure(part: str, rows: Sequence[LineRow], year: int) -> Figure | None:
    """The one figure of a line in a year."""
    of_year = {
        figure
        for row in rows
        if row.item == part
        for figure in row.figures
        if figure.years == {year} and figure.number.unit is NumberUnit.PLAIN
    }
    found = next(iter(of_year)) if len({figure.number.value for figure in of_year}) == 1 else None
    return None if found is None or (found.number.negative and part not in _SPENT) else found


def _shown(measure: Measure, parts: dict[str, Figure], year: int) -> Worked | None:
    values = {part: figure.number.value for part, figure in parts.items()}
    result = _value(measure.formula, values)
    if result is None:
        return None
    shown = _PART.sub(lambda match: _number(values[match[1]]), measure.formula)
    if measure.result is Result.AMOUNT:
        told = _number(result)
    else:
        of_hundred = result * 100 if measure.result is Result.PERCENT else result
        rounded = of_hundred.quantize(_DECIMALS[measure.result], rounding=ROUND_HALF_UP)
        told = f"{rounded:,}{' %' if measure.result is Result.PERCENT else ''}"
    return Worked(
        text=f"{measure.label}, FY{year}: {shown} = {told}",
        ref_ids=tuple(dict.fromkeys(figure.ref_id for figure in parts.values())),
    )


def _value(formula: str, values: dict[str, Decimal]) -> Decimal | None:
    """Of the few shapes that there are: a, a + b, a - b, each of them over a line."""
    above, _, below = formula.partition(" / ")
    names = _PART.findall(above)
    result = values[names[0]]
    if len(names) > 1:
        result = result + values[names[1]] if " + " in above else result - values[names[1]]
    if below:
        divisor = values[_PART.findall(below)[0]]
        return result / divisor if divisor else None
    return result


def _number(value: Decimal) -> str:
    return f"{value:,}"
