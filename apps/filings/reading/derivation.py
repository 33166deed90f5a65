"""Facts as what is derived from a file while it is read (apps/corpus/registry.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import TypeAdapter

from apps.corpus.description import Description
from apps.corpus.extraction.contracts import ExtractedDocument, Page
from apps.corpus.reader.answers import ContradictionError
from apps.corpus.registry import Derivation, Derived, register_derivation
from apps.filings.contracts import ReadFact
from apps.filings.reading.facts import read_printed_facts
from apps.filings.reading.on_the_page import contradictions
from apps.filings.vocabulary.concepts import concepts, find_by_name

NAME: Final = "facts"
MOST_FACTS: Final = 20_000
"""A document's further facts are left out, with a warning: so many are no report, and each costs a row."""


def prepare() -> None:
    """Read the vocabulary and its index."""
    concepts()
    find_by_name("revenue")


def derive(content: bytes, extracted: ExtractedDocument, about: Description, language: str) -> Derived:
    """Return the facts of a document that its pages bear out; their sums are checked by who stores them."""
    facts = read_printed_facts(
        content,
        extracted,
        fiscal_year=about.fiscal_year,
        fiscal_quarter=about.fiscal_quarter,
        language=language,
    )
    told = contradictions(facts, {page.number: page for page in extracted.pages}, extracted.media_type)
    borne_out = tuple(fact for fact, contradiction in zip(facts, told, strict=True) if not contradiction)
    return Derived(items=borne_out, left_out=len(facts) - len(borne_out))


def check(facts: Sequence[ReadFact], pages: Mapping[int, Page], media_type: str) -> None:
    """Check that each fact is what its page prints (on_the_page.py). Raises: ContradictionError."""
    if len(facts) > MOST_FACTS:
        raise ContradictionError("too many facts")
    if len({(fact.page, fact.cell) for fact in facts}) < len(facts):
        raise ContradictionError("two facts of one cell")
    for contradiction in contradictions(facts, pages, media_type):
        if contradiction:
            raise ContradictionError(contradiction)


register_derivation(
    Derivation(
        module=__name__,
        name=NAME,
        label="The figures of its tables",
        result=TypeAdapter(tuple[ReadFact, ...]),
        most=MOST_FACTS,
        prepare=prepare,
        derive=derive,
        check=check,
    )
)
