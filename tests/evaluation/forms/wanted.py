"""The ways to write a result that count as right.

A percentage shows one or two decimals; a multiple two or three, or its percentage; days none to two; an amount its
digits as the statement has them, or three digits or more in another scale that is named. Halves may go either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, Final

_SCALES: Final = (0, 3, 6, 9)
_DIGITS: Final = 3
_MANY: Final = 10
_SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£", "CHF": "CHF"}


def rounded(value: Decimal, places: int) -> set[Decimal]:
    step = Decimal(1).scaleb(-places)
    return {abs(value).quantize(step, mode) for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)}


def written(value: Decimal, places: int, words: Mapping[str, Any]) -> list[str]:
    """Return a figure's forms with so many places: with and without separators, in German also with its comma."""
    forms = []
    for each in sorted(rounded(value, places)):
        forms += [f"{each:,}", f"{each}"]
        if "Prozent" in words["percent"]:
            forms += [form.translate(str.maketrans(",.", ".,")) for form in forms[-2:]]
    return list(dict.fromkeys(forms))


def amount(value: Decimal, exponents: Iterable[int], words: Mapping[str, Any]) -> list[str]:
    """Return the forms of an amount. exponents: of the tables that it comes from; other scales need their name."""
    forms: list[str] = []
    for exponent in _SCALES:
        scaled = abs(value).scaleb(-exponent)
        for places in range(4):
            if not _says_it(scaled, places):
                continue
            bare = written(scaled, places, words)
            if exponent in exponents or not exponent:
                forms += bare
            else:
                forms += [f"{form} {name}" for form in bare for name in words["scales"][str(exponent)]]
                forms += [f"{form}{name}" for form in bare for name in words["scales"][str(exponent)][1:]]
    return list(dict.fromkeys(forms))


def _says_it(scaled: Decimal, places: int) -> bool:
    """Return whether so many places give the value itself or at least three digits of it."""
    return any(each == scaled or each.scaleb(places) >= 10 ** (_DIGITS - 1) for each in rounded(scaled, places))


def percent(share: Decimal, words: Mapping[str, Any]) -> list[str]:
    """Return the forms of a share as a percentage."""
    value = share * 100
    forms = [form for places in (1, 2) for form in written(value, places, words)]
    if any(each == each.to_integral_value() for each in rounded(value, 1)):
        forms += [f"{form}{ending}" for form in written(value, 0, words) for ending in _percent_signs(words)]
    return forms


def times(value: Decimal, words: Mapping[str, Any]) -> list[str]:
    """Return the forms of a multiple; its percentage is the same."""
    decimals = (1, 2, 3) if abs(value) >= _MANY else (2, 3)
    forms = [form for places in decimals for form in written(value, places, words)]
    return forms + [f"{form}{ending}" for form in percent(value, words) for ending in _percent_signs(words)]


def days(value: Decimal, words: Mapping[str, Any]) -> list[str]:
    return [form for places in (0, 1, 2) for form in written(value, places, words)]


def asked(value: Decimal, exponent: int, words: Mapping[str, Any]) -> list[str]:
    """Return the forms of an amount in the unit that a question asks for."""
    places = {3: 0, 6: 1, 9: 2}[exponent]
    forms = written(value.scaleb(-exponent), places, words)
    for each in rounded(value.scaleb(-exponent), places):
        short = next(count for count in range(places + 1) if each == round(each, count))
        forms += written(each, short, words)
    return list(dict.fromkeys(forms))


def with_sign(forms: list[str], value: Decimal, words: Mapping[str, Any], *, of: str = "down") -> list[list[str]]:
    """Return what is accepted: the figure, and of a negative one also its sign or a word for it."""
    if value >= 0:
        return [forms]
    fronts = ["-", "- ", "(", *(f"{lead}{sign}{gap}" for sign in _signs() for lead in ("-", "(") for gap in ("", " "))]
    fronts += [f"{sign}{gap}{tail}" for sign in _signs() for gap in ("", " ") for tail in ("-", "(")]
    return [forms, [*words[of], *(f"{front}{form}" for form in forms for front in fronts)]]


def _signs() -> Sequence[str]:
    return [each for pair in _SIGNS.items() for each in pair][:6]


def _percent_signs(words: Mapping[str, Any]) -> list[str]:
    return ["%", *(f" {word}" for word in words["percent"])]
