"""The words of a sentence that say something, without figures, periods, and words that only hold it together."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.dates import read_dates
from apps.filings.text.mentions import Mention, blank_mentions, expression_pattern, word_set
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.stages.question.glossary import GLOSSARY
from apps.retrieval.stages.question.glossary_entry import Nature

_NO_WORD: Final = re.compile(r"\d[\d.,]*(?:%|st|nd|rd|th)?|fy\d{2,4}|q[1-4](?:\d{4})?|[1-4]q|h[12]")
_PLAIN: Final = {
    "en": word_set(
        """
        pp bp bps according per document documents filing filings annual report page table row line item column
        passage source company group firm corporation business year years fiscal financial period periods quarter
        quarters months weeks respectively corresponding while whereas however therefore thus hence overall also
        additionally further million millions billion billions thousand thousands percent dollar dollars usd eur
        gbp chf euro euros us sterling pound pounds currency its their see ie eg approx roughly approximately about
        around just exactly there here yes no indeed correct inc incs corp corps plc ltd llc llp lp co ag se sa nv
        gmbh says say said states stated state reports reported notes note noted mentions shows showed disclosed
        discloses because since due thanks owing reason reasons explain explains explained expect expects expected
        trace traces became become becomes namely given take takes taken contrast following get got going
        """
    ),
    "de": word_set(
        """
        jahr jahre jahres jahren gesch\u00e4ftsjahr gesch\u00e4ftsjahres quartal zeitraum million millionen milliarde
        milliarden mio mrd tausend prozent euro eur usd insgesamt rund etwa circa ca laut gem\u00e4\u00df bericht
        unternehmen gesellschaft konzern ja nein teur tsd us dollar pfund davon somit damit weil da wegen denn firma
        grund nennt nannte dagegen begr\u00fcndet
        """
    ),
}
_BESIDE_FIGURES: Final = {
    "en": word_set(
        """
        amount amounted amounting total totaled totalled totaling totalling come came coming stand stood standing
        reach reached reaching record recorded records recording post posted list listed lists figure figures value
        values number numbers level sum almost over under month ended ending end beginning start date first second
        third fourth prior previous preceding last latest current earlier ago before after later following same
        compare compared comparing comparison versus vs against relative change changed changes difference equal
        equals equivalent mean means represent represents represented representing correspond corresponds give gives
        given giving yield yields result results resulting calculate calculated calculation compute computed based
        derive derived divide divided formula provide provided presented during between within across through point
        points basis generate generated incur incurred hold held carry carried saw remain remained spend spent sit
        sits one whole full entire time comprise comprised consolidated available cited reading put puts places placed
        make makes made use used using take takes taken taking took work works out add adds added back set sets next
        already still management bank insurer drugmaker utility retailer manufacturer lender issuer fund manager trust
        partnership carrier bring segment segments part parts division divisions contribute contributed contributes
        namely bottom saw earn earned brings brought went go move moved rate close closed closes times multiplied show
        shown reporting
        """
    ),
    "de": word_set(
        """
        betrug betrugen betr\u00e4gt betragen belief beliefen lag lagen liegt liegen vorjahr gegen\u00fcber verglichen
        vergleich beziehungsweise jeweils wert betrag h\u00f6he zahl angabe tabelle zeile spalte stand standen
        erreichte erreichten ergibt entspricht weist wies ausgewiesen berichtet nannte nennt ende beginn zuvor vorher
        geteilt durch dividiert mal position posten plus minus bank versicherer hersteller fonds haus institut
        unternehmens verzeichnete verzeichneten folgendes folgende ergebnis segment segmente sparte gab gaben aus
        ausgegeben kam kamen ging gingen
        """
    ),
}
_MAY_NAME_A_PERIOD: Final = re.compile(r"\d|year|quarter|yoy|qoq|quartal|jahr|last|latest|recent|newest", re.IGNORECASE)
_CONNECTED: Final = re.compile(r"[\u2010-\u2014/+*=\u2212]")


def is_word(term: str) -> bool:
    """Return whether a term is a word, and no number or period."""
    return len(term) > 1 and _NO_WORD.fullmatch(term) is None and any(character.isalpha() for character in term)


@lru_cache(maxsize=4)
def plain_terms(language: str) -> frozenset[str]:
    """Return the terms of the words that may stand beside any figure: they state, date and count, and name nothing."""
    more = _BESIDE_FIGURES["en"] | (_BESIDE_FIGURES["de"] if language == "de" else frozenset())
    return filling_terms(language).union(term for word in more for term in terms(word, language))


@lru_cache(maxsize=4)
def filling_terms(language: str) -> frozenset[str]:
    """Return the terms of the words that may stand in any sentence without saying anything of their own."""
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
    if _MAY_NAME_A_PERIOD.search(text) is None:
        return text
    text = blank_mentions(text, (Mention(start=each.start, end=each.end, text=each.text) for each in read_dates(text)))
    return read_period_mentions(text).rest


def blank_places(text: str) -> str:
    """Return the text with the names of statements blanked: "in the cash flow statement" names no figure."""
    return _places().sub(lambda match: " " * len(match.group()), text)


@lru_cache(maxsize=1)
def _places() -> re.Pattern[str]:
    named = {
        each
        for entry in GLOSSARY
        if entry.nature is Nature.PLACE
        for each in (*entry.triggers, *entry.phrases)
        if " " in each
    }
    named |= {"income statement", "statement of income", "statements of income", "statement of operations"}
    longest_first = sorted(named, key=len, reverse=True)
    return re.compile("|".join(expression_pattern(each).pattern for each in longest_first), re.IGNORECASE)
