"""The vocabulary keeps its concepts apart, and holds what the figures and the glossary already call by name."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from apps.filings.vocabulary.concepts import (
    UPPER_CASE_ONLY,
    concepts,
    find_by_name,
    find_by_tag,
    find_in_text,
    fold_name,
    list_row_labels,
    read_concept,
)
from apps.retrieval.stages.figures.line_items import ITEMS
from apps.retrieval.stages.question.glossary import GLOSSARY

# What the glossary answers with another figure's lines. The vocabulary keeps it a concept of its own.
_ITS_OWN = {"net debt"}
_TAG = re.compile(r"(?:us-gaap|ifrs-full):[A-Z][A-Za-z0-9]+")
_AMBIGUOUS = (
    "margin income assets liabilities interest costs cost profit rate ratio reserves investments other total net"
    " basic diluted Ergebnis Erträge Aufwendungen Kosten Zinsen Steuern Gewinn Vermögen Quote"
)


def test_there_are_many_concepts() -> None:
    assert len(concepts()) >= 300


def test_no_name_belongs_to_two_concepts() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for concept in concepts().values():
        for name in (concept.name, *concept.labels, *concept.asked):
            assert fold_name(name)
            owners[fold_name(name)].add(concept.name)
    assert {name: owned for name, owned in owners.items() if len(owned) > 1} == {}


def test_a_concept_names_nothing_twice() -> None:
    for concept in concepts().values():
        names = [name.casefold() for name in (*concept.labels, *concept.asked)]
        assert len(names) == len(set(names)), concept.name


def test_every_concept_is_named_in_both_languages() -> None:
    for concept in concepts().values():
        assert concept.labels, concept.name
        assert concept.german, concept.name
        assert {*concept.labels, *concept.asked} - concept.german, concept.name


@pytest.mark.parametrize("word", _AMBIGUOUS.split())
def test_a_bare_word_that_may_mean_several_belongs_to_none(word: str) -> None:
    assert find_by_name(word) is None


@pytest.mark.parametrize(
    "names",
    [
        ("total assets", "current assets", "net assets", "non-current assets"),
        ("operating income", "net income", "profit attributable to owners of the parent", "profit before tax"),
        ("gross profit", "EBIT", "EBITDA", "adjusted EBITDA"),
        ("interest paid", "interest expense", "interest income", "net interest income", "accrued interest"),
        ("long-term debt", "short-term debt", "total debt", "net debt", "current portion of long-term debt"),
        ("cash", "restricted cash", "cash and restricted cash", "cash and short-term investments"),
        ("income tax expense", "taxes paid", "deferred tax expense", "income taxes payable", "tax rate"),
        ("capex", "PP&E", "gross PP&E", "construction in progress"),
        ("depreciation", "amortisation", "D&A", "accumulated depreciation"),
        ("EPS", "basic EPS", "diluted EPS", "adjusted EPS"),
        ("gross written premiums", "net written premiums", "net earned premiums", "insurance revenue"),
        ("dividends paid", "dividends declared", "dividends per share", "preferred dividends", "dividend income"),
        ("Umsatzkosten", "Materialaufwand", "Personalaufwand", "sonstige betriebliche Aufwendungen"),
        ("Bilanzgewinn", "Jahresüberschuss", "Gewinnvortrag", "Gewinnrücklagen", "Ergebnis vor Steuern"),
        ("Rückstellungen", "Pensionsrückstellungen", "Steuerrückstellungen", "sonstige Rückstellungen"),
        ("aktive Rechnungsabgrenzungsposten", "passive Rechnungsabgrenzungsposten"),
    ],
)
def test_what_differs_stays_apart(names: tuple[str, ...]) -> None:
    found = [find_by_name(name) for name in names]
    assert None not in found
    assert len({each.name for each in found if each}) == len(names)


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("capex", "Purchases of property, plant and equipment"),
        ("bottom line", "Jahresüberschuss"),
        ("top line", "Net sales"),
        ("F&E-Aufwand", "Research and development expenses"),
        ("EK", "Total stockholders' equity"),
        ("Vorräte", "Merchandise inventories"),
        ("headcount", "Anzahl der Mitarbeiter"),
        ("PP&E", "Sachanlagen"),
        ("CET1 ratio", "Harte Kernkapitalquote"),
        ("CFO", "Net cash (used in) provided by operating activities"),
    ],
)
def test_what_is_asked_meets_what_is_printed(asked: str, printed: str) -> None:
    concept = find_by_name(asked)
    assert concept is not None
    assert concept is find_by_name(printed)


def test_tags_are_well_formed_and_in_one_concept() -> None:
    tags = [tag for concept in concepts().values() for tag in concept.tags]
    assert [tag for tag in tags if not _TAG.fullmatch(tag)] == []
    assert len(tags) == len(set(tags))
    assert find_by_tag("us-gaap:Assets") is concepts()["total assets"]
    assert find_by_tag("us-gaap:Nothing") is None


def test_parts_are_concepts() -> None:
    for concept in concepts().values():
        assert concept.name not in concept.parts
        assert set(concept.parts) <= concepts().keys(), concept.name


def test_short_forms_in_capitals_are_asked_names() -> None:
    assert {name for concept in concepts().values() for name in concept.asked} >= UPPER_CASE_ONLY


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_the_lines_of_the_statements_are_concepts(name: str) -> None:
    item, concept = ITEMS[name], concepts()[name]
    assert concept.statement is item.statement
    assert set(item.labels) <= set(list_row_labels(concept))


def test_what_triggers_the_glossary_names_the_same_concept() -> None:
    shared = [entry for entry in GLOSSARY if entry.label in concepts()]
    assert len(shared) > len(ITEMS)
    for entry in shared:
        concept = concepts()[entry.label]
        for trigger in entry.triggers:
            found = find_by_name(trigger)
            assert found is not None, trigger
            assert found.name in {concept.name, *concept.parts} or trigger in _ITS_OWN, (trigger, found.name)


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValueError, match="asks"):
        read_concept("a figure", {"period": "instant", "labels": ["a figure"], "asks": ["figure"]})


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Wie entwickelten sich die kurzfristigen Schulden?", "current liabilities"),
        ("der Stand der erhaltenen Anzahlungen", "advance payments received"),
        ("um wie viel die langfristigen Finanzschulden stiegen", "long-term debt"),
    ],
)
def test_a_german_name_is_found_in_any_case_and_number(text, concept):
    assert [each.concept.name for each in find_in_text(text)] == [concept]
