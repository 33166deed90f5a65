"""The words of a sentence that say something, without figures, periods, and words that only hold it together."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.stages.question.dates import read_dates
from apps.retrieval.stages.question.glossary import GLOSSARY, Nature
from apps.retrieval.stages.question.mentions import Mention, blank_mentions, expression_pattern, word_set
from apps.retrieval.stages.question.period_mentions import read_period_mentions

_NO_WORD: Final = re.compile(r"\d[\d.,]*(?:%|st|nd|rd|th)?|fy\d{2,4}|q[1-4](?:\d{4})?|[1-4]q|h[12]")
# They may stand in any sentence about any figure: they state, report, date, compare and count, and name nothing.
_PLAIN: Final = {
    "en": word_set(
        """
        amount amounted amounting total totaled totalled totaling totalling come came coming stand stood standing reach
        reached reaching report reported reports reporting record recorded records recording post posted state stated
        states show shown shows showed showing disclose disclosed discloses list listed lists according per document
        documents filing filings annual report page table row line item column figure figures value values number
        numbers level sum approximately about around roughly nearly almost just exactly over under only company group
        firm corporation business year years fiscal financial period periods quarter quarters month months weeks ended
        ending end beginning start date first second third fourth prior previous preceding last latest current earlier
        ago before after later following same respective respectively corresponding compare compared comparing
        comparison versus vs against relative change changed changes difference equal equals equivalent mean means
        represent represents represented representing correspond corresponds give gives given giving yield yields
        result results resulting calculate calculated calculation compute computed based derive derived divide divided
        formula provide provided presented during between within across through while whereas however therefore thus
        hence overall also additionally further million millions billion billions thousand thousands percent
        percentage point points basis currency dollar dollars usd eur gbp chf generate generated incur incurred hold
        held carry carried see saw remain remained spend spent sit sits say says said note noted per cent there here
        one whole full entire time its their see ie eg approx roughly comprise comprised consolidated available
        rate close closed closes times multiplied yes no indeed correct us sterling pound pounds inc incs corp corps plc ltd llc llp lp co ag se sa nv gmbh bank insurer drugmaker utility
        retailer manufacturer lender issuer fund manager trust partnership carrier bring brings brought take took went go
        move moved went passage source cited reading put puts places placed make makes made use used using take takes taken taking
        work works out add adds added back set sets next already still
        """
    ),
    "de": word_set(
        """
        betrug betrugen beträgt betragen belief beliefen lag lagen liegt liegen jahr jahre jahres jahren geschäftsjahr
        geschäftsjahres quartal zeitraum vorjahr million millionen milliarde milliarden mio mrd tausend prozent euro
        eur usd insgesamt rund etwa circa ca gegenüber verglichen vergleich beziehungsweise jeweils laut gemäß bericht
        unternehmen gesellschaft konzern wert betrag höhe zahl angabe tabelle zeile spalte stand standen erreichte
        erreichten ergibt entspricht weist wies ausgewiesen berichtet nannte nennt ende beginn davon somit damit
        geteilt durch dividiert mal position posten zuvor vorher ja nein plus minus teur tsd us dollar pfund bank versicherer hersteller fonds haus institut
        """
    ),
}
_CONNECTED: Final = re.compile(r"[\u2010-\u2014/+*=\u2212]")


def is_word(term: str) -> bool:
    """Return whether a term is a word, and no number or period."""
    return len(term) > 1 and _NO_WORD.fullmatch(term) is None and any(character.isalpha() for character in term)


@lru_cache(maxsize=4)
def plain_terms(language: str) -> frozenset[str]:
    """Return the terms of the words that name nothing."""
    words = _PLAIN["en"] | (_PLAIN["de"] if language == "de" else frozenset())
    return frozenset(term for word in words for term in terms(word, language))


def word_terms(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text in their order, as terms; without numbers, dates and periods."""
    blanked = blank_periods(_CONNECTED.sub(" ", text))
    return tuple(term for term in terms(blanked, language) if is_word(term))


def telling_terms(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text that say something, in their order."""
    plain = plain_terms(language)
    return tuple(term for term in word_terms(text, language) if term not in plain)


def blank_periods(text: str) -> str:
    """Return the text with dates and periods blanked; each position stays the same."""
    text = blank_mentions(text, (Mention(start=each.start, end=each.end, text=each.text) for each in read_dates(text)))
    return read_period_mentions(text).rest


def blank_places(text: str) -> str:
    """Return the text with the names of statements blanked: "in the cash flow statement" names no figure."""
    for pattern in _places():
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return text


@lru_cache(maxsize=1)
def _places() -> tuple[re.Pattern[str], ...]:
    named = {
        each
        for entry in GLOSSARY
        if entry.nature is Nature.PLACE
        for each in (*entry.triggers, *entry.phrases)
        if " " in each
    }
    named |= {"income statement", "statement of income", "statements of income", "statement of operations"}
    return tuple(expression_pattern(each) for each in sorted(named, key=len, reverse=True))
