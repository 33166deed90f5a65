"""A figure as an answer writes it: number, scale, currency and unit, which a wrong answer exchanges one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from tests.evaluation.checking.layouts import SIGNS
from tests.evaluation.checking.statements import SCALES

WORDS: Final[Mapping[str, str]] = {
    "USD": "US dollars", "GBP": "pounds", "EUR": "euros", "JPY": "yen", "SEK": "kronor", "NOK": "kroner",
}  # fmt: skip
_WORDS_DE: Final[Mapping[str, str]] = {"EUR": "Euro", "USD": "US-Dollar", "GBP": "Pfund", "JPY": "Yen"}
_SCALES_DE: Final[Mapping[str, str]] = {"thousand": "Tausend", "million": "Mio.", "billion": "Mrd."}
_SHORT: Final[Mapping[str, str]] = {"thousand": "k", "million": "m", "billion": "bn"}
_NEXT: Final[Mapping[str, str]] = {"thousand": "million", "million": "billion", "billion": "billion"}

MONEY_EN: Final = ("{sign}{num} {scale}", "{code} {num} {scale}", "{num} {scale} {words}", "{sign}{num}{short}")
FULL: Final = "{sign}{num},000"
MONEY_DE: Final = ("{num} {scale} {code}", "{num} {scale} {sign}", "{code} {num} {scale}", "{num} {scale} {words}")
PERCENT_EN: Final = ("{num} %", "{num}%", "{num} percent", "{num}%")
PERCENT_DE: Final = ("{num} %", "{num} Prozent")
POINTS_EN: Final = ("{num} percentage points", "{num} pp", "{num} percentage points")
POINTS_DE: Final = ("{num} Prozentpunkte",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A figure in words. `num` is written in the language; `kind` is money, share, percent, points, count or times."""

    kind: str
    template: str
    num: str
    language: str
    scale: str = ""
    currency: str = ""
    unit: str = ""

    @property
    def text(self) -> str:
        german = self.language == "de"
        sign = SIGNS.get(self.currency) or (self.currency if german else f"{self.currency} ")
        template = self.template
        if german and (self.scale, self.currency) == ("thousand", "EUR"):
            template = "TEUR {num}" if template.startswith("{code}") else "{num} TEUR"
        return template.format(
            sign=sign,
            code=self.currency,
            num=self.num,
            scale=_SCALES_DE[self.scale] if german and self.scale else self.scale,
            words=(_WORDS_DE if german else WORDS).get(self.currency, self.currency),
            short=_SHORT.get(self.scale, ""),
            unit=self.unit,
        )

    @property
    def number(self) -> Decimal:
        plain = self.num.replace(".", "").replace(",", ".") if self.language == "de" else self.num.replace(",", "")
        return Decimal(plain)

    @property
    def base(self) -> Decimal:
        """The value in single units."""
        return self.number * SCALES.get(self.scale, Decimal(1))

    @property
    def step(self) -> Decimal:
        """What one in the last place shown stands for."""
        return Decimal(1).scaleb(int(self.number.as_tuple().exponent)) * SCALES.get(self.scale, Decimal(1))

    @property
    def unit_name(self) -> str:
        """The unit as a claim names it."""
        match self.kind:
            case "money":
                per_share = "per share" in self.template or "je Aktie" in self.template
                return f"{self.currency} {self.scale}{' per share' if per_share else ''}"
            case "share":
                return f"{self.currency} per share"
            case "percent":
                return "%"
            case "points":
                return "percentage points"
            case "times":
                return "x"
            case _:
                return self.unit

    def agrees(self, value: Decimal) -> bool:
        """Return whether the value, in single units, rounds to what is shown."""
        return abs(self.base - value) <= self.step / 2


def written(value: Decimal, places: int, language: str, *, signed: bool = False) -> str:
    """Write a number in a language, rounded half up."""
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{rounded:+,.{places}f}" if signed else f"{rounded:,.{places}f}"
    if language == "de":
        text = text.replace(",", "\0").replace(".", ",").replace("\0", ".")
    return text


def money(value: Decimal, *, places: int, scale: str, currency: str, language: str, template: str, up: int) -> Shown:
    """Show an amount in single units. `up`: places in the next larger scale, or 0 for the scale of the table.

    An amount that is smaller than one of the next larger scale keeps its scale.
    """
    larger = _NEXT[scale]
    if up and larger != scale and value >= SCALES[larger]:
        num = written(value / SCALES[larger], up, language)
        return Shown(kind="money", template=template, num=num, language=language, scale=larger, currency=currency)
    num = written(value / SCALES[scale], places, language)
    return Shown(kind="money", template=template, num=num, language=language, scale=scale, currency=currency)
