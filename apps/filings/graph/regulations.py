"""Laws, regulations and accounting standards, by number, by name, and by the part that is cited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from apps.filings.graph.words import NameIndex, words_of

# The end of a key, and the names of it. An act of the EU has its year and its number as its key.
_TABLE: Final = """
eu-2016-679 | GDPR, DSGVO, General Data Protection Regulation, Datenschutz-Grundverordnung, Datenschutzgrundverordnung
eu-2014-65 | MiFID II, MiFID 2, MiFID-II
eu-2014-600 | MiFIR
eu-2014-596 | Market Abuse Regulation, Marktmissbrauchsverordnung
eu-2012-648 | EMIR, European Market Infrastructure Regulation
eu-2013-575 | CRR, Capital Requirements Regulation, Kapitaladäquanzverordnung
eu-2013-36 | CRD IV, Capital Requirements Directive IV
eu-2009-65 | UCITS Directive, OGAW-Richtlinie
eu-2011-61 | AIFMD, AIFM Directive, AIFM-Richtlinie
eu-2019-2088 | SFDR, Sustainable Finance Disclosure Regulation, Offenlegungsverordnung
eu-2020-852 | Taxonomy Regulation, Taxonomie-Verordnung, Taxonomieverordnung
eu-2022-2554 | DORA, Digital Operational Resilience Act
eu-2022-2464 | CSRD, Corporate Sustainability Reporting Directive
eu-2015-2366 | PSD2, Payment Services Directive 2
eu-2009-138 | Solvency II, Solvabilität II
eu-2014-1286 | PRIIPs Regulation, PRIIPs-Verordnung
eu-2023-1114 | MiCA, MiCAR, Markets in Crypto-Assets Regulation
basel-ii | Basel II
basel-iii | Basel III
basel-iv | Basel IV
sarbanes-oxley-act | Sarbanes-Oxley Act, Sarbanes-Oxley, SOX
dodd-frank-act | Dodd-Frank Act, Dodd-Frank, Dodd-Frank Wall Street Reform and Consumer Protection Act
securities-exchange-act | Securities Exchange Act, Exchange Act
securities-act | Securities Act
private-securities-litigation-reform-act | Private Securities Litigation Reform Act, PSLRA
foreign-corrupt-practices-act | Foreign Corrupt Practices Act, FCPA
kwg | KWG, Kreditwesengesetz
wphg | WpHG, Wertpapierhandelsgesetz
hgb | HGB, Handelsgesetzbuch, German Commercial Code
aktg | AktG, Aktiengesetz, German Stock Corporation Act
gwg | GwG, Geldwäschegesetz
kagb | KAGB, Kapitalanlagegesetzbuch
vag | VAG, Versicherungsaufsichtsgesetz
bgb | BGB, Bürgerliches Gesetzbuch, Bürgerlichen Gesetzbuchs, German Civil Code
gmbhg | GmbHG
zag | ZAG, Zahlungsdiensteaufsichtsgesetz
bdsg | BDSG, Bundesdatenschutzgesetz
wpueg | WpÜG, Wertpapiererwerbs- und Übernahmegesetz
marisk | MaRisk
us-gaap | U.S. GAAP, US GAAP, US-GAAP
ifrs | IFRS, International Financial Reporting Standards
"""
_EU_ACT: Final = re.compile(
    r"\b(?:Regulation|Directive|Decision|Verordnung|Richtlinie|Beschluss)\s+"
    r"(?P<of>\((?:EU|EC|EEC|EG|EWG)\)\s+)?(?P<counted>(?:No|Nr)\.?\s*)?(?P<first>\d{1,4})/(?P<second>\d{1,4})"
    r"(?P<after>/(?:EU|EC|EEC|EG|EWG)\b)?(?![\d/])"
)
_STANDARD: Final = re.compile(
    r"\b(?P<name>IFRS|IAS|IFRIC|ASC|ASU|SFAS|FAS"
    r"|DRS)\s+(?:Topic\s+)?(?:No\.\s*)?(?P<number>\d{1,4}(?:-\d{1,3})*)(?![\w-])"
)
_LETTERED: Final = re.compile(r"\bRegulation\s(?P<letters>(?:S-[KXTP]|[A-Z]{1,2}))\b(?![\w-])")
_RULE: Final = re.compile(r"\bRule\s(?P<number>\d{1,3}[a-z]?(?:-\d{1,2})?[A-Z]?)\b")
_ACT: Final = re.compile(r"\bAct(?:\s+(?P<of>of\s+)?(?P<year>(?:1[89]|20)\d\d))?\b")
_ACT_WORD: Final = re.compile(r"[A-Z][\w.\u2019'&-]*")
_JOINS: Final = frozenset({"and", "of", "for", "with", "in"})
_NO_ACT: Final = frozenset(
    [
        "The",
        "This",
        "That",
        "Such",
        "Any",
        "Each",
        "An",
        "A",
        "No",
        "Under",
        "Of",
        "In",
        "And",
        "By",
        "To",
        "Our",
        "Both",
        "Certain",
        "When",
        "Where",
        "If",
        "Section",
        "Article",
    ]
)
_MOST_WORDS: Final = 9
_PART: Final = (
    r"(?:(?:Sections?|Articles?|Artikels?|Art\.?|§§?|Rule)\s*\d{1,4}[a-z]?(?:\(\w{1,3}\))*(?:\s+Abs(?:atz|\.)\s*\d+)?)"
)
_PART_BEFORE: Final = re.compile(rf"(?P<part>{_PART})\s+(?:(?:of|der|des|von)\s+)?(?:the\s+)?$")
_PART_AFTER: Final = re.compile(rf"\s+(?P<part>{_PART})(?!\w)")
_LONGEST_PART: Final = 48
_NUMBER_OF_PART: Final = re.compile(r"\d{1,4}[a-z]?(?:\(\w{1,3}\))*(?:\s+Abs(?:atz|\.)\s*\d+)?")
_YEARS: Final = range(1950, 2051)


def _names() -> Iterator[tuple[str, str]]:
    for row in _TABLE.strip().splitlines():
        key, _, names = row.partition("|")
        for name in (each.strip() for each in names.split(",")):
            yield name, key.strip()
            if name.endswith(("gesetz", "gesetzbuch")):
                yield from ((name + ending, key.strip()) for ending in ("es", "s"))


@lru_cache(maxsize=1)
def regulation_names() -> NameIndex[str]:
    """Return the regulations that are known by name, with the ends of their keys."""
    return NameIndex(_names())


def key_of_regulation(name: str) -> str:
    """Return the end of the key of a regulation, or of a part of one, by its printed name; empty if it is none."""
    found = [(start, end, key) for start, end, key in regulations_in(name) if start == 0 and end == len(name)]
    return found[0][2] if found else ""


def regulations_in(text: str) -> list[tuple[int, int, str]]:
    """Return start, end and the end of the key of each regulation, and of each cited part, which covers its own."""
    whole: dict[tuple[int, int], str] = {}
    for match in _EU_ACT.finditer(text):
        if match["of"] or match["after"]:
            whole[match.span()] = _eu_key(match)
    for match in _STANDARD.finditer(text):
        whole[match.span()] = f"{match['name']}-{match['number']}".lower()
    for match in _LETTERED.finditer(text):
        whole[match.span()] = f"regulation-{match['letters']}".lower()
    for match in _RULE.finditer(text):
        whole[match.span()] = f"rule-{match['number']}".lower()
    whole.update(_acts(text))
    for found in regulation_names().find(text, words_of(text)):
        whole[found.start, found.end] = found.value
    whole = {span: whole[span] for span in _outermost(whole)}
    parts = {}
    for (start, end), key in whole.items():
        before = _PART_BEFORE.search(text, max(0, start - _LONGEST_PART), start)
        after = _PART_AFTER.match(text, end)
        if before:
            parts[before.start(), end] = f"{key}:{_part(before['part'])}"
        elif after:
            parts[start, after.end()] = f"{key}:{_part(after['part'])}"
    return sorted((start, end, key) for (start, end), key in {**whole, **parts}.items())


def _outermost(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the spans that lie within no other one."""
    furthest = -1
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > furthest:
            yield start, end
            furthest = end


