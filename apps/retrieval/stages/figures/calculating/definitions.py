"""Read the formula that a question brings, over figures of any name: "capex as a % of revenue", "defined as: A / B".

A formula is read wherever signs or their words stand between two names. What the names stand for is looked up like any
other figure, so a definition needs no line that we know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.filings.text.dates import MONTH
from apps.filings.text.period_mentions import name_split_years_by_their_end
from apps.retrieval.stages.figures.calculating.form_words import PERCENT
from apps.retrieval.stages.figures.formulas import Formula, lines_of, only_adds, read_formula

_DEFINED: Final = re.compile(
    r"(?:\b(?:is|are|ist|wird|being|i\.e\.)\s+|,\s*)?\b(?:defined|calculated|computed|measured|expressed|definiert|berechnet)"
    r"\s+(?:as|by|als)\b\s*:?\s*(?P<formula>[^?!;]+?)(?:[.](?=\s|$)|[?!;]|$)",
    re.IGNORECASE,
)
_DEFINES: Final = re.compile(
    r"\b(?:define|calculate|compute|definiere|berechne)\s+(?P<name>[^?.;:]{1,60}?)\s+(?:as|using|als)\b\s*:?\s*"
    r"(?P<formula>[^?!;]+?)(?:[.](?=\s|$)|[?!;]|$)",
    re.IGNORECASE,
)
_STANDS_BETWEEN: Final = (
    r"(?:over|less|minus|plus|divided\s+by|geteilt\s+durch|abz\u00fcglich|zuz\u00fcglich|[/+\u2212\u00f7])"
)
_DIVIDES: Final = re.compile(
    r"(?<=\w)\s+(?:over|durch)\s+(?!(?:the\s+)?(?:last|past|years?|periods?|fiscal|two|three|four|five|all|\d))",
    re.IGNORECASE,
)
# "Quote = (a - b) / c", "take (a + b) / c and call it ...", "Coverage: a / b, 2024, in %".
_WRITTEN: Final = (
    re.compile(r"[^=]=\s*(?P<formula>[^=?!;]+?)(?:[.](?=\s|$)|[?!;]|$)"),
    re.compile(
        rf"(?:\b(?:i\.\s?e\.|that\s+is|meaning|d\.\s?h\.|das\s+hei(?:\u00df|ss)t)\s*,?\s*|\s[-\u2013\u2014]\s)"
        rf"(?P<formula>[^:;?!]+?\s{_STANDS_BETWEEN}\s[^:;?!]+?)(?:[.](?=\s|$)|[?!;]|$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:take|nimm|nehmen\s+Sie)\s+(?P<formula>[^?!;]+?)(?:\s+and\s+call\b[^?!;.]*|[.](?=\s|$)|[?!;]|$)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:^|[:;]\s)\s*(?P<formula>[^:;?!]*?\w(?:\s/\s|\)\s*/\s*|\s*/\s*(?=\())[^:;?!]*?)(?:[.](?=\s|$)|[:?!;]|$)"
    ),
)
# What follows a formula's last name after a comma: for whom, when and how its value is wanted.
_AFTER_FORMULA: Final = re.compile(
    r",\s*(?:(?:in|as|als)\s.*|(?:for|f\u00fcr|at|by)\s.*|[A-Z][^,/()]*(?:,.*)?|(?:19|20)\d\d\b.*|rounded\b.*)$"
)
_IN_BRACKETS: Final = re.compile(r"(?P<name>\w[\w\s'\u2019-]*?)\s*\((?P<formula>[^()]*(?:\([^()]*\)[^()]*)*)\)")
"""A measure with its formula after it: "working capital (current assets less current liabilities)"."""
_AS_NUMERATOR: Final = re.compile(
    r"\busing\s+(?P<above>[^?.;]{2,80}?)\s+as\s+the\s+numerator\s*(?:,|and)\s*(?P<below>[^?.;]{2,80}?)\s+as\s+the\s+denominator",
    re.IGNORECASE,
)
# What two names are set in relation by, loosest first: "a less b, divided by c" is (a - b) / c.
_SHARE_OF: Final = (
    r"(?:(?:as|in)\s+(?:an?\s+)?)?(?:%|per\s?cent(?:age)?s?|share|proportion|fraction|multiple)\s+of(?:\s+the|\s+its)?"
    r"|(?:in\s+|als\s+)?(?:%|prozent|anteil|prozentsatz)\s+(?:an|am|de[rs]|vo[nm])"
)
_SET_AGAINST: Final = re.compile(
    rf",?\s+(?:(?P<share>{_SHARE_OF})|(?:all\s+)?divided\s+by|geteilt\s+durch|relative\s+to|in\s+relation\s+to"
    r"|im\s+verh\u00e4ltnis\s+zu[rm]?)\s+",
    re.IGNORECASE,
)
_RATIO_OF: Final = re.compile(r"\bratio\s+of\s+(?P<above>.+?)\s+to\s+(?P<below>.+)", re.IGNORECASE)
_PAIRS: Final = (
    (re.compile(r"\bsum\s+of\s+(.+?)\s+and\s+(.+?)(?=$|\)|/|,)", re.IGNORECASE), r"(\1 + \2)"),
    (re.compile(r"\bexcess\s+of\s+(.+?)\s+over\s+(.+?)(?=$|\)|/|,)", re.IGNORECASE), r"(\1 - \2)"),
    (re.compile(r"\b(?:difference|gap)\s+between\s+(.+?)\s+and\s+(.+?)(?=$|\)|/|,)", re.IGNORECASE), r"(\1 - \2)"),
)
_YEAR: Final = r"(?:(?:fiscal\s+years?|fiscal|fy|the\s+years?|gesch\u00e4ftsjahr)\s*)?'?((?:19|20)\d\d)(?![\d%]|[.,]\d)"
_BETWEEN: Final = re.compile(
    rf"(?:\b(?:between|from|of|for|in|at\s+the\s+end\s+of|zwischen|von)\s+)?{_YEAR}\s*(?:and|to|und|bis|-|\u2013)\s*{_YEAR}",
    re.IGNORECASE,
)
_OF_YEAR: Final = re.compile(rf"(?:\b(?:in|for|of|at\s+the\s+end\s+of)\s+)?{_YEAR}", re.IGNORECASE)
_SIGN: Final = re.compile(
    r"(?P<plus>\+|\bplus\b|\bzuz\u00fcglich\b)|(?P<minus>\s[-\u2212\u2013]\s|\bminus\b|\bless\b(?!\s+than)|\babz\u00fcglich\b)"
    r"|(?P<times>[*\u00d7]|\btimes\b|\bmultiplied\s+by\b|\bmal\b)|(?P<over>[/\u00f7]|\bdivided\s+by\b|\bgeteilt\s+durch\b)"
    r"|(?P<open>\()|(?P<close>\))",
    re.IGNORECASE,
)
_SIGNS: Final = {"plus": "+", "minus": "-", "times": "*", "over": "/", "open": "(", "close": ")"}
_OVER: Final = re.compile(
    r"^\W*(?:the\s+)?(?:(?P<average>average|mean|durchschnittliche[nrs]?)(?:\s+of)?|(?P<change>(?:change|increase)\s+in))\b",
    re.IGNORECASE,
)
_NOTE: Final = re.compile(r"\[[^\]]*\]|\(\s*(?:from|shown|as|see|in|per|aus|laut)\b[^()]*\)", re.IGNORECASE)
_BRACKETS: Final = re.compile(r"\s*\((?P<inside>[^()]*)\)")
_SHORT_YEAR: Final = re.compile(r"\bFY\s?['\u2019]?(\d\d)(?!\d)", re.IGNORECASE)
_DATE: Final = re.compile(
    rf"\b(?:\d{{1,2}}\.\d{{1,2}}\.|(?:\d{{1,2}}\.?\s+)?{MONTH}\.?(?:\s+\d{{1,2}},)?\s+)(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(r"(?<=\d)\s*x\s+(?=[^\W\d_(])", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\s*(\d+(?:\.\d+)?)(?:\s*(?:days?|tage))?\s*", re.IGNORECASE)
_KIND: Final = r"(?:non-?current|current|short-term|long-term|kurzfristige|langfristige)"
_MODIFIER: Final = re.compile(rf"\{{({_KIND})\}}", re.IGNORECASE)
_AFTER_MODIFIER: Final = re.compile(rf"\{{{_KIND}\s+(.+)\}}", re.IGNORECASE)
_LETTER: Final = re.compile(r"[^\W\d_]")
_MOST_CHARS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A formula of a question. formula: its lines are named as the question does.

    percent: whether the result is a share. is_defined: whether the question says that it defines something by it, and
    does not only set two figures against each other. rest: the question without the formula.
    """

    formula: Formula
    percent: bool
    is_defined: bool
    rest: str

    @property
    def is_amount(self) -> bool:
        return only_adds(self.formula)


