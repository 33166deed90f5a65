"""Comparisons in words, and between which ratios of the new figure to the old one each of them holds."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

_EN: Final = (
    ("more than tripled", "3.02", "3.98"),
    ("more than doubled", "2.02", "2.98"),
    ("nearly doubled", "1.86", "1.985"),
    ("rose by more than half", "1.52", "1.84"),
    ("rose by about half", "1.46", "1.54"),
    ("rose by more than a third", "1.345", "1.45"),
    ("rose by about a third", "1.31", "1.345"),
    ("rose by more than a quarter", "1.258", "1.32"),
    ("rose by about a quarter", "1.235", "1.265"),
    ("rose by about a fifth", "1.185", "1.215"),
    ("grew by more than a tenth", "1.105", "1.19"),
    ("rose by about a tenth", "1.085", "1.115"),
    ("grew by less than a tenth", "1.006", "1.095"),
    ("rose slightly", "1.006", "1.03"),
    ("fell slightly", "0.97", "0.994"),
    ("fell by less than a tenth", "0.905", "0.994"),
    ("fell by about a tenth", "0.885", "0.915"),
    ("fell by more than a tenth", "0.8", "0.895"),
    ("fell by about a fifth", "0.785", "0.815"),
    ("fell by about a quarter", "0.735", "0.765"),
    ("fell by about a third", "0.645", "0.69"),
    ("roughly halved", "0.48", "0.53"),
    ("more than halved", "0.1", "0.495"),
)
_DE: Final = (
    ("verdoppelte|verdoppelten sich nahezu", "1.86", "1.985"),
    ("stieg|stiegen um mehr als die Hälfte", "1.52", "1.84"),
    ("stieg|stiegen um rund ein Viertel", "1.235", "1.265"),
    ("wuchs|wuchsen um rund ein Fünftel", "1.18", "1.235"),
    ("wuchs|wuchsen um mehr als ein Zehntel", "1.105", "1.18"),
    ("stieg|stiegen um weniger als ein Zehntel", "1.006", "1.095"),
    ("stieg|stiegen leicht", "1.006", "1.03"),
    ("sank|sanken leicht", "0.97", "0.994"),
    ("sank|sanken um weniger als ein Zehntel", "0.905", "0.994"),
    ("fiel|fielen um mehr als ein Zehntel", "0.8", "0.895"),
    ("sank|sanken um rund ein Drittel", "0.645", "0.69"),
    ("halbierte|halbierten sich in etwa", "0.48", "0.53"),
)
_FAR: Final = Decimal("0.05")
_SLIGHT: Final = Decimal("0.1")


def phrases(ratio: Decimal, language: str) -> tuple[list[str], list[str]]:
    """Return the phrases that hold for a ratio, and those of the same direction that plainly do not."""
    true: list[str] = []
    false: list[str] = []
    for phrase, low, high in _DE if language == "de" else _EN:
        if Decimal(low) <= ratio <= Decimal(high):
            true.append(phrase)
        elif (Decimal(low) > 1) == (ratio > 1) and _plainly_false(phrase, ratio, Decimal(low), Decimal(high)):
            false.append(phrase)
    return true, false


def _plainly_false(phrase: str, ratio: Decimal, low: Decimal, high: Decimal) -> bool:
    if "slightly" in phrase or "leicht" in phrase:
        return abs(ratio - 1) > _SLIGHT
    if "more than" in phrase or "mehr als" in phrase:
        return ratio < low - _FAR if low > 1 else ratio > high + _FAR
    if "less than" in phrase or "weniger als" in phrase:
        return ratio > high + _FAR if low > 1 else ratio < low - _FAR
    return not low - _FAR <= ratio <= high + _FAR