def _eu_key(match: re.Match[str]) -> str:
    first, second = match["first"], match["second"]
    first_is_year, second_is_year = int(first) in _YEARS, int(second) in _YEARS
    if second_is_year and (match["counted"] or not first_is_year):
        first, second = second, first
    return f"eu-{first}-{second}"


def _acts(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    for match in _ACT.finditer(text):
        names = _words_before(text, match.start())
        if names:
            start, words = names
            year = f"-{match['year']}" if match["year"] and not match["of"] else ""
            plain = "-".join(re.findall(r"[^\W_]+", " ".join((*words, "Act")).casefold()))
            known = regulation_names().whole(" ".join((*words, "Act")))
            yield (start, match.end()), known or f"{plain}{year}"


def _words_before(text: str, end: int) -> tuple[int, list[str]] | None:
    """Return where the capitalised words before a place begin, and these words; None if there are none."""
    before = [(each.start(), each.group()) for each in re.finditer(r"\S+", text[max(0, end - 120) : end])]
    offset = max(0, end - 120)
    words: list[tuple[int, str]] = []
    for start, word in reversed(before[-_MOST_WORDS:]):
        if (word in _JOINS and words) or (_ACT_WORD.fullmatch(word) and word not in _NO_ACT and not word.endswith(".")):
            words.append((start, word))
        else:
            break
    while words and words[-1][1] in _JOINS:
        words.pop()
    if not words:
        return None
    return offset + words[-1][0], [word for _, word in reversed(words)]


def _part(written: str) -> str:
    number = _NUMBER_OF_PART.search(written)
    return "-".join(re.findall(r"\w+", number.group().lower())) if number else ""