def read_definition(text: str) -> Definition | None:
    """Return the formula that a question brings; None if it brings none that is complete."""
    text = _in_plain_signs(text)
    if (found := _AS_NUMERATOR.search(text)) is not None:
        formula = _read(f"({found['above']}) / ({found['below']})")
        return _definition(formula, text, found, is_defined=True)
    if (found := _DEFINED.search(text)) is not None:
        return _definition(_read_loosely(found["formula"]), text, found, is_defined=True)
    if (found := _DEFINES.search(text)) is not None and (defined := _read_loosely(found["formula"])) is not None:
        beside = f"{text[: found.start()]} {text[found.end() :]}"
        return _with_part(beside, found["name"], found["formula"]) or _definition(defined, text, found, is_defined=True)
    return _written(text) or _set_against(text)


def _in_plain_signs(text: str) -> str:
    """Return a question with years of four digits, "times" as a sign, and no brackets that hold no calculation."""
    text = _NOTE.sub(" ", name_split_years_by_their_end(text))
    text = _TIMES.sub(" * ", _DATE.sub(r"\g<year>", _SHORT_YEAR.sub(r"FY20\1", text)))

    def unbracket(found: re.Match[str]) -> str:
        inside = _DIVIDES.sub(" / ", found["inside"])
        if inside != found["inside"]:
            return f" ({inside})"
        if _SIGN.search(inside) or (_LETTER.search(inside) and _before_is_sign(text, found.start())):
            return found.group()
        return f" {inside} " if _OF_YEAR.search(inside) else " "

    return _BRACKETS.sub(unbracket, text)


