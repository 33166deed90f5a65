"""Relations: each grammatical form that states one is read, with any names, and none of its neighbours is."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from tests.filings.graphs import read, told

PAIRS: Final = (
    ("Velden Cranes plc", "Ostrava Hoists Ltd."),
    ("J.P. Morgan Chase & Co.", "Nordwind Software, Inc."),
    ("SAP SE", "Müller Logistik GmbH & Co. KG"),
    ("Bank of Velden Corporation", "3M Company"),
)
PEOPLE: Final = ("Jane Q. Doe", "Erika von der Heide", "Heidi O'Neill")
# {a} and {b} are organisations, in the order of the relation: subject, object.
ENGLISH: Final = {
    "acquired": (
        "{a} acquired {b}.",
        "In 2019, {a} acquired {b} for $1.2 billion in cash.",
        "On March 21, 2022, {a} completed its acquisition of {b}.",
        "{a} has acquired all of the outstanding shares of {b}.",
        "{a}, a maker of cranes, acquired {b} in May 2020.",
        "{b} was acquired by {a} in 2018.",
        "{a} purchased the remaining 40% interest in {b}.",
        "{a} acquired a controlling interest in {b} on DATE_HERE.",
    ),
    "subsidiary_of": (
        "{a} is a wholly owned subsidiary of {b}.",
        "{a} is a direct, wholly-owned subsidiary of {b}.",
        "The notes were issued by {a}, a wholly owned subsidiary of {b}.",
        "{b}'s wholly owned subsidiary, {a}, issued notes.",
        "{b} is the parent company of {a}.",
    ),
    "competes_with": (
        "{a} competes with {b}.",
        "{a} competes primarily against {b} in Europe.",
        "{a}'s principal competitors are {b}.",
        "{a} and {b} are competitors.",
    ),
    "related_to": (
        "{a} is an affiliate of {b}.",
        "The plant is run by a joint venture between {a} and {b}.",
        "{a} and {b} are under common control.",
    ),
}
GERMAN: Final = {
    "acquired": (
        "Die {a} hat die {b} im Jahr 2019 übernommen.",
        "Im Jahr 2019 hat die {a} die {b} erworben.",
        "Die {b} wurde 2020 von der {a} übernommen.",
        "Die {a} übernahm sämtliche Anteile an der {b}.",
    ),
    "subsidiary_of": (
        "Die {a} ist eine hundertprozentige Tochtergesellschaft der {b}.",
        "Die Anleihe begab die {a}, eine Tochtergesellschaft der {b}.",
    ),
    "competes_with": ("Die {a} steht im Wettbewerb mit der {b}.", "Wettbewerber der {a} sind {b}."),
    "related_to": ("Die {a} ist ein verbundenes Unternehmen der {b}.",),
}
NEAR: Final = (
    "{a} may acquire {b}.",
    "{a} has not acquired {b}.",
    "{a} agreed to acquire {b}.",
    "If {a} acquired {b}, prices would rise.",
    "{a} acquired {b}'s crane business.",
    "{a} acquired certain assets of {b}.",
    "{a} acquired a 5% interest in {b}.",
    "The head of {a} acquired {b}.",
    "Analysts said that {a} acquired {b}.",
    "Has {a} acquired {b}?",
    "{a} was formerly a subsidiary of {b}.",
    "{a} is not a subsidiary of {b}.",
    "{a} is a customer of {b}.",
    "The shareholders of {a} are competitors of {b}.",
    "{a} expects that it competes with {b}.",
    "{a} and {b} signed a contract.",
    "The acquisition of {b} by {a} was terminated.",
    "{a} acquired licences from {b}.",
)
GERMAN_NEAR: Final = (
    "Die {a} hat die {b} nicht übernommen.",
    "Die {a} könnte die {b} übernehmen.",
    "Die {a} hat Waren der {b} erworben.",
    "Die {a} ist keine Tochtergesellschaft der {b}.",
    "Die {a} ist eine ehemalige Tochtergesellschaft der {b}.",
    "Die {a} ist Kundin der {b}.",
)


def cases(forms: dict[str, tuple[str, ...]]) -> list[tuple[str, str, str, str]]:
    return [(relation, form, a, b) for relation, each in forms.items() for form, (a, b) in product(each, PAIRS)]


def wrote(form: str, a: str, b: str) -> str:
    # A point that ends a name ends its sentence too.
    return form.format(a=a, b=b).replace("DATE_HERE", "June 3, 2021").replace("..", ".")


@pytest.mark.parametrize(("relation", "form", "a", "b"), cases(ENGLISH))
def test_an_english_form_states_its_relation(relation: str, form: str, a: str, b: str) -> None:
    assert told(wrote(form, a, b)) == {(relation, a, b)}


@pytest.mark.parametrize(("relation", "form", "a", "b"), cases(GERMAN))
def test_a_german_form_states_its_relation(relation: str, form: str, a: str, b: str) -> None:
    assert told(wrote(form, a, b), language="de") == {(relation, a, b)}


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("form", NEAR)
def test_a_near_miss_in_english_states_nothing(form: str, a: str, b: str) -> None:
    assert told(wrote(form, a, b)) == set()


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("form", GERMAN_NEAR)
def test_a_near_miss_in_german_states_nothing(form: str, a: str, b: str) -> None:
    assert told(wrote(form, a, b), language="de") == set()


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize(
    "form",
    [
        "{p}, Chief Executive Officer of {o}, signed it.",
        "{p} is the Chief Financial Officer of {o}.",
        "Ms. {p} is the Chief Financial Officer of {o}.",
        "Frau {p} ist Vorstandsvorsitzende der {o}.",
        "{o} appointed {p} as its Chief Executive Officer.",
        "{p} was appointed Chief Operating Officer of {o}.",
        "{p} ist Vorstandsvorsitzende der {o}.",
        "{p}, Geschäftsführerin der {o}, unterschrieb.",
    ],
)
def test_who_holds_an_office_works_there(form: str, person: str) -> None:
    assert told(form.format(p=person, o="Velden Cranes plc")) == {("works_for", person, "Velden Cranes plc")}


@pytest.mark.parametrize(
    "form",
    [
        "{p}, former Chief Executive Officer of {o}, signed it.",
        "{p} is not the Chief Financial Officer of {o}.",
        "{p}, Chief Executive Officer, met {o}.",
        "{p} is a shareholder of {o}.",
    ],
)
def test_who_holds_no_office_there_does_not_work_there(form: str) -> None:
    assert told(form.format(p="Jane Q. Doe", o="Velden Cranes plc")) == set()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{o} is headquartered in Munich, Germany.", "Germany"),
        ("{o} is based in New York.", "New York"),
        ("{o} has its registered office in Luxembourg.", "Luxembourg"),
        ("{o}'s headquarters are located in Tokyo.", "Tokyo"),
        ("Die {o} hat ihren Sitz in München.", "München"),
        ("Die {o} mit Sitz in Frankfurt am Main, wuchs.", "Frankfurt am Main"),
        ("Sitz der {o} ist Hamburg.", "Hamburg"),
    ],
)
def test_a_seat_is_a_location(text: str, place: str) -> None:
    assert told(text.format(o="Velden Cranes plc")) == {("located_in", "Velden Cranes plc", place)}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{o} is subject to the GDPR.", "GDPR"),
        ("{o} is subject to the requirements of Regulation (EU) 2016/679.", "Regulation (EU) 2016/679"),
        ("{o} is regulated by the Financial Conduct Authority.", "Financial Conduct Authority"),
        ("Die {o} wird von der BaFin beaufsichtigt.", "BaFin"),
        ("Die {o} unterliegt dem KWG.", "KWG"),
    ],
)
def test_who_is_subject_to_a_rule_is_governed_by_it(text: str, rule: str) -> None:
    assert told(text.format(o="Velden Cranes plc")) == {("governed_by", "Velden Cranes plc", rule)}


def test_an_agreement_is_governed_by_the_law_that_it_names() -> None:
    text = "This Agreement shall be governed by and construed in accordance with the laws of the State of New York."
    assert told(text) == {("governed_by", "this", "New York")}


def test_several_subjects_and_objects_are_a_relation_each() -> None:
    assert told("Velden Cranes plc acquired Ostrava Hoists Ltd., Brno Winches Ltd. and 3M Company.") == {
        ("acquired", "Velden Cranes plc", other) for other in ("Ostrava Hoists Ltd.", "Brno Winches Ltd.", "3M Company")
    }


@pytest.mark.parametrize(
    "text",
    [
        "We acquired Ostrava Hoists Ltd. in 2020.",
        "The Company acquired Ostrava Hoists Ltd. in 2020.",
        "In 2020, we completed our acquisition of Ostrava Hoists Ltd.",
    ],
)
def test_we_are_the_company_of_the_document(text: str) -> None:
    assert told(text, company="Velden Cranes plc") == {("acquired", "we", "Ostrava Hoists Ltd.")}


def test_we_are_nobody_where_the_company_is_not_known() -> None:
    assert told("We acquired Ostrava Hoists Ltd. in 2020.") == set()


def test_the_company_that_is_defined_as_another_is_not_the_documents_own() -> None:
    text = 'Brno Winches Ltd. (the "Company") is a seller. The Company acquired Ostrava Hoists Ltd. in 2020.'
    assert told(text, company="Velden Cranes plc") == set()


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ('"Net Debt Ratio" means total debt divided by equity.', "Net Debt Ratio"),
        ("\u201cPar Call Date\u201d shall mean April 23, 2027.", "Par Call Date"),
        ("\u201eStichtag\u201c bezeichnet den 31. Dezember 2024.", "Stichtag"),
        ("We define Organic Growth as growth without acquisitions.", "Organic Growth"),
    ],
)
def test_a_term_that_is_explained_is_defined(text: str, term: str) -> None:
    assert told(text) == {("defines", "this", term)}


def test_a_word_in_quotation_marks_is_not_defined() -> None:
    assert told('"Net debt" was the topic of the day.') == set()


def test_a_reference_leads_to_the_page_of_its_part() -> None:
    filler = "Nothing of note is said in this paragraph, which only fills its page. " * 20
    text = (
        f"# Report\n\nSee Note 12 and refer to Exhibit 10.1.\n\n{filler * 6}\n\n## Note 12 - Taxes\n\nTaxes were paid."
    )
    _, relations = read(text)
    pages = {each.object.name: (each.page, each.target_page) for each in relations}
    assert pages["Note 12"][1] is not None
    assert pages["Note 12"][1] > pages["Note 12"][0]
    assert pages["Exhibit 10.1"][1] is None


def test_each_relation_has_the_sentence_that_says_so() -> None:
    text = "Sales rose. Velden Cranes plc acquired Ostrava Hoists Ltd. in 2020. Sales fell."
    (relation,) = read(text)[1]
    assert text[relation.start : relation.end] == "Velden Cranes plc acquired Ostrava Hoists Ltd. in 2020."
