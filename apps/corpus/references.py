"""Expressions that form one term although they contain marks: section numbers, rules, share classes, dotted dates.

Cut at their marks they would become other numbers: "7.1.2" the number 7.1, "Exhibit 99.10" 99.1, "10b-5" a 5.

The terms that are counted for each, and why:
- A reference counts as itself and as each reference that contains it: "4.2(b)" also as 4.2, "10b-5" also as 10b
  (section 10(b)), "240.10b-5" also as the rule that it codifies. So a wider question finds the narrower passage, and
  the other way round. The last part alone ("b", "5") has no meaning and is not counted. The number of terms therefore
  stays as it was before references were kept whole, and so do the lengths that BM25 uses.
- A dotted number counts only as itself. The "7.1" in "7.1.2" could also be a margin of 7.1 %. The headings above a
  passage, which contain their own numbers, are counted with the passage.
- A share class counts as itself, in one form for all spellings ("BRK.B", "BRK-B": brkb), and as its parts, because
  questions may name only the root, in "PLAN-B" as in "BRK-B". That adds two terms to the few passages that have one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

# NFKC turns a non-breaking hyphen into U+2010; the Code of Federal Regulations is printed with en dashes.
_HYPHEN: Final = r"[-\u2010-\u2013]"
_LETTERED: Final = r"\((?:[a-z]{1,2}|[ivxlc]{1,6}|\d{1,2})\)"
_ENDS: Final = r"(?!\w)(?![.,]\d)"

_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH: Final = r"(?:0?[1-9]|1[0-2])"
# A year may have two digits only if day and month have two each: "3.1.24" is a section more often than a date.
_DATE: Final = (
    rf"(?:{_DAY}\.{_MONTH}\.(?:19|20)\d\d"
    r"|(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])\.\d\d"
    rf"|(?:19|20)\d\d\.{_MONTH}\.{_DAY}){_ENDS}"
)
# A number after one of these words names a place, so its final zeros count ("Exhibit 99.10" is not 99.1).
_PLACES: Final = (
    r"(?:(?:sub)?sections?|secs?\.|(?:foot)?notes?|clauses?|articles?|arts?\.|(?:sub)?paragraphs?|paras?\.|items?"
    r"|exhibits?|schedules?|appendi(?:x|ces)|annex(?:es)?|chapters?|rules?|versions?|nos?\."
    r"|(?:unter)?abschnitt(?:en?|s)?|(?:text)?ziffern?|ziff\.|abs\.|kapiteln?|anhang|paragra(?:f|ph)(?:en)?"
    r"|fu(?:\u00df|ss)noten?|tz\.|randnummern?|rn\.|rz\.|nrn?\.)"
)
# These words can also mean goods, investments and sales, and "1.500" after them can be a German amount.
_PLACES_OR_GOODS: Final = r"(?:artikeln?|anlagen?|abs(?:atz|\u00e4tzen?))"
_GROUPED: Final = r"\d{1,3}(?:\.\d{3})+(?!\w)(?!\.\d)"
_SUFFIX: Final = rf"(?: ?{_LETTERED}|{_HYPHEN}\d{{1,3}}[a-z]?)"
_COMPONENT: Final = rf"\.\d{{1,4}}(?:[a-z]\d{{0,2}}|[a-z]{{2}}(?={_HYPHEN}))?"
_NO_AMOUNT: Final = (
    r"(?!\s?(?:%|percent\b|per\scent\b|prozent\b|[mb]n\b|million|billion|trillion|mio\b|mrd\b|milliarde))"
)
_DOTTED: Final = rf"(?!{_DATE})\d{{1,4}}[a-z]?(?:{_COMPONENT})+{_SUFFIX}{{0,4}}"
_PLACE_NUMBER: Final = rf"(?:{_DOTTED}|\d{{1,4}}[a-z]? ?{_LETTERED}{_SUFFIX}{{0,3}}){_ENDS}{_NO_AMOUNT}"
_FURTHER: Final = (
    rf"(?:\s?(?:[,;&]|{_HYPHEN}|\b(?:and|or|to|und|oder|bis)\b)\s?(?!{_GROUPED}){_DOTTED}{_ENDS}{_NO_AMOUNT})*"
)
# "Section 4.2(b)", "\u00a7 12.3.1", "Notes 4.9 and 4.10": the word and all numbers that it applies to.
_SAID: Final = (
    rf"(?:\u00a7{{1,3}}\s{{0,2}}|\b{_PLACES}\s{{0,2}}|\b{_PLACES_OR_GOODS}\s{{0,2}}(?!{_GROUPED}))"
    rf"{_PLACE_NUMBER}{_FURTHER}"
)

# Three or more dotted numbers need no word before them. With a letter first, they name an annex ("A.1.2") or a version.
_SECTION: Final = (
    rf"(?!{_GROUPED})\d{{1,3}}(?:\.\d{{1,3}}){{2,}}[a-z]?(?:{_LETTERED}){{0,4}}{_ENDS}"
    rf"|(?<!\w)[a-z]{{1,2}}\d{{0,3}}(?:\.\d{{1,3}}){{2,}}[a-z]?(?!\w)(?!\.\w)"
)
# "10b-5", "15c3-1", "206(4)-7", also with the part of the Code of Federal Regulations: "240.10b-5". Not "1h-23" (half
# a year), "10k-20" (an amount) or "2nd-3".
_RULE: Final = (
    rf"(?![1-4][hq]{_HYPHEN}\d\d)(?!\d+(?:[kmx]|st|nd|rd|th){_HYPHEN})"
    rf"(?:\d{{3}}\.)?\d{{1,3}}(?:[a-z]{{1,2}}\d{{0,2}}|\(\d{{1,2}}\)){_HYPHEN}\d{{1,2}}[a-z]?(?:{_LETTERED}){{0,4}}"
    rf"{_ENDS}(?!{_HYPHEN}\d)"
)
_SHARE: Final = (
    rf"(?<![\w&.'\u2019\-\u2010-\u2013])[a-z]{{2}}[a-z0-9]{{0,4}}(?:{_HYPHEN}|\.)[a-z]"
    rf"(?!\w)(?!{_HYPHEN})(?![&.'\u2019]\w)"
)
# A heading's number that ends in a zero, at the start of a line or of a part of a passage's context header. It can't be
# told from a sentence with a line break before "4.10 times", so it counts as both.
_HEADING: Final = r"(?:(?<![^\n])|(?<=\u00b7\s))\d{1,2}\.\d?0[ \t](?=[^\W\d_])(?!percent\b|per\scent\b|prozent\b)"
_FORM: Final = rf"(?:10|8|20|6){_HYPHEN}[kqf]\b(?:/a)?"

WHOLE: Final = "|".join((_FORM, _SAID, _DATE, _SECTION, _RULE, _HEADING, _SHARE))
"""A regular expression without groups that are remembered, for texts in lower case and NFKC."""
HYPHENATED: Final = f"{_RULE}|{_SHARE}"
"""Those of them that are one word of a sentence, with the same needs."""

# Before a letter these words name one of several items, and questions use both words: "Class-A", "Serie-B".
_DIVISIONS: Final = frozenset(
    """
    annex class form grade group item level note part phase plan series step table tier type unit zone
    anlage gruppe klasse reihe serie stufe teil typ
    """.split()  # noqa: SIM905
)
_WHOLE: Final = re.compile(WHOLE)
_FORM_TOKEN: Final = re.compile(_FORM)
_SAID_TOKEN: Final = re.compile(_SAID)
_DATE_TOKEN: Final = re.compile(_DATE)
_SHARE_TOKEN: Final = re.compile(_SHARE)
_PIECE: Final = re.compile(rf"{_DOTTED}{_ENDS}|\d{{1,4}}[a-z]? ?{_LETTERED}{_SUFFIX}{{0,3}}{_ENDS}|[^\W\d_]+")
_LAST_PART: Final = re.compile(r"(?<=.)(?:\([^()]+\)|-[^-()]+)$")
# "240.10b-5" is rule 10b-5 in part 240; "1.409a-3" is a rule of the tax regulations (part 1) about section 409a.
_CODIFIED: Final = re.compile(r"^\d{1,4}\.(?=\d{1,4}(?:[a-z]|\())")
_DASHES: Final = re.compile(r"[\u2010-\u2013]")
_BLANKS: Final = re.compile(r"\s+")

Words = Callable[[str], tuple[str, ...]]


def found_whole(text: str) -> list[str]:
    """Return the expressions that are kept whole in a text, which must be in lower case and NFKC."""
    found: list[str] = _WHOLE.findall(text)
    return found


def whole_terms(token: str, words: Words) -> tuple[str, ...] | None:
    """Return the terms of a token that WHOLE matches; None for any other token.

    Args: words: returns the terms of an ordinary word, or none for a stop word.
    """
    if not _WHOLE.fullmatch(token) and not token[-1].isspace():
        return None
    if token[-1].isspace():
        number = token.strip()
        return (number, number.rstrip("0").rstrip("."))
    if _FORM_TOKEN.fullmatch(token):
        return (re.sub(r"[^\w]", "", token),)
    if _SAID_TOKEN.fullmatch(token):
        pieces = _PIECE.findall(token)
        return tuple(term for each in pieces for term in (reference_terms(each) if each[0].isdigit() else words(each)))
    if _DATE_TOKEN.fullmatch(token):
        return _date_terms(token)
    if _SHARE_TOKEN.fullmatch(token):
        return _share_terms(token, words)
    return reference_terms(token)


def reference_terms(reference: str) -> tuple[str, ...]:
    """Return a reference in its standard form, then the references that contain it: "4.2 (b)" gives 4.2(b) and 4.2."""
    whole = _DASHES.sub("-", _BLANKS.sub("", reference))
    found = [whole]
    part = _CODIFIED.sub("", whole, count=1) if "-" in whole else whole
    while part:
        found.append(part)
        shorter = _LAST_PART.sub("", part)
        part = shorter if shorter != part else ""
    return tuple(dict.fromkeys(found))


def _date_terms(token: str) -> tuple[str, ...]:
    """Return a date's terms: 31.12 and 2023 for "31.12.2023" or "31.12.23", those of "2023-12-31" for "2023.12.31"."""
    first, second, last = token.split(".")
    if len(first) == 4:
        return (first, second, last)
    return (f"{int(first)}.{int(second)}", full_year(last))


def _share_terms(token: str, words: Words) -> tuple[str, ...]:
    root, letter = token[:-2], token[-1]
    whole = root + letter
    parts = (*words(root), *words(letter))
    if root in _DIVISIONS or not words(root):
        return (whole,) if token[-2] == "." else parts
    return (whole, *parts)


def full_year(year: str) -> str:
    """Return the year with four digits; two digits from 70 on mean the 1900s, others the 2000s."""
    if len(year) == 4:
        return year
    return f"19{year}" if int(year) >= 70 else f"20{year}"