def _before_is_sign(text: str, position: int) -> bool:
    """Return whether what stands before a bracket is a sign or nothing, so that the bracket holds a name."""
    before = text[:position].rstrip()
    return not before or before[-1] in "/*+-=(:\u00d7\u00f7"


def _written(text: str) -> Definition | None:
    """Return the formula that a question writes down with signs, or in brackets after what it is the formula of."""
    for pattern in _WRITTEN:
        if (found := pattern.search(text)) is not None:
            after = _AFTER_FORMULA.search(found["formula"])
            written = _DIVIDES.sub(" / ", found["formula"][: after.start()] if after else found["formula"])
            if _SIGN.search(written) and (formula := _read_loosely(written)) is not None:
                beside = f"{after.group() if after else ''} {text[found.end() :]}"
                return _definition(formula, text, found, is_defined=True, beside=beside)
    for found in _IN_BRACKETS.finditer(text):
        outside = f"{text[: found.start('formula') - 1]} {text[found.end() :]}"
        if _SIGN.search(outside) or _SET_AGAINST.search(outside):
            continue  # The bracket is a part of a formula.
        if _SIGN.search(found["formula"]) and (formula := _read_loosely(found["formula"])) is not None:
            return _definition(formula, text, found, is_defined=True)
    return None


def _with_part(text: str, name: str, formula: str) -> Definition | None:
    """Return the formula of a question that defines one part of it: "EBITDA less capex. Define EBITDA as ..."."""
    for sentence in _sentences(text):
        if name.lower() in sentence.lower() and _SIGN.search(sentence):
            start = sentence.lower().index(name.lower())
            written = f"{sentence[:start]} ({formula}) {sentence[start + len(name) :]}"
            read = _read_loosely(_asked(written))
            if read is not None:
                return Definition(formula=read, percent=_is_percent(text, read), is_defined=True, rest=text)
    return None


def _set_against(text: str) -> Definition | None:
    """Return the formula of two figures that a question sets in relation without defining anything."""
    for sentence in _sentences(text):
        found = _SET_AGAINST.search(sentence)
        ratio = _RATIO_OF.search(sentence)
        between = found or ratio
        if between is None:
            continue
        formula = _read_loosely(_asked(sentence))
        if formula is not None:
            share = found is not None and found["share"] is not None
            rest = text.replace(between.group() if found else "ratio", " ", 1)
            percent = share or _is_percent(text, formula)
            return Definition(formula=formula, percent=percent, is_defined=False, rest=rest)
    return None


