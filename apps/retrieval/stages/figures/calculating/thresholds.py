"""A figure against an amount: "was revenue above 5 billion?", "did it grow by more than 10 %?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.filings.text.numbers import Number, NumberUnit, read_numbers

_OVER: Final = (
    r"above|over|beyond|past|exceed(?:s|ed|ing)?|surpass(?:es|ed|ing)?|north\s+of|upwards?\s+of|in\s+excess\s+of|cross(?:es|ed|ing)?|top(?:s|ped)?"
    r"|(?:more|greater|higher|larger|bigger|better)\s+than|(?<![<>=])>(?!=)"
    r"|\u00fcber(?:stieg\w*|schritt\w*|traf\w*)?|oberhalb|(?:mehr|h\u00f6her|gr\u00f6\u00dfer|besser)\s+als"
)
_UNDER: Final = (
    r"below|under|beneath|south\s+of|short\s+of|(?:less|lower|smaller|fewer|worse)\s+than|(?<![<>=])<(?!=)"
    r"|unter(?:schritt\w*)?|unterhalb|(?:weniger|niedriger|geringer|kleiner|schlechter)\s+als"
)
_AT_LEAST: Final = (
    r"at\s+least|no\s+less\s+than|(?:reach|hit)(?:e[sd]|s|ing)?|>=|\u2265|mindestens|wenigstens|erreicht(?:e|en)?"
)
_AT_MOST: Final = r"at\s+most|no\s+more\s+than|up\s+to|<=|\u2264|h\u00f6chstens|maximal"
_DEGREE: Final = re.compile(
    rf"(?<!\w)(?:(?P<over>{_OVER})|(?P<under>{_UNDER})|(?P<at_least>{_AT_LEAST})|(?P<at_most>{_AT_MOST}))(?!\w)\s*"
    r"(?:(?:the|a|mark|level|of|der|die|das|den|marke|von|rund|about)\s+){0,3}",
    re.IGNORECASE,
)
_PARTED: Final = re.compile(
    r"\b(?:\u00fcber(?:stieg|schritt|traf)(?:en)?|unterschritt(?:en)?|erreichten?)\b", re.IGNORECASE
)
"""German verbs that stand at the beginning of a question, far from the amount."""
_BEFORE_AMOUNT: Final = re.compile(
    r"\s*(?:\b(?:die|den|der)\s+)?(?:\b(?:marke|schwelle|grenze)\s+von\s+)?$", re.IGNORECASE
)
_MARK: Final = re.compile(r"[\s-]*(?:mark|level|threshold|marke|schwelle)\b", re.IGNORECASE)
_WORDS: Final = re.compile(r"[^\s$\u20ac\u00a3A-Z]")
_BY: Final = re.compile(r"\b(?:by|um)\s*$", re.IGNORECASE)
_A_LEVEL: Final = re.compile(
    r"above|over|beyond|past|exceed|surpass|north|cross|top|\u00fcber|oberhalb|below|under|beneath|south|unter|reach|hit"
    r"|erreich",
    re.IGNORECASE,
)
_FRACTION: Final = re.compile(
    r"\b(?:(?:two|three|zwei|drei)[\s-](?:thirds|quarters|drittel|viertel)|(?:an?\s+|one[\s-]|einem?\s+)?(?:half|third|quarter|fifth|tenth|drittel|viertel)|(?:der\s+|die\s+)?h\u00e4lfte)\b",
    re.IGNORECASE,
)
# Those of two words first, since they hold a shorter one.
_FRACTIONS: Final = {
    **dict.fromkeys(("two thirds", "two-thirds", "zwei drittel"), "66.6666666667"),
    **dict.fromkeys(("three quarters", "three-quarters", "drei viertel"), "75"),
    **dict.fromkeys(("third", "drittel"), "33.3333333333"),
    **dict.fromkeys(("quarter", "viertel"), "25"),
    **dict.fromkeys(("half", "h\u00e4lfte"), "50"),
    "fifth": "20",
    "tenth": "10",
}
_MOVED_TO: Final = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|gr[eo]wn?|growing|climb\w*|increas\w*|jump\w*|fall(?:s|en|ing)?|fell|drop\w*|declin\w*|slip\w*|s(?:ank|unk|ink)"
    r"|(?:ge)?stiegen|stieg|gefallen|fiel|gesunken|sanken)\s+(?:back\s+|up\s+|down\s+|to\s+|auf\s+)?$",
    re.IGNORECASE,
)
_ANOTHER_CHANGE: Final = re.compile(
    r"\b(?:los(?:e|es|t|ing)|shed(?:s|ding)?|add(?:s|ed|ing)?|beat(?:s|en)?|miss(?:es|ed)?|sw[iu]ng\w*|verl(?:or|oren|iert|ieren)"
    r"|hinzu\w*|each|every|jede[mnrs]?)\b",
    re.IGNORECASE,
)
"""Words of a change whose sign or base the question leaves open, or of several figures that are all compared."""
_IS_A_YEAR: Final = range(1900, 2100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """An amount that a figure may be above or below.

    amount: as written, with its unit, scale and currency. above: whether the question supposes the figure to be above
    it; it may also be equal where included. of_change: whether the amount is that of a change, because it says "by".
    of_level: whether its words say where a figure stands, and not how far it moved. moved_to: whether a verb of motion
    stands right before them: "rose above". rest: the question without it.
    """

    amount: Number
    above: bool
    included: bool
    of_change: bool
    of_level: bool
    moved_to: bool
    rest: str

    def holds_for(self, value: Decimal) -> bool:
        """Return whether it is as the question supposes. Args: value: in the unit and scale of the amount's digits."""
        signed = -self.amount.value if self.amount.negative else self.amount.value
        if value == signed:
            return self.included
        return (value > signed) is self.above


