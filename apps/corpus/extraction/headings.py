"""Recognise headings by their words: items and parts of SEC filings, notes, statements, titles in capitals."""

from __future__ import annotations

import re

MAX_TITLE_CHARACTERS = 160
MAX_TITLE_WORDS = 22

_PART = re.compile(r"^PART\s+(?:I{1,3}|IV)\b", re.IGNORECASE)
_ITEM = re.compile(r"^ITEMS?\s+(\d{1,2}(?:\.\d\d)?\s?[A-C]?)(?=[\s.:)\u2013\u2014-]|$)", re.IGNORECASE)
_ITEM_TITLE = re.compile(r"^ITEM\s+\d{1,2}(?:\.\d\d)?[A-C]?\s?[.:\u2013\u2014-]\s+\S", re.IGNORECASE)
_NOTE = re.compile(r"^NOTE\s+(?:\d{1,2}|[A-Z])\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"\b(?:statements?\s+of\s+(?:consolidated\s+)?(?:comprehensive\s+)?"
    r"(?:income|operations|earnings|cash\s+flows?|financial\s+(?:position|condition)|(?:changes\s+in\s+)?"
    r"(?:shareholders|stockholders|shareowners|total)?['\u2019]?\s*equity|comprehensive\s+income|loss)"
    r"|balance\s+sheets?|income\s+statements?|cash\s+flow\s+statements?|statements?\s+of\s+cash\s+flows?)\b",
    re.IGNORECASE,
)
_ENDS_SENTENCE = re.compile(r"[;,]$|(?<![A-Z0-9])\.$")


def looks_like_title(text: str) -> bool:
    """Could a block in heading type be a heading, by its length and end?"""
    if len(text) > MAX_TITLE_CHARACTERS or text.count(" ") >= MAX_TITLE_WORDS:
        return False
    if not any(character.isalpha() for character in text):
        return False
    return not _ENDS_SENTENCE.search(text) or bool(_ITEM.match(text) or _NOTE.match(text) or _PART.match(text))


def is_title_case(text: str) -> bool:
    """Is the text a few words with capitals, as headings are written and sentences are not?"""
    if len(text) > 90 or text[-1:] in ".,;:" or not looks_like_title(text):
        return False
    words = [word for word in text.split() if len(word) > 3 and word[0].isalpha()]
    return 0 < len(words) <= 12 and all(word[0].isupper() for word in words) and not any(map(str.isdigit, text))


def heading_level(text: str, *, larger: bool = False) -> int:
    """1 for items and parts, 2 for statements, notes and what is set larger or in capitals, 3 for the rest."""
    if _ITEM.match(text) or _PART.match(text):
        return 1
    if larger or _NOTE.match(text) or names_statement(text) or text.isupper():
        return 2
    return 3


def names_statement(text: str) -> bool:
    """Does a heading name one of the financial statements?"""
    return len(text) < 120 and bool(_STATEMENT.search(text))


def item_of(text: str) -> str | None:
    """The item's number in "Item 7A. Quantitative ..." as "7A", "Item 2.02" as "2.02"; None for other texts."""
    match = _ITEM.match(text)
    return match.group(1).replace(" ", "").upper() if match else None


def begins_item(text: str) -> bool:
    """Does a line or paragraph open an item by its number and title, in whatever type: "Item 4. Controls ..."?"""
    return len(text) <= MAX_TITLE_CHARACTERS and bool(_ITEM_TITLE.match(text))
