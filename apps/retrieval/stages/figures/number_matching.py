"""Compare numbers as a reader would, with currency, scale and unit.

What a source states about a number elsewhere than beside it (a table's "in millions") is passed in as `Stated`; nothing
is assumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

from apps.filings.text.numbers import Number, NumberUnit, round_to

_FEWEST_DIGITS: Final = 2
"""A figure brought into another scale keeps at least so many digits that say something, or rounding would hide all."""
AS_WRITTEN: Final = "as written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What a source states about a number elsewhere than beside it: in its row, column heading or table caption.

    exponent: of the table's scale; None if it states none. asked_exponent: of the scale that the question asks for.
    """

    exponent: int | None = None
    currencies: frozenset[str] = frozenset()
    units: frozenset[NumberUnit] = frozenset()
    asked_exponent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Whether two numbers with equal digits are the same number, and how or why not. Notes hold no figures."""

    same: bool
    note: str


_NOTHING: Final = Stated()


def match_number(claim: Number, sources: Iterable[Number], *, stated: Stated = _NOTHING) -> str | None:
    """Return how a number is found among those of a source, the closest way first; None if it is not found."""
    compared = (compare_numbers(claim, source, stated) for source in sources)
    notes = [each.note for each in compared if each is not None and each.same]
    return min(notes, default=None, key=lambda note: (note != AS_WRITTEN, len(note), note))


def compare_numbers(claim: Number, source: Number, stated: Stated = _NOTHING) -> Comparison | None:
    """Compare a number of an answer with one of a source, units included. The caller judges the sign.

    Returns: None if the digits differ. Numbers in different scales are the same only if both scales are known, and then
             to the decimals that the claim gives.
    """
    units = _compare_units(claim, source, stated)
    scale = _compare_scales(claim, source, stated)
    if scale is None:
        return None
    currency = _compare_currencies(claim, source, stated)
    failed = [each.note for each in (scale, units, currency) if not each.same]
    if failed:
        return Comparison(same=False, note="; ".join(failed))
    notes = [each.note for each in (scale, units, currency) if each.note]
    if claim.negative != source.negative:
        notes.append("with the opposite sign in the source")
    return Comparison(same=True, note="; ".join(notes) or AS_WRITTEN)


def _compare_scales(claim: Number, source: Number, stated: Stated) -> Comparison | None:
    own = source.exponent or (stated.exponent or 0 if source.unit is NumberUnit.PLAIN else 0)
    known = bool(source.exponent) or stated.exponent is not None
    factor = _points_factor(claim, source)
    value = source.value.scaleb(factor)
    if not claim.exponent:
        if claim.value == value:
            unsaid = own and own != source.exponent and claim.currency and stated.asked_exponent != own
            if unsaid or (source.exponent and source.exponent != stated.asked_exponent):
                return Comparison(same=False, note="its scale is omitted")
            return Comparison(same=True, note="")
        if source.exponent or own:
            return _compare_rounded(claim, value.scaleb(own - (stated.asked_exponent or 0)), value.scaleb(own))
        return None
    if claim.scaled == value.scaleb(own) and known:
        return Comparison(same=True, note="" if source.exponent else "the scale is in the heading")
    if not known and claim.value == value:
        return Comparison(same=False, note="the figure has no scale")
    if known:
        if claim.value == value:
            return Comparison(same=False, note="in another scale")
        return _compare_rounded(claim, value.scaleb(own - claim.exponent))
    return None


def _compare_rounded(claim: Number, *values: Decimal) -> Comparison | None:
    """Compare the claim with values in the claim's own scale, rounded to the claim's decimals."""
    digits = len(str(claim.value).replace(".", "").lstrip("0") if claim.decimals else str(claim.value).strip("0")) or 1
    for value in values:
        if claim.value == value:
            return Comparison(same=True, note="in another scale")
        rounded = {round_to(value, claim.decimals, mode) for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)}
        if claim.value in rounded and max(digits, claim.decimals) >= _FEWEST_DIGITS:
            return Comparison(same=True, note="rounded")
    return None


def _points_factor(claim: Number, source: Number) -> int:
    """Return the powers of ten between percentage points and basis points."""
    pair = (claim.unit, source.unit)
    if pair == (NumberUnit.BASIS_POINTS, NumberUnit.POINTS):
        return 2
    return -2 if pair == (NumberUnit.POINTS, NumberUnit.BASIS_POINTS) else 0


def _compare_units(claim: Number, source: Number, stated: Stated) -> Comparison:
    points = {NumberUnit.POINTS, NumberUnit.BASIS_POINTS}
    if claim.unit is source.unit or {claim.unit, source.unit} == points:
        return Comparison(same=True, note="")
    if source.unit is NumberUnit.PLAIN:
        near = claim.unit in stated.units
        note = "the unit is in the heading" if near else f"the figure is not given in {claim.unit.value}"
        return Comparison(same=near, note=note)
    if claim.unit is NumberUnit.PLAIN and not claim.currency and not claim.exponent:
        return Comparison(same=True, note=f"the source says {source.unit.value}")
    return Comparison(same=False, note=f"the source says {source.unit.value}")


def _compare_currencies(claim: Number, source: Number, stated: Stated) -> Comparison:
    if not claim.currency:
        return Comparison(same=True, note="")
    near = frozenset({source.currency}) if source.currency else stated.currencies
    if not near or claim.currency in near:
        # What no source states is no contradiction.
        return Comparison(same=True, note="")
    return Comparison(same=False, note="in another currency")
