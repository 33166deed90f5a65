"""Check the calculations that an answer by quotation shows, against the rows that it quotes.

Every number must stand in a quoted row with its sign and of a year that the line names, be the result of an earlier
line, be a constant where its formula has one, or stand in the question; and every calculation must come to the result
that it shows, in its scale and with its sign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.filings.text.bindings import is_year
from apps.filings.text.columns import years_in_headings
from apps.filings.text.numbers import currencies_in, read_numbers
from apps.retrieval.contracts import (
    Finding,
    FindingType,
    GroundingReport,
    GroundingStatus,
    Passage,
    Quote,
)
from apps.retrieval.stages.figures.expressions import Token, evaluate

_HOLDS: Final = "Every calculation comes to its result, over figures of the rows that are quoted."
_DOES_NOT: Final = "A calculation does not hold, or a figure of it stands in no row that is quoted."
_NAMES: Final = re.compile(r"“[^”]*”|\[[^\]]*\]")
# Amounts have thousands separators, so four digits without one are a year, unless they are counted in something.
_YEAR: Final = re.compile(
    r"(?<![\d.,$€£])(?:FY|Q[1-4]\s)?((?:19|20)\d\d)(?!\d|[.,]\d|\s?%|\s(?:thousand|million|billion|tausend|milli|percent|prozent))",
    re.IGNORECASE,
)
_IN_A_YEAR: Final = re.compile(
    r"(?P<figure>\(?\d[\d.,]*\)?)(?:\s%)?\s(?:in|im Jahr)\s(?:FY|Q[1-4]\s)?(?P<year>(?:19|20)\d\d)"
)
_OF_A_YEAR: Final = re.compile(
    r"\s(?:in|im Jahr)\s(?:FY|Q[1-4]\s)?(?P<year>(?:19|20)\d\d):\s(?P<figure>\(?\d[\d.,]*\)?)"
)
_MOVED: Final = re.compile(
    r"\s(?:(?P<up>rose|stieg)|fell|sank)\s(?:from|von)\s(?P<before>\(?\d[\d.,]*\)?)"
    r".*?\s(?:to|auf)\s(?P<after>\(?\d[\d.,]*\)?)"
)
_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_LOSS: Final = re.compile(r"\((\d[\d.,]*)(?:\s%)?\)")
_TOKEN: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[-+*/^()]")
_GERMAN: Final = str.maketrans({",": ".", ".": ","})
_SCALES: Final = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "tausend": 3,
    "millionen": 6,
    "milliarden": 9,
    "billionen": 12,
}
_SCALE: Final = re.compile(rf"\b(?:{'|'.join(_SCALES)})\b", re.IGNORECASE)
# A constant, and what stands around it in a formula: growth, tax, an average of two, a share, days.
_CONSTANTS: Final = re.compile(
    r"(?<=[-+] )1(?=\)|\s*$)|(?<=\()1(?= [-+/])|(?<=\) / )2(?![\d.,])"
    r"|(?<=[*/] )(?:100|360|365)(?![\d.,])|(?<![\d.,])(?:360|365)(?= [*/])"
)
_UNARY: Final = re.compile(r"(?:^|[-+*/^(])\s*-\s*$")
_MINUS: Final = re.compile(r"(?:[-\u2212\u2013]|\bminus)\s*(?:[A-Z]{3}|[$\u20ac\u00a3])?\s*$", re.IGNORECASE)
_POINTS: Final = re.compile(r"\bpoints\b|\bprozentpunkte\b", re.IGNORECASE)
_RESULT_ENDS: Final = re.compile(
    rf"\)?(?:\s?%|\s(?:{'|'.join(_SCALES)}|percentage points|prozentpunkte|days|times|x))?[\s.]*", re.IGNORECASE
)
_LONGEST_ROOT: Final = 20
"""Years over which a growth may be compounded: "^ (1/3)"."""


def check_calculations(
    lines: Sequence[str], quotes: Sequence[Quote], passages: Sequence[Passage], *, question: str, language: str
) -> GroundingReport:
    """Check each line of an answer that was worked out. Args: language: of the lines, "de" or any other."""
    chunks = {each.ref_id: each.chunk for each in passages}
    known = _Known({number.value for number in read_numbers(question, language)})
    for quote in quotes:
        chunk = chunks.get(quote.ref_id)
        language_of_row, year = (chunk.language, chunk.document.fiscal_year) if chunk is not None else ("en", None)
        known.add_row(quote.text, language_of_row, year)
    findings: list[Finding] = []
    for line in lines:
        findings.extend(_check_in_notation(line, language, known))
    holds = bool(findings) and all(each.supported for each in findings)
    return GroundingReport(
        status=GroundingStatus.GROUNDED if holds else GroundingStatus.UNGROUNDED,
        findings=tuple(findings),
        reason=_HOLDS if holds else _DOES_NOT,
    )


class _Known:
    """The figures that a line may name: those of the rows that are quoted, with their years, and earlier results."""

    def __init__(self, asked: set[Decimal]) -> None:
        self.asked = asked
        self._years: dict[Decimal, set[int | None]] = {}
        self._terms: dict[Decimal, int] = {}
        self.named: set[int] = set()

    def add_row(self, text: str, language: str, fiscal_year: int | None) -> None:
        """Add the figures of a row. Args: fiscal_year: of the report in which it stands, where it is known."""
        cells = [each.rpartition(": ") for each in text.split("|")]
        years = years_in_headings([heading for heading, *_ in cells], fiscal_year)
        read = [
            (next(iter(named)) if len(named) == 1 else None, each)
            for named, (*_, cell) in zip(years, cells, strict=True)
            for each in read_numbers(cell, language)
        ]
        # Costs may be printed in brackets throughout, and are named without. The number of a note is no amount.
        of_a_year = [each for year, each in read if year] or [each for _, each in read if not is_year(each)]
        unsigned = all(each.negative for each in of_a_year if each.value)
        for year, each in read:
            for value in {-each.value if each.negative else each.value, *((each.value,) if unsigned else ())}:
                self._years.setdefault(value, set()).add(year)

    def add_result(self, value: Decimal, terms: int) -> None:
        self._years.setdefault(value, set()).add(None)
        self._terms[value] = terms

    def is_sum_of(self, value: Decimal, terms: int) -> bool:
        return self._terms.get(value) == terms

    def has(self, value: Decimal, years: Collection[int] = ()) -> bool:
        """Return whether a figure is known, and of one of these years, or of those between them."""
        found = self._years.get(value, set())
        of_a_year = [each for each in found if each is not None]
        return (
            None in found or (bool(found) and not years) or any(min(years) <= each <= max(years) for each in of_a_year)
        )


def _check_in_notation(line: str, language: str, known: _Known) -> list[Finding]:
    """Check a line in the notation of its language, or in English: some measures are always written so."""
    plain = _NAMES.sub(" ", line)
    found = list(_check_line(plain.translate(_GERMAN) if language == "de" else plain, known))
    if language == "de" and not all(each.supported for each in found):
        in_english = list(_check_line(plain, known))
        return in_english if all(each.supported for each in in_english) else found
    return found


def _check_line(line: str, known: _Known) -> Iterator[Finding]:
    years = {int(year) for year in _YEAR.findall(line)}
    if " = " not in line:
        yield from _check_statement(line, years, known)
        return
    said, _, shown = line.rpartition(": ")
    calculation, _, result = shown.partition(" = ")
    said, calculation, result = (_YEAR.sub(" ", each) for each in (said, calculation, result))
    for written in _NUMBER.findall(said):
        yield _finding(written, _value(written) in known.asked, "in no quoted row")
    # What is of one year may be compared with those beside it, averaged with them, or go on from the line before.
    span = years if len(years) > 1 else years | known.named | {year + off for year in years for off in (-1, 1)}
    known.named = years
    yield from _check_operands(_LOSS.sub(r" -\1 ", calculation), span, known)
    told = _NUMBER.search(result)
    value = _evaluate(_LOSS.sub(r" -\1 ", calculation))
    holds = value is not None and told is not None and _comes_to(value, result, told, calculation)
    yield _finding(result.strip(), holds, "the calculation comes to another result")
    if holds and told is not None:
        known.add_result(_signed(result, told), calculation.count("+") + 1)


def _check_statement(line: str, years: set[int], known: _Known) -> Iterator[Finding]:
    plain = _YEAR.sub(" ", line)
    for each in _NUMBER.finditer(plain):
        yield _finding(each.group(), known.has(_signed(plain, each), years), "in no quoted row of these years")
    for pattern in (_IN_A_YEAR, _OF_A_YEAR):
        for each in pattern.finditer(line):
            holds = known.has(_bracketed(each["figure"]), {int(each["year"])})
            yield _finding(each.group().strip(), holds, "the row has another figure in this year")
    for each in _MOVED.finditer(line):
        before, after = _bracketed(each["before"]), _bracketed(each["after"])
        yield _finding(each.group().strip(), after > before if each["up"] else after < before, "it moved the other way")


def _check_operands(shown: str, years: set[int], known: _Known) -> Iterator[Finding]:
    constants = {each.start() for each in _CONSTANTS.finditer(shown)}
    root = re.search(r"\^ \(1/(\d+)\)", shown)
    if root is not None and int(root[1]) <= _LONGEST_ROOT:
        constants |= {root.start(1), root.start(1) - 2}
    count = re.search(r"\) / (\d+)\s*$", shown)
    if count is not None and int(count[1]) == shown.count("+") + 1:
        constants.add(count.start(1))
    mean = re.fullmatch(rf"\s*(?P<total>{_NUMBER.pattern}) / (?P<count>\d+)\s*", shown)
    if mean is not None and known.is_sum_of(_value(mean["total"]), int(mean["count"])):
        constants.add(mean.start("count"))
    for each in _NUMBER.finditer(shown):
        value = _value(each.group())
        signed = -value if _UNARY.search(shown[: each.start()]) else value
        stands = each.start() in constants or value in known.asked or known.has(signed, years)
        yield _finding(f"{signed:,}", stands, "in no quoted row of these years")
    scales, currencies = set(map(str.lower, _SCALE.findall(shown))), currencies_in(shown)
    if len(scales) > 1 or len(currencies) > 1:
        yield _finding(shown.strip(), False, "its figures are in several scales or currencies")


def _comes_to(value: Decimal, result: str, told: re.Match[str], calculation: str) -> bool:
    stated = _signed(result, told)
    if _RESULT_ENDS.fullmatch(result, told.end()) is None:
        return False
    given, wanted = _SCALE.search(calculation), _SCALE.search(result)
    if wanted is not None:
        value = value.scaleb((_SCALES[given.group().lower()] if given else 0) - _SCALES[wanted.group().lower()])
    # Rounding to the decimals shown.
    tolerance = Decimal("0.5000001").scaleb(int(stated.as_tuple().exponent))
    of_percent, in_percent, in_points = "%" in calculation, "%" in result, _POINTS.search(result) is not None
    if (in_points and not of_percent) or (
        in_percent and of_percent and "/" not in calculation and " - " in calculation
    ):
        return False
    # A share of amounts is shown in per cent; figures in per cent stay so.
    if in_percent and not of_percent:
        value *= 100
    return abs(value - stated) <= tolerance


def _signed(text: str, figure: re.Match[str]) -> Decimal:
    """Return a figure with the sign that a text gives it, before its currency or in brackets."""
    before = text[: figure.start()]
    bracketed = before.endswith("(") and text[figure.end() :].removeprefix(" %").startswith(")")
    negative = bracketed or _MINUS.search(before) is not None
    value = _value(figure.group())
    return -value if negative else value


def _bracketed(written: str) -> Decimal:
    value = _value(written.strip("().,"))
    return -value if written.startswith("(") and written.endswith(")") else value


def _evaluate(expression: str) -> Decimal | None:
    tokens: list[Token] = []
    negative = False
    for written in _TOKEN.findall(expression):
        begins = not tokens or (isinstance(tokens[-1], str) and tokens[-1] != ")")
        if written == "-" and begins:
            negative = not negative
        elif written[0].isdigit():
            tokens.append(-_value(written) if negative else _value(written))
            negative = False
        else:
            tokens.append(written)
    return evaluate(tokens)


def _value(written: str) -> Decimal:
    return Decimal(written.replace(",", ""))


def _finding(value: str, supported: bool, otherwise: str) -> Finding:
    return Finding(
        type=FindingType.NUMBER,
        value=value,
        supported=supported,
        ref_id="",
        note="stands in a quoted row or follows from it" if supported else otherwise,
    )
