"""How many of the facts of whole filings are read, and how many of those rightly."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from apps.corpus.extraction import ExtractedDocument, extract
from apps.corpus.extraction.pages import BlockDraft, build_page
from apps.filings.contracts import ReadFact
from apps.filings.xbrl.inline import read_inline
from tests.filings.whole_filings import KnownFact, WholeFiling

SEEDS = range(12)


def as_known(fact: ReadFact, text: str) -> KnownFact:
    """Return a fact as the filing knows it, its strings taken from the page where it says that they are."""
    printed = re.sub(r"[$() ]", "", text[fact.cell.start : fact.cell.end])
    row = text[fact.row.start : fact.row.end]
    return KnownFact(
        tag=fact.tag,
        value=fact.value,
        fiscal_year=fact.fiscal_year,
        label=row.split(" | ")[0] if " | " in row else "",
        printed=printed,
        dimension=fact.dimension,
        heading=text[fact.heading.start : fact.heading.end] if fact.heading else "",
        statement=fact.statement,
    )


def count_right(facts: list[KnownFact], known: list[KnownFact]) -> int:
    """Count the facts that are known, in the order of the text: one that is placed wrongly differs from its own."""
    right, at = 0, 0
    for fact in facts:
        if fact in known[at:]:
            right, at = right + 1, known.index(fact, at) + 1
    return right


def without_some_blocks(document: ExtractedDocument, chance: random.Random) -> ExtractedDocument:
    """Return the document as an extraction that lost one block in twenty would have it."""
    pages = tuple(
        build_page(
            page.number,
            [BlockDraft(block.kind, block.text, block.level) for block in page.blocks if chance.random() > 0.05],
        )
        for page in document.pages
    )
    return replace(document, pages=pages)


@pytest.mark.parametrize("seed", SEEDS)
def test_where_the_text_lacks_rows_no_fact_stands_in_the_place_of_another(seed: int) -> None:
    content, known = WholeFiling(seed).write()
    document = without_some_blocks(extract(content, filename="filing.htm"), random.Random(seed))
    texts = {page.number: page.text for page in document.pages}
    reading = read_inline(content, document, fiscal_year=None)
    # The heading may be lost, and a statement be unknown without its title.
    facts = [replace(as_known(fact, texts[fact.page]), heading="", statement="") for fact in reading.facts]
    right = count_right(facts, [replace(fact, heading="", statement="") for fact in known])
    assert right / max(len(facts), 1) >= 0.98
    assert len(facts) >= 0.6 * len(known)
    assert reading.unplaced >= len(known) - len(facts)


@pytest.mark.parametrize("seed", SEEDS)
def test_facts_of_a_whole_filing_are_read_in_their_place(seed: int) -> None:
    content, known = WholeFiling(seed).write()
    document = extract(content, filename="filing.htm")
    texts = {page.number: page.text for page in document.pages}
    reading = read_inline(content, document, fiscal_year=None)
    facts = [as_known(fact, texts[fact.page]) for fact in reading.facts]
    right = count_right(facts, known)
    assert len(known) > 200
    assert right / max(len(facts), 1) >= 0.98
    assert right / len(known) >= 0.90


def test_every_fact_has_its_place_within_its_row_and_none_shares_it() -> None:
    content, _ = WholeFiling(0).write()
    document = extract(content, filename="filing.htm")
    facts = read_inline(content, document, fiscal_year=None).facts
    assert len({(fact.page, fact.cell) for fact in facts}) == len(facts)
    assert all(fact.row.start <= fact.cell.start < fact.cell.end <= fact.row.end for fact in facts)