def _definition(
    formula: Formula | None, text: str, found: re.Match[str], *, is_defined: bool, beside: str | None = None
) -> Definition | None:
    """Args: beside: what follows the formula, if that is not all that follows the match."""
    rest = f"{text[: found.start()]} {text[found.end() :] if beside is None else beside}"
    if formula is None or sum(1 for _ in lines_of(formula)) == 0:
        return None
    return Definition(formula=formula, percent=_is_percent(rest, formula), is_defined=is_defined, rest=rest)


def _is_percent(text: str, formula: Formula) -> bool:
    return PERCENT.search(text) is not None and not only_adds(formula)


def _sentences(text: str) -> list[str]:
    return [each for each in re.split(r"(?<=[.?!;])\s+", text) if each.strip()]


def _asked(sentence: str) -> str:
    """Return a sentence without the years, which say for when a formula is asked, and not for when each figure is."""
    return _OF_YEAR.sub(" ", _BETWEEN.sub(" ", sentence)).rstrip(" ?.!")


def _read_loosely(text: str) -> Formula | None:
    """Read a formula in which the words of a relation bind loosest."""
    text = text.strip().rstrip(".")
    if len(text) > _MOST_CHARS:
        return None
    if (ratio := _RATIO_OF.search(text)) is not None:
        text = f"({ratio['above']}) / ({ratio['below']})"
    elif (found := _SET_AGAINST.search(text)) is not None and "(" not in text[found.end() :]:
        text = f"({text[: found.start()]}) / ({text[found.end() :]})"
    for pattern, instead in _PAIRS:
        text = pattern.sub(instead, text)
    return _read(text)


def _read(text: str) -> Formula | None:
    """Read names and signs as a formula; None if it has no sign, or a name is missing on one side of one."""
    parts: list[str] = []
    position = 0
    for match in [*_SIGN.finditer(text), None]:
        name = text[position : match.start() if match else len(text)]
        if name.strip():
            parts.append(_named(name))
        if match is not None:
            parts.append(_SIGNS[match.lastgroup or ""])
            position = match.end()
    if not any(part in ("+", "-", "*", "/") for part in parts) or any(part is None for part in parts):
        return None
    return read_formula(" ".join(_without_idle_brackets(_with_heads(parts))))


def _with_heads(parts: list[str]) -> list[str]:
    """Give a modifier the noun of the name after it: "non-current + current liabilities"."""
    found = list(parts)
    for index, part in enumerate(parts[:-2]):
        modifier, following = _MODIFIER.fullmatch(part), parts[index + 2]
        if modifier and parts[index + 1] == "+" and (noun := _AFTER_MODIFIER.match(following)):
            found[index] = f"{{{modifier[1]} {noun[1]}}}"
    return found


def _without_idle_brackets(parts: list[str]) -> list[str]:
    """Leave out what says the same twice: "cost of goods sold (COGS)", "EBITDA (operating income + depreciation)"."""
    kept: list[str] = []
    for index, part in enumerate(parts):
        after_name = bool(kept) and kept[-1].endswith("}")
        if part == "(" and after_name and parts[index + 2 : index + 3] == [")"]:
            parts[index + 1] = parts[index + 2] = ""
        elif part == "(" and after_name:
            kept[-1] = part
        elif part:
            kept.append(part)
    return kept


def _named(text: str) -> str:
    """Return a name as a formula's line, with its years: "average PP&E between FY2017 and FY2018"."""
    if (number := _NUMBER.fullmatch(text)) is not None:
        return number[1]
    over = _OVER.match(text)
    prefix = "" if over is None else "average " if over["average"] else "change in "
    name = text[over.end() :] if over else text
    between, single = _BETWEEN.search(name), _OF_YEAR.search(name)
    years = between.groups() if between else single.groups() if single else ()
    name = re.sub(r"[{}@]", " ", _OF_YEAR.sub(" ", _BETWEEN.sub(" ", name))).strip()
    if not _LETTER.search(name):
        return "?"
    return f"{prefix}{{{name}{'@' + ','.join(years) if years else ''}}}"
