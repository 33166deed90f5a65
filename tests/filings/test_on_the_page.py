"""What a reading process that a document has taken over says of its facts: of each class of lie, one for each fact."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Final

import pytest

from apps.corpus.extraction import ExtractedDocument, extract
from apps.corpus.reader.answers import ContradictionError
from apps.filings.contracts import CheckResult, FactUnit, HowRead, ReadFact, TextSpan
from apps.filings.reading import derivation
from apps.filings.reading.facts import read_printed_facts
from apps.filings.reading.on_the_page import contradictions
from apps.filings.vocabulary.concepts import concepts
from tests.filings.reports import report_html
from tests.filings.whole_filings import WholeFiling

Lie = Callable[[ReadFact, ReadFact, random.Random], ReadFact]


def later(day: date | None, years: int) -> date | None:
    return day and day.replace(year=day.year + years, day=min(day.day, 28))


def in_year(fact: ReadFact, years: int) -> ReadFact:
    starts, ends = later(fact.starts_on, years), later(fact.ends_on, years)
    return replace(fact, fiscal_year=fact.fiscal_year + years, starts_on=starts, ends_on=ends)


def _saying(where: str, text: str) -> Lie:
    return lambda fact, other, chance: replace(fact, **{where: text})


# What a page shows of every fact, whoever states it.
OF_ALL: Final[Mapping[str, Lie]] = {
    "a digit": lambda fact, other, chance: replace(fact, value=fact.value + Decimal(1).scaleb(fact.exponent or 0)),
    "ten times as much": lambda fact, other, chance: replace(fact, value=fact.value * 10 + 10),
    "no number": lambda fact, other, chance: replace(fact, value=Decimal(chance.choice(("NaN", "sNaN", "Infinity")))),
    "a huge number": lambda fact, other, chance: replace(fact, value=Decimal(f"1e{chance.choice((28, 999_999))}")),
    "a huge scale": lambda fact, other, chance: replace(fact, exponent=chance.choice((99, -99, 10**9))),
    "huge decimals": lambda fact, other, chance: replace(fact, decimals=chance.choice((-1, 99, 10**9))),
    "a figure elsewhere": lambda fact, other, chance: replace(fact, printed=f"{other.printed}0"),
    "a page that is not there": lambda fact, other, chance: replace(fact, page=chance.choice((0, -1, 10**9))),
    "a row too long": lambda fact, other, chance: replace(fact, row=TextSpan(start=0, end=10**9)),
    "no cell": lambda fact, other, chance: replace(fact, cell=TextSpan(start=0, end=0)),
    "a heading too far": lambda fact, other, chance: replace(fact, heading=TextSpan(start=-5, end=10**9)),
    "a year of nobody": lambda fact, other, chance: in_year(fact, chance.choice((-900, 200))),
    "a fiscal year": lambda fact, other, chance: replace(fact, fiscal_year=fact.fiscal_year + chance.choice((-2, 2))),
    "a quarter of five": lambda fact, other, chance: replace(fact, fiscal_quarter=chance.choice((-1, 5, 99))),
    "months": lambda fact, other, chance: replace(fact, months=chance.choice((-1, 10**6))),
    "an unknown concept": lambda fact, other, chance: replace(fact, concept="a concept of nobody"),
    "another concept": lambda fact, other, chance: replace(fact, tag="", concept=_another_concept(fact, chance)),
    "a label of nobody": lambda fact, other, chance: replace(fact, label="Zebra"),
    "no currency": lambda fact, other, chance: replace(fact, currency=chance.choice(("usd", "US", "$$$", "\u0415UR"))),
    "a statement of nobody": lambda fact, other, chance: replace(fact, statement="x"),
    "too sure": lambda fact, other, chance: replace(fact, confidence=Decimal(chance.choice(("NaN", "2", "-1")))),
    "checked already": lambda fact, other, chance: replace(fact, check=CheckResult.PASSED),
    "a sum that it made up": lambda fact, other, chance: replace(fact, check_detail="It adds up."),
    "another way": lambda fact, other, chance: replace(fact, how_read=HowRead.PDF_TABLE),
    **{
        f"{name} in its {where}": _saying(where, text)
        for where in ("label", "column", "group", "dimension", "tag")
        for name, text in (
            ("a control character", "a\x00b"),
            ("another direction", "a\u202eb"),
            ("half a character", "a\ud800b"),
            ("a million characters", "x" * 10**6),
        )
    },
}
# What tables print, and inline XBRL may state otherwise.
OF_TABLES: Final[Mapping[str, Lie]] = {
    "another sign": lambda fact, other, chance: replace(fact, value=-fact.value if fact.value else Decimal(1)),
    "another scale": lambda fact, other, chance: replace(
        fact, exponent=(fact.exponent or 0) + 3, value=fact.value * 1000 + (not fact.value)
    ),
    "no scale": lambda fact, other, chance: replace(
        fact, exponent=None, value=fact.value.scaleb(-(fact.exponent or -3)), unit=FactUnit.MONEY
    ),
    "another year": lambda fact, other, chance: in_year(fact, chance.choice((-1, 1))),
    "the fiscal year before": lambda fact, other, chance: replace(fact, fiscal_year=fact.fiscal_year - 1),
    "another quarter": lambda fact, other, chance: replace(fact, fiscal_quarter=(fact.fiscal_quarter + 1) % 5),
    "another unit": lambda fact, other, chance: replace(
        fact, unit=chance.choice([each for each in FactUnit if each is not fact.unit])
    ),
    "another currency": lambda fact, other, chance: replace(fact, currency="XAU"),
    "another heading": lambda fact, other, chance: replace(fact, column="Zebra"),
    "another part": lambda fact, other, chance: replace(fact, dimension="Zebra"),
    "an element": lambda fact, other, chance: replace(fact, tag="us-gaap:Revenues"),
    "the parent": lambda fact, other, chance: replace(fact, consolidated=False),
    "restated": lambda fact, other, chance: replace(fact, restated=True),
}


def _another_concept(fact: ReadFact, chance: random.Random) -> str:
    return chance.choice([each for each in concepts() if each != fact.concept])


@lru_cache
def reports() -> tuple[tuple[ExtractedDocument, tuple[ReadFact, ...]], ...]:
    """A report of tables, and one of inline XBRL."""
    found = []
    for content in (report_html(2024), WholeFiling(1).write()[0]):
        document = extract(content, filename="report.htm")
        facts = read_printed_facts(content, document, fiscal_year=2024, fiscal_quarter=None, language="en")
        found.append((document, facts))
    return tuple(found)


def unfound(name: str, lie: Lie, document: ExtractedDocument, facts: tuple[ReadFact, ...]) -> list[ReadFact]:
    """Return the lies of a class that are not found, one of each fact: told of every third fact at a time."""
    chance = random.Random(name)
    pages = {page.number: page for page in document.pages}
    lies = [lie(fact, chance.choice(facts), chance) for fact in facts]
    assert all(not told.value.is_finite() or told != fact for told, fact in zip(lies, facts, strict=True))
    missed = []
    for first in range(3):
        told = [lies[at] if at % 3 == first else fact for at, fact in enumerate(facts)]
        found = contradictions(told, pages, document.media_type)
        missed.extend(lies[at] for at in range(first, len(facts), 3) if not found[at])
        assert not any(each for at, each in enumerate(found) if at % 3 != first)
    return missed


def test_of_honest_readings_nothing_is_refused() -> None:
    for document, facts in reports():
        assert len(facts) > 30
        derivation.check(facts, {page.number: page for page in document.pages}, document.media_type)


@pytest.mark.parametrize("name", OF_ALL)
def test_a_lie_about_any_fact_is_found(name: str) -> None:
    for document, facts in reports():
        assert unfound(name, OF_ALL[name], document, facts[:60]) == []


@pytest.mark.parametrize("name", OF_TABLES)
def test_a_lie_about_a_fact_of_a_table_is_found(name: str) -> None:
    document, facts = reports()[0]
    assert unfound(name, OF_TABLES[name], document, facts) == []


def test_one_lie_refuses_the_whole_reading() -> None:
    document, (first, *others) = reports()[0]
    pages = {page.number: page for page in document.pages}
    with pytest.raises(ContradictionError, match="another value than is printed"):
        derivation.check([*others, replace(first, value=-first.value)], pages, document.media_type)


SPLIT_YEARS: Final = """\
# Annual report 2023/24

## Income statement

EUR thousand

|  | 2023/24 | 2022/23 |
|---|---|---|
| Revenue | 298,791 | 289,517 |
| Cost of sales | -149,860 | -149,913 |
| Net income | 14,524 | 9,154 |
"""


def test_a_split_year_is_no_lie() -> None:
    content = SPLIT_YEARS.encode()
    document = extract(content, filename="report.md")
    facts = read_printed_facts(content, document, fiscal_year=2024, fiscal_quarter=None, language="en")
    assert len(facts) == 6
    told = contradictions(facts, {page.number: page for page in document.pages}, document.media_type)
    assert not any(told), told