def read_threshold(text: str, language: str) -> Threshold | None:
    """Return the amount with which a question compares a figure; None if it names none, or several."""
    found = []
    numbers = [each for each in (*_fractions(text), *read_numbers(text, language)) if not _is_year(each)]
    numbers.sort(key=lambda each: each.start)
    for degree in _DEGREE.finditer(text):
        amount = next((each for each in numbers if each.start >= degree.end()), None)
        # A sign or code of a currency may stand before the digits, and is read as a part of the number or not.
        if amount and (_PARTED.match(degree.group()) or not _WORDS.search(text, degree.end(), amount.start)):
            found.append((degree, amount))
    if len(found) != 1 or _ANOTHER_CHANGE.search(text):
        return None
    degree, amount = found[0]
    mark = _MARK.match(text, amount.end)
    end = mark.end() if mark else amount.end
    before = text[: degree.start()]
    between = _BEFORE_AMOUNT.sub("", text[degree.end() : amount.start])
    by = _BY.search(before)
    return Threshold(
        amount=amount,
        above=bool(degree["over"] or degree["at_least"]),
        included=bool(degree["at_least"] or degree["at_most"]),
        of_change=by is not None,
        of_level=_A_LEVEL.match(degree.group()) is not None,
        moved_to=_MOVED_TO.search(before) is not None,
        rest=f"{before[: by.start()] if by else before} {between} {text[end:]}",
    )


def _fractions(text: str) -> Iterator[Number]:
    """Yield the shares that a text writes as words, in per cent: "half" is 50 %."""
    for found in _FRACTION.finditer(text):
        share = next(Decimal(number) for name, number in _FRACTIONS.items() if name in found.group().lower())
        yield Number(
            text=found.group(),
            value=share,
            negative=False,
            unit=NumberUnit.PERCENT,
            exponent=0,
            currency="",
            start=found.start(),
            end=found.end(),
        )


def _is_year(amount: Number) -> bool:
    """Return whether a number is a year: "above 2021" compares two years."""
    bare = amount.unit is NumberUnit.PLAIN and not amount.exponent and not amount.currency and "," not in amount.text
    return bare and not amount.decimals and int(amount.value) in _IS_A_YEAR
