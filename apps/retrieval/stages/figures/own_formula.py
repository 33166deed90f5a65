"""The formula that a question brings: "inventory turnover, defined as: FY2021 COGS / (average inventory ...)".

The formula is used only if every word of it is understood, and if the question asks for what it defines and not for
something derived from it. If any part is not understood, nothing is calculated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.line_items import ITEMS, PARTS
from apps.retrieval.stages.question.glossary import GLOSSARY

_DEFINED: Final = re.compile(
    r"(?:\b(?:is|are|ist|wird)\s+)?\b(?:defined|calculated|computed|definiert|berechnet)\s+(?:as|als)\b\s*:?\s*"
    r"(?P<formula>[^?!;]+?)(?:[.](?=\s|$)|[?!;]|$)",
    re.IGNORECASE,
)
# "Define unadjusted EBITDA as operating income + ...": defines a part of what is asked.
_DEFINES: Final = re.compile(
    r"\bdefine\s+(?P<name>[^?.;:]{1,60}?)\s+as\b\s*:?\s*(?P<formula>[^?!;]+?)(?:[.](?=\s|$)|[?!;]|$)", re.IGNORECASE
)
_MEAN_OF_A_SHARE: Final = re.compile(
    r"\b(?P<count>two|three|four|[2-4])[\s-]+years?\s+average\s+of\s+(?P<above>[^?.;]+?)\s+as\s+a\s+"
    r"(?:%|per\s?cent(?:age)?)\s+of\s+(?P<below>[^?.;]+?)(?=\s+(?:from|for|between|in|over|during|at)\b|[?.;]|$)",
    re.IGNORECASE,
)
# Words like these say that the question asks for something derived from a measure.
_MADE_OF_IT: Final = re.compile(
    r"\b(?:average|less|minus|plus|divided|adjusted|define[sd]?|durchschnitt\w*)\b"
    r"|\bas\s+a\s+(?:%|percent\w*)|\bper\s+share\b|\busing\b.{1,80}\bas\s+the\b",
    re.IGNORECASE,
)
_COUNTS: Final = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4}
_YEAR: Final = r"(?:(?:fiscal\s+years?|fiscal|fy|the\s+years?)\s*)?'?((?:19|20)\d\d)(?![\d%]|[.,]\d)"
_ANY_YEAR: Final = re.compile(r"(?<![\d.,])" + _YEAR, re.IGNORECASE)
_BETWEEN: Final = re.compile(
    rf"(?:(?:between|from|of|for|in|at\s+the\s+end\s+of)\s+)?{_YEAR}\s*(?:and|to|-|\u2013)\s*{_YEAR}", re.IGNORECASE
)
_OF_YEAR: Final = re.compile(rf"(?:(?:in|for|of|at\s+the\s+end\s+of)\s+)?{_YEAR}", re.IGNORECASE)
_SIGNS: Final = {
    "+": re.compile(r"\+|plus\b", re.IGNORECASE),
    "-": re.compile(r"[-\u2212\u2013]|(?:minus|less)\b", re.IGNORECASE),
    "*": re.compile(r"[*\u00d7]|x(?=\s)|(?:times|multiplied\s+by|mal)\b", re.IGNORECASE),
    "/": re.compile(r"[/\u00f7]|(?:divided\s+by|over|geteilt\s+durch)\b", re.IGNORECASE),
    "average ": re.compile(r"average(?:\s+of)?\b", re.IGNORECASE),
    "change in ": re.compile(r"(?:change|increase)\s+in\b", re.IGNORECASE),
    "(": re.compile(r"\("),
    ")": re.compile(r"\)"),
}
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?(?![\w.%])")
# Beside a line's name these words do not change the line; a note in brackets says where it stands.
_FILLER: Final = re.compile(
    r"(?:the|its|annual|total|net|unadjusted|reported|year[\s-]end|ending)\b|\[[^\]]*\]", re.IGNORECASE
)
_RATE: Final = re.compile(r"\b(?:margins?|ratios?|yield|turnover|\w*marge|\w*quote|return\s+on)\b", re.IGNORECASE)
"""What no sum is: of a margin, "taking A plus B" defines only a part."""
_ROUNDED: Final = re.compile(r"\b(?P<count>zero|one|two|three|four|[0-4])\s+decimals?\b", re.IGNORECASE)
_PERCENT: Final = re.compile(r"\bper\s?cent\w*|%|\bprozent\b", re.IGNORECASE)


_SPACED: Final = re.compile(r"[\s-]+")


def _spelt(name: str) -> str:
    return r"[\s-]+".join(re.escape(word) for word in _SPACED.split(name))


_NAMES: Final = {
    **{
        _SPACED.sub(" ", trigger.lower()): entry.label
        for entry in GLOSSARY
        if entry.label in ITEMS
        for trigger in entry.triggers
    },
    **{_SPACED.sub(" ", label.lower()): item.name for item in ITEMS.values() for label in item.labels},
}
_LINE: Final = re.compile(
    rf"(?:{'|'.join(_spelt(name) for name in sorted(_NAMES, key=len, reverse=True))})(?![\w&])", re.IGNORECASE
)


# Measures that are calculated from several lines have names too.
_MEASURES: Final = {
    _SPACED.sub(" ", trigger.lower()): entry.label
    for entry in GLOSSARY
    if entry.label in PARTS
    for trigger in entry.triggers
}
_NAME: Final = "|".join(_spelt(name) for name in sorted({*_NAMES, *_MEASURES}, key=len, reverse=True))
_TWO: Final = re.compile(
    rf"(?<![\w&])(?P<first>{_NAME})\s+(?P<sign>less|minus|plus|-|\+)\s+(?:the\s+|its\s+)?(?P<second>{_NAME})(?![\w&])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFormula:
    """The formula of a question.

    formula: as formulas.read_formula takes it. year: the year for which it is asked. percent: whether a share is asked
        for.
    decimals: the number that the question wants; None if it names none.
    """

    formula: str
    year: int
    percent: bool
    decimals: int | None


def brings_a_formula(analysis: QueryAnalysis) -> bool:
    """Return whether a question defines what it asks for, or asks for something derived from a measure."""
    return _DEFINED.search(analysis.text) is not None or _MADE_OF_IT.search(analysis.text) is not None


def own_formula(analysis: QueryAnalysis, measures: Mapping[str, str]) -> OwnFormula | None:
    """Return the formula of a question; None if it has none, or if any word of it is not understood.

    Args: measures: the formulas of the measures that may stand in it by name ("EBITDA less capex").
    """
    for read in (_mean, _read_definition, _read_two_parts):
        if found := read(analysis.text, measures):
            return found
    return None


def _read_definition(text: str, measures: Mapping[str, str]) -> OwnFormula | None:
    """Return the formula by which the question defines what it asks for."""
    found = _DEFINED.search(text)
    return _whole(text, _write_formula(found["formula"]), _cut_out(text, found)) if found else None


def _read_two_parts(text: str, measures: Mapping[str, str]) -> OwnFormula | None:
    """Return the formula for one line or measure less or plus another, one of which the question may define."""
    defines = _DEFINES.search(text)
    beside = _cut_out(text, defines) if defines else text
    found = _TWO.search(beside)
    if found is None:
        return None
    known = dict(measures)
    if defines is not None:
        named, formula = _measure_in(defines["name"]), _write_formula(defines["formula"])
        if named is None or formula is None or named not in map(_measure_in, (found["first"], found["second"])):
            return None
        known[named] = formula
    first, second = (_write_part(found[name], known) for name in ("first", "second"))
    sign = "+" if found["sign"].lower() in ("plus", "+") else "-"
    formula = f"{first} {sign} {second}" if first and second else None
    return _whole(text, formula, _cut_out(beside, found))


def _whole(text: str, formula: str | None, beside: str, *, percent: bool = False) -> OwnFormula | None:
    """Return the formula with what the rest of the question says about it; None if the rest asks for more."""
    years = _years(beside) or _years(text)
    if formula is None or not years or _MADE_OF_IT.search(beside) or ("/" not in formula and _RATE.search(beside)):
        return None
    rounded = _ROUNDED.search(beside)
    return OwnFormula(
        formula=formula,
        year=max(years),
        percent=percent or _PERCENT.search(beside) is not None,
        decimals=_count(rounded) if rounded else None,
    )


def _cut_out(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _measure_in(text: str) -> str | None:
    """Return the measure with which a name ends: "unadjusted EBITDA"."""
    plain = _plain(text)
    return next((label for name, label in _MEASURES.items() if plain == name or plain.endswith(f" {name}")), None)


def _write_part(name: str, measures: Mapping[str, str]) -> str | None:
    line = _NAMES.get(_plain(name))
    if line is not None:
        return f"{{{line}}}"
    formula = measures.get(_MEASURES[_plain(name)])
    return formula and f"({formula})"


def _plain(name: str) -> str:
    return _SPACED.sub(" ", name.strip().lower())


def _mean(text: str, measures: Mapping[str, str]) -> OwnFormula | None:
    """Return the formula for the mean of A / B over several years."""
    found = _MEAN_OF_A_SHARE.search(text)
    if found is None:
        return None
    above, below = _write_formula(found["above"]), _write_formula(found["below"])
    years, count = sorted(_years(text)), _count(found)
    if above is None or below is None or not (_is_a_line(above) and _is_a_line(below)):
        return None
    if not years or years[-1] - years[0] + 1 != count:
        return None
    shares = (f"{above[:-1]}@{year}}} / {below[:-1]}@{year}}}" for year in range(years[0], years[-1] + 1))
    return _whole(text, f"({' + '.join(shares)}) / {count}", _cut_out(text, found), percent=True)


def _write_formula(text: str) -> str | None:
    """Return a definition with its lines in braces; None if any part of it is not understood."""
    parts: list[str] = []
    year, spoken, position = "", False, 0
    while position < len(text):
        if text[position].isspace():
            position += 1
        elif line := _LINE.match(text, position):
            name = _NAMES[_plain(line.group())]
            parts.append(f"{{{name}{year and '@' + year}}}")
            year, position = "", line.end()
        elif parts and (of_years := _BETWEEN.match(text, position) or _OF_YEAR.match(text, position)):
            behind = _add_years(parts, of_years)
            # "revenue / FY2020 assets": the year belongs to the line that follows.
            if not behind and (len(of_years.groups()) > 1 or year):
                return None
            year, position = ("" if behind else of_years[1]), of_years.end()
        elif of_year := _OF_YEAR.match(text, position):
            if year:
                return None
            year, position = of_year[1], of_year.end()
        elif filler := _FILLER.match(text, position):
            position = filler.end()
        elif number := _NUMBER.match(text, position):
            parts.append(number.group())
            position = number.end()
        else:
            sign, end = next(
                ((sign, match.end()) for sign, pattern in _SIGNS.items() if (match := pattern.match(text, position))),
                ("", position),
            )
            if not sign:
                return None
            spoken = spoken or (text[position].isalpha() and sign in "+-*/")
            parts.append(sign)
            position = end
    # "Assets less inventories divided by liabilities" does not say which operation comes first.
    if year or (spoken and {"+", "-"} & set(parts) and {"*", "/"} & set(parts)):
        return None
    return " ".join(parts)


def _add_years(parts: list[str], of_years: re.Match[str]) -> bool:
    """Give the preceding line its year or years. Return whether there is a preceding line without a year."""
    if not parts[-1].startswith("{") or "@" in parts[-1]:
        return False
    parts[-1] = f"{parts[-1][:-1]}@{','.join(of_years.groups())}}}"
    return True


def _is_a_line(formula: str) -> bool:
    return re.fullmatch(r"\{[^{}@]+\}", formula) is not None


def _years(text: str) -> set[int]:
    return {int(year) for year in _ANY_YEAR.findall(text)}


def _count(found: re.Match[str]) -> int:
    count = found["count"].lower()
    return int(count) if count.isdigit() else _COUNTS[count]
