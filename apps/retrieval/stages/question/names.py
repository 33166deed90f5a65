"""Read proper names in a question that are not companies of the corpus: a person, a product, another firm's fund."""

from __future__ import annotations

import re
from typing import Final

from apps.filings.text.mentions import word_set

_CAPITALISED: Final = re.compile(r"\b[A-Z][a-z]+\b")
_PHRASE: Final = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;]\s+)[\"'(\u201c]*$")
_ACRONYM: Final = re.compile(r"(?<![\w&.\-])(?:[A-Z][A-Z0-9]*(?:&[A-Z]+)?|\d+[A-Z]+)(?![\w&%\-])")
# A file or a model: "24-1187", "TW-200". A span of years and a fiscal period are none.
_IDENTIFIER: Final = re.compile(
    r"(?<![\w.,-])(?!(?:FY|HY|Q|H)-|(?:19|20)\d\d[-/](?:19|20)\d\d\b)"
    r"(?:[A-Z]{1,4}-\d{2,}[A-Z]?|\d{2,4}[-/]\d{3,})(?![\w%-]|[.,]\d)"
)
_LEGAL_FORMS: Final = word_set("Inc Corp Co Ltd Plc Llc Ag Se Sa Nv The")
# Common abbreviations that name nobody. The glossary's own expressions have been read before.
NOT_NAMES: Final = word_set(
    """
    A I AGM AI AOCI API CAGR CAPEX CCO CEO CFO CIO COO CRO CSV DPO EBITA EBITDA EBITDAR ESEF ETF EU EUR FAQ FCF FY GAAP
    GBP GDP GDPR HR HTML HTTP HY IAS ID IFRS IPO ISIN ISO IT JPY JSON KPI KPIS LLC LTD MD MIFID MD&A NAV NEO NEOS NON
    OCI OK OTC PDF PLC PPE QOQ R&D REIT ROE SEC SEK SFDR SG&A TOP TV UCITS UK UN US USA USD VAT VP YE YOY YTD CHF
    DKK NOK
    """
)
# Often written with a capital, but not names by themselves.
GENERIC: Final = word_set(
    """
    act agm annual article audit auditor bank board chair chief committee company compliance council directive director
    directors executive fund funds group item management manager member note officer part policy portfolio regulation
    report rule rules section shareholders state states table trust united
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    highest lowest best worst largest smallest biggest real adjusted organic core net gross total sales income revenue
    monday tuesday wednesday thursday friday saturday sunday
    """
)


def proper_names(words: str, question: str, language: str) -> tuple[str, ...]:
    """Return words with a capital in the middle of a sentence.

    Args:    words: the part of the question that has not been read as anything else; the rest is blanked.
             question: the whole question, position by position the same.
             language: ISO 639-1; only English is read, since German writes every noun with a capital.
    Returns: the names in order; none for a question in title case, where a capital does not indicate a name.
    """
    if language != "en":
        return ()
    all_words = _WORD.findall(question)
    capitals = _CAPITALISED.findall(question)
    if 2 * len(capitals) > len(all_words):
        return ()
    return tuple(
        match.group()
        for match in _CAPITALISED.finditer(words)
        if match.group().lower() not in GENERIC and not _SENTENCE_START.search(question[: match.start()])
    )


def identifiers(words: str) -> tuple[str, ...]:
    """Return the signs of files, models and the like in a question, in order: "24-1187", "TW-200"."""
    return tuple(match.group() for match in _IDENTIFIER.finditer(words))


def names_asked(words: str, question: str, language: str) -> tuple[str, ...]:
    """Return all names in a question that nothing else explains, in the order of the kinds of name.

    Args:    as for `proper_names`.
    Returns: names of several words, then single words, then abbreviations and names such as "3M"; each once. A document
             can be about the question only if it mentions them.
    """
    phrases = name_phrases(words, question, language)
    within = {word for phrase in phrases for word in phrase.split()}
    single = [name for name in proper_names(words, question, language) if name not in within]
    return tuple(dict.fromkeys((*phrases, *single, *_acronyms(words, question, language))))


def _acronyms(words: str, question: str, language: str) -> tuple[str, ...]:
    letters = [character for character in question if character.isalpha()]
    if language != "en" or 2 * sum(map(str.isupper, letters)) > len(letters):
        return ()
    found = (match.group() for match in _ACRONYM.finditer(words))
    return tuple(each for each in found if each not in NOT_NAMES and not each.isdigit() and len(each) > 1)


def bare_name(name: str) -> tuple[str, ...]:
    """Return the words of a name that distinguish it: without an article and the legal form."""
    words = [word for word in name.split() if word.title() not in _LEGAL_FORMS]
    return tuple(words or name.split())


def name_phrases(words: str, question: str, language: str) -> tuple[str, ...]:
    """Return names of several words, such as those of funds, whose first word is a proper name.

    Args:    as for `proper_names`.
    Returns: the phrases as they stand in the question, in order, each once.
    """
    names = frozenset(proper_names(words, question, language))
    found = (match.group() for match in _PHRASE.finditer(question))
    return tuple(dict.fromkeys(" ".join(phrase.split()) for phrase in found if phrase.split()[0] in names))
