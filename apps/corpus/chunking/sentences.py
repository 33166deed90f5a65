"""Find where sentences end, without being fooled by abbreviations, initials and numbers."""

from __future__ import annotations

import re

_CANDIDATE = re.compile(r"[.!?;:]?[.!?][\"'\u2019\u201d)\]]*\s+(?=[\"'\u2018\u201c(\[]*[A-ZÄÖÜ0-9•$€£])")
_LAST_WORD = re.compile(r"([^\s(\"\u201c]+)$")
_ABBREVIATED = (
    "inc corp co ltd llc plc no nos vs mr mrs ms dr st sr jr fig figs art sec dept est approx incl excl cf al etc "
    "eg ie e.g i.e u.s u.k n.a d.c p.m a.m jan feb mar apr jun jul aug sep sept oct nov dec bn mn avg max min ref "
    "nr bzw z.b d.h u.a ca abs ziff vgl evtl ggf inkl exkl mio mrd tsd usw sog gem s.a n.v"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# "Am 20. März", "im 3. Quartal": a German ordinal before what it counts.
_COUNTED = re.compile(
    r"(?:Januar|J\u00e4nner|Februar|M\u00e4rz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Quartal"
    r"|Halbjahr|Gesch\u00e4ftsjahr|Tag|Woche|Monat|Jahr|Kalendertag|Stock|Sitzung|Auflage|Nachtrag|Bundes)"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Spans of the sentences, in order; they cover all of the text but the white space between them."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if _ends_sentence(text, match):
            end = match.start() + len(match.group().rstrip())
            spans.append((start, end))
            start = match.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    mark = match.group().lstrip(";:")[0]
    if mark != ".":
        return True
    word = _LAST_WORD.search(text, max(match.start() - 24, 0), match.start())
    if word is None:
        return True
    last = word.group(1).lower().rstrip(".")
    if last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha()):
        return False
    if last.isdigit() and len(last) <= 2 and _COUNTED.match(text, match.end()):
        return False
    # "1. Notes", "Item 7. Management": a number at the beginning of a line or after a title word is a label.
    return not (last.rstrip("abc").isdigit() and word.start() - len("item ") <= 0)
