"""A calculation that a question asks for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.retrieval.stages.figures.calculating.thresholds import Threshold


class Form(StrEnum):
    VALUE = "value"
    CHANGE = "change"
    COMPOUND_GROWTH = "compound_growth"
    AVERAGE = "average"
    SUM = "sum"
    HIGHEST = "highest"
    LOWEST = "lowest"
    SHARE = "share"
    DIFFERENCE = "difference"
    COMPARISON = "comparison"
    SIGN = "sign"
    RATIO = "ratio"
    THRESHOLD = "threshold"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedForm:
    """A calculation that a question asks for.

    form: what is calculated. parts: the texts that name the operands: one, or two (a share: the part and the whole), or
        three (a ratio of two figures added or subtracted, and a third).
    years: those that the question names, earliest first. whole_range: whether the years between them count too.
    since: whether the time goes on from the year named. count: over how many years; 0 if the question does not say.
    among_rows: whether rows are compared or added, and not the years of one row.
    of_change: whether the highest or lowest change is asked for, and not the highest or lowest value.
    of_balances: whether only a balance has such an average: that of the year's first and last day.
    yes_no: whether the question is whether something is so. rises: what it supposes: True for a rise, False for a
        fall, None for neither.
    in_order: whether the second is subtracted from the first, be it the larger one or not.
    threshold: the amount with which a figure or its change is compared.
    adds: whether the first two of three parts are added, and not subtracted.
    percent, exponent, places: in per cent, in which scale and with how many decimals a result is wanted; None if the
        question does not say.
    """

    form: Form
    parts: tuple[str, ...]
    years: tuple[int, ...]
    whole_range: bool = False
    since: bool = False
    count: int = 0
    among_rows: bool = False
    of_change: bool = False
    of_balances: bool = False
    yes_no: bool = False
    rises: bool | None = None
    adds: bool = False
    in_order: bool = False
    threshold: Threshold | None = None
    percent: bool = False
    exponent: int | None = None
    places: int | None = None

    @property
    def several_years(self) -> bool:
        return len(self.years) > 1 or self.count > 1 or self.since
