"""Read which countries a question names, and whether it plainly names them as the law or the seat that it asks about.

Nothing here reads the corpus; jurisdictions.py turns the mentions into filters. Names are read with caution: "us" is
not a country, "Turkey" may be a dish, and a name that is part of another name ("Bank of Ireland", "Swiss Re") belongs
to that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from apps.filings.text.mentions import Mention, word_set
from apps.retrieval.stages.question.jurisdiction_names import JurisdictionName, read_names

_LAW: Final = (
    r"(?:laws?|legislation|statutes?|regulations?|rules?|rulebook|courts?|acts?|"
    r"\w*recht(?:s|e|en|lich\w*)?|\w*gesetz(?:e[ns]?|es|gebung)?|\w*vorschrift(?:en)?|regulierung|regeln|vorgaben|"
    r"\w*verordnung(?:en)?)"
)
_FUND: Final = (
    r"(?:(?:sub-?|teil|publikums|spezial|investment)?fund?s?|SICAVs?|ICAVs?|UCITS|OGAW|AIFs?|RAIFs?|OEICs?|"
    r"(?:teil|publikums|spezial|investment)?fonds|sondervermögen)"
)
_VEHICLE: Final = r"(?:SICAVs?|ICAVs?|UCITS|OGAW|AIFs?|RAIFs?|OEICs?|SIFs?|Spezialfonds|Sondervermögen|KVG)"
_REALM: Final = r"(?:Republic|Kingdom|Duchy|Principality|State)"
_THE: Final = rf"(?:(?:the|der|den|die|des)\s+)?(?:(?:[A-Z]\w+\s+)?{_REALM}\s+of\s+)?"
_FILLER: Final = (
    r"(?:(?!(?:and|or|of|in|to|the|our|by|for|is|are|with|under|on|at|from|und|oder)\b)[a-zäöüß-]+\s+){0,2}"
)

# Wording that makes a country the law or the seat that is asked about.
_CONTEXT_AFTER: Final = (
    # "Swiss law", "German investment fund law", "EU-Recht".
    re.compile(rf"(?:['\u2019]s)?(?:\s+|-){_FILLER}(?i:{_LAW})\b"),
    # "a Luxembourg SICAV", "Irish-domiciled funds", "in Irland domizilierte Fonds".
    re.compile(rf"(?:\s+|-){_VEHICLE}\b"),
    re.compile(
        rf"(?:\s+|-)(?:domiciled|incorporated|registered|established|(?:domiziliert|aufgelegt|ansässig)e[nrsm]?)"
        rf"\s+(?i:{_FUND})\b"
    ),
)
_CONTEXT_BEFORE: Final = (
    # "the laws of Germany", "rules in the UK", "Recht der Schweiz", "Recht Luxemburgs".
    re.compile(rf"\b{_LAW}\s+(?:of|in|for|von|für|der|des)\s+{_THE}$", re.IGNORECASE),
    re.compile(r"\b(?:Recht|Rechts|Gesetze?n?)\s+$"),
    # "a fund domiciled in Luxembourg", "Fonds mit Sitz in Irland".
    re.compile(
        rf"\b{_FUND}\b[^.?!]{{0,20}}?\b(?:(?:domiciled|incorporated|established|constituted|organi[sz]ed)\s+"
        rf"(?:in|under\s+the\s+laws?\s+of)|mit\s+Sitz\s+in)\s+{_THE}$",
        re.IGNORECASE,
    ),
)
_RULES: Final = (
    r"(?:rules?|requirements?|circulars?|guidelines?|guidance|regulations?|handbook|rundschreiben|vorgaben|leitlinien|"
    r"merkbl(?:att|ätter)|anforderungen|verordnung(?:en)?|richtlinien?)"
)
_AUTHORITY_AFTER: Final = re.compile(
    rf"(?:['\u2019]s)?(?:\s+|-)(?:[a-zäöüß-]+\s+)?(?:{_RULES}|requires?|expects?|demands?|allows?|permits?|prescribes?|"
    r"verlangt|fordert|erwartet|erlaubt)\b",
    re.IGNORECASE,
)
_AUTHORITY_BEFORE: Final = re.compile(
    rf"\b(?:{_RULES}\s+(?:of|from|by|der|von|des)|verlangt|fordert|erwartet|erlaubt)\s+{_THE}$", re.IGNORECASE
)
_SET_APART: Final = re.compile(
    r"\b(?:outside(?:\s+of)?|excluding|except(?:\s+for|\s+in)?|other\s+than|non|ex|beyond|außerhalb|ohne|außer)"
    rf"[\s-]+(?:von\s+)?{_THE}$",
    re.IGNORECASE,
)
# The name belongs to a language, a currency or an accounting standard.
_OF_SOMETHING_ELSE: Final = re.compile(
    r"\$|[\s-]+(?:language|version|translation|text|edition|speaking|sprach\w*|fassung|übersetzung|sprache|dollars?|"
    r"francs?|pounds?|kron[ae]r?|krone[rn]?|yen|yuan|franken|pfund|treasur\w+|gaap)\b",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\s*(?:,|/|,?\s*(?:and|or|und|oder|sowie))\s*(?:in\s+)?(?:(?:the|der|den|die)\s+)?")
_WORD_BEFORE: Final = re.compile(r"(?P<word>[^\W_]+)[\s-]$")
_NAME_BEFORE: Final = re.compile(r"\b(?P<word>[A-Z][\w&]*)\s+(?:of|de|du|von)\s+(?:the\s+)?$")
_NAME_AFTER: Final = re.compile(r"[\s-](?P<word>[A-ZÄÖÜ][^\W_]+)")
_MAY_COME_BEFORE: Final = word_set(
    "Law Laws Rules Regulation Regulations Government Act Courts Great Republic Kingdom Duchy Principality State "
    "Republik Bundesrepublik Volksrepublik Königreich Fürstentum Großherzogtum"
)
_HOUSE_AFTER: Final = re.compile(r"\s(?:Bank|Börse|Rück\w*|Versicherung\w*|Post|Bahn|Telekom|\w+bank|Zeitung)\b")
_MAY_FOLLOW: Final = word_set("Law Laws Fund Funds Act Code Regulation Regulations I")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;]\s+)[\"'(\u201c]*$")
_LONGEST_BEFORE: Final = 120
_NOUN_AFTER: Final = re.compile(r"[\s-]+(?!(?:and|or|und|oder)\b)[^\W\d_]")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class JurisdictionMention:
    """A jurisdiction that a question names. `plain`: as the law or the seat asked about, and not merely as a place."""

    start: int
    end: int
    text: str
    code: str
    plain: bool


def read_jurisdiction_mentions(text: str, rest: str, language: str) -> tuple[JurisdictionMention, ...]:
    """Read the countries, the EU and the authorities that a question names.

    Args:    text: the question, one line.
             rest: the same, with what has already been read (companies, document types) blanked out, position by
                 position.
             language: ISO 639-1. German writes every noun with a capital, so a capital does not indicate a name there.
    Returns: the mentions in the order of the text; none for a question in capitals, where "US" may be "us" and no name
             stands out.
    """
    if sum(map(str.isupper, text)) > sum(map(str.islower, text)):
        return ()
    names = [
        name
        for name in read_names(rest)
        if not _SET_APART.search(_text_before(name.mention.start, text))
        and not _OF_SOMETHING_ELSE.match(text, name.mention.end)
        and (name.authority or not _ends_name(name.mention, text, language))
    ]
    return tuple(_mentions(names, text, language))


def _mentions(names: Iterable[JurisdictionName], text: str, language: str) -> Iterator[JurisdictionMention]:
    for group in _group_adjacent(names, text):
        plain = any(_is_plain(name, text) for name in group)
        for name in group:
            if plain or name.authority or _is_a_place(name, text, language):
                mention = name.mention
                yield JurisdictionMention(
                    start=mention.start, end=mention.end, text=mention.text, code=name.code, plain=plain
                )


def _group_adjacent(names: Iterable[JurisdictionName], text: str) -> Iterator[list[JurisdictionName]]:
    """Yield groups of adjacent names, such as "German and Austrian law". If one of them is plainly the law, all are."""
    group: list[JurisdictionName] = []
    for name in names:
        if group and not _AND.fullmatch(text, group[-1].mention.end, name.mention.start):
            yield group
            group = []
        group.append(name)
    if group:
        yield group


def _is_plain(name: JurisdictionName, text: str) -> bool:
    before, end = _text_before(name.mention.start, text), name.mention.end
    if name.authority:
        return bool(_AUTHORITY_AFTER.match(text, end) or _AUTHORITY_BEFORE.search(before))
    return any(each.match(text, end) for each in _CONTEXT_AFTER) or any(each.search(before) for each in _CONTEXT_BEFORE)


def _ends_name(mention: Mention, text: str, language: str) -> bool:
    """Return whether a mention ends a longer name: "Bank of Ireland", "New Jersey", "Telekom Deutschland"."""
    before = _text_before(mention.start, text)
    of = _NAME_BEFORE.search(before)
    if of is not None and of["word"] not in _MAY_COME_BEFORE and not _SENTENCE_START.search(before[: of.start()]):
        return True
    word = _WORD_BEFORE.search(before)
    if word is None or word["word"] in _MAY_COME_BEFORE or not word["word"][0].isupper():
        return False
    if _SENTENCE_START.search(before[: word.start()]):
        return False
    # A German noun of law may come directly before: "Recht Luxemburgs".
    return language != "de" or not any(each.search(before) for each in _CONTEXT_BEFORE)


def _is_a_place(name: JurisdictionName, text: str, language: str) -> bool:
    """Return whether a name without a word of law means a country, rather than a language, a thing or a company."""
    mention = name.mention
    if name.needs_context or (name.also_a_word and _is_first(mention.start, text)):
        return False
    if (name.adjective and not _NOUN_AFTER.match(text, mention.end)) or _HOUSE_AFTER.match(text, mention.end):
        return False
    capital = mention.text[0].isupper()
    if language == "de":
        # "Deutsche Bank": within a sentence, an adjective has no capital, unless it ends in -er.
        return mention.text.endswith("er") or capital is not name.adjective
    after = _NAME_AFTER.match(text, mention.end)
    return capital and (after is None or after["word"] in _MAY_FOLLOW or any(map(str.isdigit, after["word"])))


def _is_first(position: int, text: str) -> bool:
    return _SENTENCE_START.search(_text_before(position, text)) is not None


def _text_before(position: int, text: str) -> str:
    """Return the text before a position, as far as any pattern looks."""
    return text[max(0, position - _LONGEST_BEFORE) : position]
