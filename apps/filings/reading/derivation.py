"""Facts as what is derived from a file while it is read (apps/corpus/reader/derivations.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import TypeAdapter

from apps.corpus.description import Description
from apps.corpus.extraction.contracts import ExtractedDocument, Page
from apps.corpus.reader.answers import ContradictionError
from apps.corpus.reader.derivations import Derivation, register_derivation
from apps.filings.contracts import ReadFact
from apps.filings.reading.facts import read_facts
from apps.filings.vocabulary.concepts import concepts, find_by_name

NAME: Final = "facts"
MOST_FACTS: Final = 20_000
"""A document's further facts are left out: so many are no report, and each costs a row."""


def prepare() -> None:
    """Read the vocabulary and its index."""
    concepts()
    find_by_name("revenue")


def derive(content: bytes, extracted: ExtractedDocument, about: Description, language: str) -> tuple[ReadFact, ...]:
    """Return the facts of a document, at most MOST_FACTS."""
    facts = read_facts(
        content,
        extracted,
        fiscal_year=about.fiscal_year,
        fiscal_quarter=about.fiscal_quarter,
        language=language,
    )
    return facts[:MOST_FACTS]


def check(facts: Sequence[ReadFact], pages: Mapping[int, Page]) -> None:
    """Check that each fact stands where it says. Raises: ContradictionError."""
    if len(facts) > MOST_FACTS:
        raise ContradictionError("too many facts")
    known = concepts()
    for fact in facts:
        page = pages.get(fact.page)
        if page is None or not 0 <= fact.row.start <= fact.cell.start < fact.cell.end <= fact.row.end <= len(page.text):
            raise ContradictionError("a fact beyond its page")
        if page.text[fact.cell.start : fact.cell.end] != fact.printed:
            raise ContradictionError("a fact that its page does not hold")
        if fact.concept and fact.concept not in known:
            raise ContradictionError("a fact of an unknown concept")


register_derivation(
    Derivation(
        module=__name__,
        name=NAME,
        label="The figures of its tables",
        result=TypeAdapter(tuple[ReadFact, ...]),
        prepare=prepare,
        derive=derive,
        check=check,
    )
)
