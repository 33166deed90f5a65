"""Entities: what is one, by which key, and what only looks like one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.corpus.extraction import extract
from apps.corpus.reader.answers import ContradictionError
from apps.filings.graph import derivation
from apps.filings.graph.contracts import EntityType, ReadItem, ReadMention, ReadRelation
from tests.filings.graphs import keys, read

SEC = "securities-and-exchange-commission"
TEXT = (
    "Velden Cranes plc acquired Ostrava Hoists Ltd. on March 21, 2022 for $12 million. Jane Doe is the Chief Executive "
    "Officer of Velden Cranes plc. See Note 3."
)


@pytest.mark.parametrize(
    ("text", "type", "expected"),
    [
        ("Apple Inc. sold it.", EntityType.ORGANISATION, {"apple"}),
        ("Apple Corporation and APPLE INC sold it.", EntityType.ORGANISATION, {"apple"}),
        ("The Boeing Company grew.", EntityType.ORGANISATION, {"boeing"}),
        ("Bank of America Corporation grew.", EntityType.ORGANISATION, {"bank-of-america"}),
        ("Die Müller GmbH & Co. KG wuchs.", EntityType.ORGANISATION, {"müller"}),
        ("The SEC, or Securities and Exchange Commission.", EntityType.ORGANISATION, {SEC}),
        ("The parent company, a limited partnership, and a Trust Company.", EntityType.ORGANISATION, set()),
        ("The parts incorporated by reference. Documents Incorporated by Reference.", EntityType.ORGANISATION, set()),
        ("Mr. Cook met Timothy D. Cook, our Chief Executive Officer.", EntityType.PERSON, {"timothy-cook"}),
        ("Frau Dr. Erika von der Heide sprach.", EntityType.PERSON, {"erika-von-der-heide"}),
        ("/s/ JANE Q. DOE", EntityType.PERSON, {"jane-doe"}),
        ("The Vice President, Human Resources, and the Annual Meeting.", EntityType.PERSON, set()),
        ("New York Times readers met Paul Revere there.", EntityType.PERSON, set()),
        ("In Germany, in Deutschland, and in Munich or München.", EntityType.LOCATION, {"de", "munich"}),
        ("Sales in the U.S. and in Turkey rose.", EntityType.LOCATION, {"us", "tr"}),
        ("Turkey was served. Georgia said so.", EntityType.LOCATION, set()),
        ("Regulation (EU) 2016/679, the GDPR and die DSGVO.", EntityType.REGULATION, {"eu-2016-679"}),
        ("Verordnung (EU) Nr. 600/2014 and MiFIR.", EntityType.REGULATION, {"eu-2014-600"}),
        ("Directive 2014/65/EU, that is MiFID II.", EntityType.REGULATION, {"eu-2014-65"}),
        ("GDPR Art. 17 applies.", EntityType.REGULATION, {"eu-2016-679", "eu-2016-679:17"}),
        (
            "Section 404 of the Sarbanes-Oxley Act of 2002 applies.",
            EntityType.REGULATION,
            {"sarbanes-oxley-act", "sarbanes-oxley-act:404"},
        ),
        ("See § 25a KWG.", EntityType.REGULATION, {"kwg", "kwg:25a"}),
        ("We adopted IFRS 9 and ASC 606.", EntityType.REGULATION, {"ifrs-9", "asc-606"}),
        ("The regulation 12/34 of the club. Act now. The Act.", EntityType.REGULATION, set()),
        ("Total assets and goodwill fell.", EntityType.CONCEPT, {"total-assets", "goodwill"}),
        ("Our CraneMaster\u2122 and Hoist 3000\u00ae sold well.", EntityType.PRODUCT, {"cranemaster", "hoist-3000"}),
        ("It began on March 21, 2022 and on 2022-03-21.", EntityType.DATE, {"2022-03-21"}),
        ("It cost $1.5 million, or USD 1,500,000.", EntityType.MONEY, {"usd-1500000"}),
        ("It rose by 12.5% and then by 12.5 percent.", EntityType.PERCENT, {"12.5"}),
        ("Our Form 10-K and our Annual Report 2024.", EntityType.DOCUMENT, {"form-10-k", "annual-report-2024"}),
    ],
)
def test_an_entity_is_known_by_its_key(text: str, type: EntityType, expected: set[str]) -> None:
    assert keys(text, type) == expected


def test_a_heading_is_no_part_of_a_name_below_it() -> None:
    assert keys("# Business\n\nVelden Cranes plc grew.", EntityType.ORGANISATION) == {"velden-cranes"}


def test_a_german_amount_is_the_english_one() -> None:
    assert keys("Es kostete 1,5 Mio. EUR.", EntityType.MONEY, language="de") == {"eur-1500000"}


@pytest.mark.parametrize(
    "text",
    [
        'Ostrava Hoists Works Ltd. ("Ostrava") grew. Ostrava sold cranes.',
        "Ostrava Hoists Works Ltd. (OHW) grew. OHW sold cranes.",
        "Ostrava Hoists Works Ltd. grew. Ostrava Hoists Works sold cranes.",
    ],
)
def test_what_a_document_calls_an_organisation_is_that_organisation(text: str) -> None:
    (mention,) = (each for each in read(text)[0] if each.type is EntityType.ORGANISATION)
    assert mention.key == "organisation:ostrava-hoists-works"
    assert mention.times > 1


def test_an_abbreviation_of_something_else_is_no_alias() -> None:
    found = keys("Ostrava Hoists Ltd. (NYSE) grew.", EntityType.ORGANISATION)
    assert found == {"ostrava-hoists", "new-york-stock-exchange"}


def test_a_name_of_two_organisations_is_neither() -> None:
    text = 'Velden Cranes plc ("Velden") and Velden Hoists Ltd. ("Velden") grew. Velden sold it.'
    times = {each.key: each.times for each in read(text)[0] if each.type is EntityType.ORGANISATION}
    assert times == {"organisation:velden-cranes": 1, "organisation:velden-hoists": 1}


def test_a_mention_stands_where_it_says_and_counts_the_others() -> None:
    mentions, _ = read("Velden Cranes plc grew. Later\nVelden Cranes plc\nshrank.")
    (mention,) = mentions
    assert (mention.start, mention.end, mention.times) == (0, len("Velden Cranes plc"), 2)


# --- What the worker believes -----------------------------------------------------------------------------------------


def items() -> tuple[list[ReadItem], dict[int, object]]:
    mentions, relations = read(TEXT)
    pages = {page.number: page for page in extract(TEXT.encode(), filename="text.md").pages}
    return [*relations, *mentions], pages


def first(found: list[ReadItem], kind: type) -> int:
    return next(place for place, each in enumerate(found) if isinstance(each, kind))


def test_what_was_read_passes_the_check() -> None:
    found, pages = items()
    derivation.check(found, pages, "text/markdown")  # type: ignore[arg-type]
    assert {type(each) for each in found} == {ReadMention, ReadRelation}


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (ReadMention, {"name": "Somebody Else Ltd."}),
        (ReadMention, {"key": "organisation:somebody-else"}),
        (ReadMention, {"key": "person:jane-doe"}),
        (ReadMention, {"page": 9}),
        (ReadMention, {"end": 10_000}),
        (ReadMention, {"start": -1}),
        (ReadMention, {"times": 0}),
        (ReadRelation, {"end": 10_000}),
        (ReadRelation, {"start": 80}),
        (ReadRelation, {"target_page": 1}),
        (ReadRelation, {"page": 9}),
    ],
)
def test_what_the_page_does_not_print_is_refused(kind: type, change: dict[str, object]) -> None:
    found, pages = items()
    place = first(found, kind)
    found[place] = replace(found[place], **change)  # type: ignore[arg-type]
    with pytest.raises(ContradictionError):
        derivation.check(found, pages, "text/markdown")  # type: ignore[arg-type]


def test_a_mention_twice_and_too_many_are_refused() -> None:
    found, pages = items()
    with pytest.raises(ContradictionError, match="twice"):
        derivation.check([*found, found[-1]], pages, "text/markdown")  # type: ignore[arg-type]
    with pytest.raises(ContradictionError, match="too many"):
        derivation.check([found[-1]] * (derivation.MOST_ITEMS + 1), pages, "text/markdown")  # type: ignore[arg-type]


def test_a_relation_of_a_name_that_the_document_lacks_is_refused() -> None:
    found, pages = items()
    place = first(found, ReadRelation)
    relation = found[place]
    assert isinstance(relation, ReadRelation)
    found[place] = replace(relation, object=replace(relation.object, key="organisation:somebody-else"))
    with pytest.raises(ContradictionError):
        derivation.check(found, pages, "text/markdown")  # type: ignore[arg-type]
