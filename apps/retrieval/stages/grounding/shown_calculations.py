"""Check the calculations that an answer by quotation shows, against the rows that it quotes.

Every number must stand in a quoted row, be the result of an earlier line, be a constant of the formula or stand in the
question; and every calculation must come to the result that it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.filings.text.numbers import read_numbers
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
# Amounts have thousands separators, so four digits without one are a year.
_YEAR: Final = re.compile(r"(?<![\d.,])(?:FY)?(?:19|20)\d\d(?![\d]|[.,]\d)")
_NUMBER: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_LOSS: Final = re.compile(r"\((\d[\d.,]*)(?:\s%)?\)")
_TOKEN: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[-+*/^()]")
_GERMAN: Final = str.maketrans({",": ".", ".": ","})
_SCALES: Final = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "tausend": 3,
    "millionen": 6,
    "milliarden": 9,
}
_SCALE: Final = re.compile(rf"\b(?:{'|'.join(_SCALES)})\b", re.IGNORECASE)
_CONSTANTS: Final = frozenset(map(Decimal, (1, 2, 100, 360, 365)))
_LONGEST_ROOT: Final = 20
"""Years over which a growth may be compounded: "^ (1/3)"."""


def check_calculations(
    lines: Sequence[str], quotes: Sequence[Quote], passages: Sequence[Passage], *, question: str, language: str
) -> GroundingReport:
    """Check each line of an answer that was worked out. Args: language: of the lines, "de" or any other."""
    languages = {each.ref_id: each.chunk.language for each in passages}
    known = {number.value for quote in quotes for number in read_numbers(quote.text, languages.get(quote.ref_id, "en"))}
    asked = {number.value for number in read_numbers(question, language)}
    findings: list[Finding] = []
    for line in lines:
        findings.extend(_check_in_notation(line, language, known, asked))
    holds = bool(findings) and all(each.supported for each in findings)
    return GroundingReport(
        status=GroundingStatus.GROUNDED if holds else GroundingStatus.UNGROUNDED,
        findings=tuple(findings),
        reason=_HOLDS if holds else _DOES_NOT,
    )


def _check_in_notation(line: str, language: str, known: set[Decimal], asked: set[Decimal]) -> list[Finding]:
    """Check a line in the notation of its language, or in English: some measures are always written so."""
    found = list(_check_line(_plain(line, language), known, asked))
    if language == "de" and not all(each.supported for each in found):
        in_english = list(_check_line(_plain(line, "en"), known, asked))
        return in_english if all(each.supported for each in in_english) else found
    return found


def _plain(line: str, language: str) -> str:
    """Return the figures and signs of a line in English notation, without names, references and years."""
    line = _NAMES.sub(" ", line)
    line = line.rsplit(": ", 1)[-1]
    line = line.translate(_GERMAN) if language == "de" else line
    return _YEAR.sub(" ", line)


def _check_line(line: str, known: set[Decimal], asked: set[Decimal]) -> Iterator[Finding]:
    calculation, equals, result = line.partition(" = ")
    shown = _LOSS.sub(r" -\1 ", calculation)
    numbers = [_value(each) for each in _NUMBER.findall(shown)]
    allowed = known | asked | _CONSTANTS | {Decimal(shown.count("+") + 1)} if equals else known
    if equals and (root := re.search(r"\^ \(1/(\d+)\)", shown)) is not None and int(root[1]) <= _LONGEST_ROOT:
        allowed = allowed | {Decimal(root[1])}
    for number in numbers:
        yield _finding(f"{number:,}", number in allowed, "in no quoted row")
    if not equals:
        return
    value, told = _evaluate(shown), _NUMBER.search(result)
    holds = value is not None and told is not None and _comes_to(value, result, told.group(), calculation)
    yield _finding(result.strip(), holds, "the calculation comes to another result")
    if holds and told is not None:
        known.add(_value(told.group()))


def _comes_to(value: Decimal, result: str, told: str, calculation: str) -> bool:
    stated = -_value(told) if result.lstrip().startswith("-") else _value(told)
    given, wanted = _SCALE.search(calculation), _SCALE.search(result)
    if wanted is not None:
        value = value.scaleb((_SCALES[given.group().lower()] if given else 0) - _SCALES[wanted.group().lower()])
    # Rounding to the decimals shown.
    tolerance = Decimal("0.5000001").scaleb(int(stated.as_tuple().exponent))
    # A share of amounts is shown in per cent; figures in per cent stay so.
    if "%" in result and "%" not in calculation:
        value *= 100
    return abs(value - stated) <= tolerance


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
