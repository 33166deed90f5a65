"""Read numbers out of text and compare them as a reader would: 1,577 is 1577, and (1,577) is its negative."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

_NUMBER: Final = re.compile(
    r"""
    (?<![\w.,])                                  # not inside a word (Q4, 10-K) or another number
    (?P<open>\()?
    (?:(?P<sign>[-\u2212\u2013])(?=[$€£\d(U]))?
    (?P<currency>US\$|[$€£])?\s?
    (?P<open_after>\()?
    (?P<digits>\d{1,3}(?:[,'\u2019]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)
    (?P<close>\))?
    (?:\s?(?P<percent>%|percent(?:age\ points?)?\b|per\ cent\b|pp\b))?
    (?P<late_close>\))?
    (?:\s?(?P<scale>thousands?|millions?|billions?|trillions?|mn|bn|[mk])\b)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SCALES: Final = {"t": 3, "k": 3, "m": 6, "b": 9}
_COMMON_SCALES: Final = (0, 3, 6, 9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number as written. `value` is without sign and scale; `exponent` is the power of ten that a word adds."""

    text: str
    value: Decimal
    negative: bool
    percent: bool
    exponent: int

    @property
    def decimals(self) -> int:
        exponent = self.value.as_tuple().exponent
        return max(0, -exponent) if isinstance(exponent, int) else 0


def read_numbers(text: str) -> tuple[Number, ...]:
    """All numbers of a text, left to right. Digits inside words (Q4, FY2018, 10-K) are not numbers."""
    return tuple(_number(match) for match in _NUMBER.finditer(text) if _stands_alone(match, text))


def match_number(claim: Number, sources: Iterable[Number], *, percent_nearby: bool = False) -> str | None:
    """Find out whether a number is among those of a source.

    Args:    claim: the number of an answer.
             sources: the numbers of the cited passages.
             percent_nearby: the passage speaks of percent somewhere (a table often does so in its heading).
    Returns: how it matches, the closest way first ("as written", or what differs: sign, percent sign, scale); None
             if it doesn't. A different scale counts only where the claim names one ("1.6 billion" for 1,577 in a
             table of millions), and then to the decimals that the claim gives.
    """
    notes = [note for source in sources if (note := _compare(claim, source, percent_nearby)) is not None]
    return min(notes, default=None, key=lambda note: (note != AS_WRITTEN, len(note), note))


AS_WRITTEN: Final = "as written"


def _compare(claim: Number, source: Number, percent_nearby: bool) -> str | None:
    if claim.percent and not source.percent and not percent_nearby:
        return None
    if source.percent and not claim.percent and claim.exponent:
        return None
    differences: list[str] = []
    if claim.value.scaleb(claim.exponent) != source.value.scaleb(source.exponent):
        if claim.value == source.value and not source.exponent and not claim.percent:
            differences.append("the scale is not given beside the figure")
        elif claim.exponent and _rounds_to(claim, source):
            differences.append("rounded or in another scale")
        else:
            return None
    if claim.negative != source.negative:
        differences.append("with the opposite sign in the source")
    if claim.percent != source.percent:
        differences.append("the percent sign stands elsewhere")
    return "; ".join(differences) or AS_WRITTEN


def _rounds_to(claim: Number, source: Number) -> bool:
    step = Decimal(1).scaleb(-claim.decimals)
    exponents = (source.exponent,) if source.exponent else _COMMON_SCALES
    for exponent in exponents:
        scaled = source.value.scaleb(exponent - claim.exponent)
        if any(scaled.quantize(step, rounding=mode) == claim.value for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)):
            return True
    return False


def _number(match: re.Match[str]) -> Number:
    scale = (match["scale"] or "").lower()
    opened = match["open"] or match["open_after"]
    closed = match["close"] or match["late_close"]
    return Number(
        text=match.group().strip(),
        value=Decimal(re.sub(r"[,'\u2019]", "", match["digits"])),
        negative=bool(match["sign"] or (opened and closed)),
        percent=bool(match["percent"]),
        exponent=0 if not scale else 12 if scale.startswith("tr") else _SCALES[scale[0]],
    )


def _stands_alone(match: re.Match[str], text: str) -> bool:
    """Whether the digits are a number, and not the beginning of a name such as 10-K, 3M or 8th."""
    after = text[match.end("digits") : match.end("digits") + 2]
    if match["percent"] or (match["scale"] and (len(match["scale"]) > 1 or match["currency"])):
        return True
    if match["scale"]:
        return False
    return not (after[:1].isalpha() or (after[:1] == "-" and after[1:2].isalpha()))
