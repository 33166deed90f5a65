"""Hold a number as it is written against a figure: equal, equal when rounded, near, or another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import Final

from apps.filings.contracts import FactUnit
from apps.filings.models import Fact
from apps.filings.text.numbers import Number, NumberUnit, round_to
from apps.research.claims.contracts import Claim

TOLERANCE: Final = Decimal("0.005")
"""A number that is coarser than the figure, or is hedged, is mostly accurate so far from it, as a share of it."""
_FARTHEST_ROUNDED: Final = Decimal("0.05")
"""A number that is rounded to one digit says little: farther from the figure than this it is not confirmed."""
_SIGNED: Final = re.compile(
    r"income|profit|earnings|result|cash flow|cash used|ebit|loss|equity|change|revenue|gain|ergebnis|überschuss"
    r"|gewinn",
    re.IGNORECASE,
)
_COSTS: Final = re.compile(
    r"expense|cost|tax|expenditure|dividend|depreciation|amorti[sz]ation|interest paid", re.IGNORECASE
)
_USED: Final = re.compile(r"\bused\b|outflow|abfluss", re.IGNORECASE)


class Likeness(IntEnum):
    """How well a number fits, the best first."""

    SAME = 0
    NEAR = 1
    SCALE_OMITTED = 2
    OTHER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    likeness: Likeness
    why: str = ""


def compare(claim: Claim, value: Decimal, fact: Fact, *, tolerance: Decimal = TOLERANCE) -> Compared:
    """Compare the number of a claim with a value. Args: fact: whose unit, scale and digits the value has."""
    number = number_of(claim)
    if (why := _other_unit(number, fact)) is not None:
        return Compared(likeness=Likeness.OTHER, why=why)
    claimed, held = _signed(claim, number, value, fact)
    if claim.upper is not None:
        return _within(claimed, claim.upper, held)
    compared = compare_values(
        number, claimed, held, held_step=(fact.exponent or 0) - fact.decimals, leeway=claim.leeway, tolerance=tolerance
    )
    if compared.likeness is Likeness.OTHER and not number.exponent and fact.exponent:
        bare = compare_values(
            number, claimed.scaleb(fact.exponent), held, held_step=fact.exponent, tolerance=Decimal(0)
        )
        if bare.likeness is Likeness.SAME and fact.unit == FactUnit.MONEY:
            return Compared(likeness=Likeness.SCALE_OMITTED, why="It gives no scale; the figure is in a larger one.")
    if compared.likeness is Likeness.OTHER and claimed == -held:
        return Compared(likeness=Likeness.OTHER, why="The figure has the opposite sign.")
    return compared


def number_of(claim: Claim) -> Number:
    """Return the number of a claim. Raises: ValueError: it has none."""
    if claim.number is None:
        raise ValueError("the claim has no number")
    return claim.number


def compare_values(
    number: Number,
    claimed: Decimal,
    held: Decimal,
    *,
    held_step: int | None,
    leeway: int = 0,
    tolerance: Decimal = TOLERANCE,
) -> Compared:
    """Compare two values.

    Args: held_step: the power of ten of the held value's last digit; None for one that was worked out.
          leeway: as Claim has it.
    """
    step = number.exponent - number.decimals
    apart = abs(claimed - held)
    if leeway in (1, -1):
        holds = (held >= claimed) if (leeway == 1) == (held >= 0) else held <= claimed
        return Compared(likeness=Likeness.SAME if holds else Likeness.OTHER)
    if not apart:
        return Compared(likeness=Likeness.SAME)
    share = apart / abs(held) if held else Decimal(1)
    coarser = held_step is None or step > held_step
    rounds = coarser and apart * 2 <= Decimal(1).scaleb(step)
    if leeway == 2:
        whole = number.value.as_tuple()
        zeros = len(str(number.value)) - len(str(number.value).rstrip("0")) if not number.decimals else 0
        rounds = apart * 2 <= Decimal(1).scaleb(step + zeros) and bool(whole.digits)
    if rounds and share <= _FARTHEST_ROUNDED:
        return Compared(likeness=Likeness.SAME, why="rounded")
    if rounds or ((coarser or leeway == 2) and share <= tolerance):
        return Compared(likeness=Likeness.NEAR, why="It is near the figure, and not that figure rounded.")
    if held_step is not None and step < held_step and apart * 2 <= Decimal(1).scaleb(held_step):
        return Compared(likeness=Likeness.NEAR, why="It gives more digits than the document does.")
    return Compared(likeness=Likeness.OTHER)


def written_like(claim: Claim, value: Decimal, currency: str = "") -> str:
    """Return a value as the claim would write it: its scale, decimals, separators and currency."""
    number = claim.number
    if number is None:
        return ""
    size = abs(value).scaleb(-number.exponent)
    rounded = next(
        (each for at in range(number.decimals, number.decimals + 4) if (each := round_to(size, at)) or not size), size
    )
    digits = f"{rounded:,f}"
    if claim.language == "de":
        digits = digits.translate(str.maketrans(",.", ".,"))
    negative = value < 0 and claim.sign >= 0
    phrase = re.sub(r"\(?[\d][\d.,'\u2019\u202f]*\)?", digits, number.text, count=1).lstrip("-\u2212\u2013")
    if currency and number.currency and currency != number.currency:
        phrase = re.sub(
            r"US\$|HK\$|[CA]\$|[$€£¥]|\b[A-Z]{3}\b|\b(?:dollars?|euros?|pounds?|franken)\b",
            f"{currency} ",
            phrase,
            count=1,
        )
    return ("\u2212" if negative else "") + " ".join(phrase.split())


def _other_unit(number: Number, fact: Fact) -> str | None:
    percent = fact.unit == FactUnit.PERCENT
    if number.unit in (NumberUnit.POINTS, NumberUnit.BASIS_POINTS):
        return "The figure is not a number of percentage points."
    if number.percent != percent:
        return "The figure is a percentage." if percent else "The figure is not a percentage."
    money = fact.unit in (FactUnit.MONEY, FactUnit.PER_SHARE)
    if number.currency and not money:
        return "The figure is not an amount of money."
    if number.currency and fact.currency and number.currency != fact.currency:
        return f"The figure is in {fact.currency}."
    return None


def _signed(claim: Claim, number: Number, value: Decimal, fact: Fact) -> tuple[Decimal, Decimal]:
    """Return the claimed and the held value with the signs that count: what is spent is printed with one or without."""
    name = fact.concept or fact.label
    claimed = -number.scaled if number.negative or claim.sign < 0 or _USED.search(claim.measure) else number.scaled
    if _COSTS.search(name) and not re.search(r"before|after|income (?:before|after)", name):
        return (claimed, abs(value)) if number.negative and value > 0 else (abs(claimed), abs(value))
    if not _SIGNED.search(name) and not number.negative and claim.sign == 0:
        return claimed, abs(value)
    return claimed, value


def _within(lower: Decimal, upper: Number, held: Decimal) -> Compared:
    top = -upper.scaled if lower < 0 else upper.scaled
    low, high = sorted((lower, top))
    return Compared(likeness=Likeness.SAME if low <= held <= high else Likeness.OTHER)
