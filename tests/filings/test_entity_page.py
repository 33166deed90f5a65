"""The pages of entities: who finds whom, what is shown of one, and where it leads."""

from __future__ import annotations

import pytest

from apps.corpus.models import Document
from apps.filings.admin.entity_neighbours import draw, neighbours_of
from apps.filings.selectors.entities import relations_of
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.filings.held_graph import mentions, take_in
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

KEY = "organisation:velden-cranes"


@pytest.fixture
def reports(acme: Firm) -> list[Document]:
    return [take_in(acme, year) for year in (2023, 2024)]


@pytest.fixture
def ann(acme: Firm, reports: list[Document]) -> Visitor:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    return Visitor("ann")


def test_the_empty_page_says_what_to_do(ann: Visitor) -> None:
    text = ann.open("entities").text
    assert "Type the beginning of a name" in text
    assert "until it is read again" in text


def test_a_search_without_a_hit_says_why_that_may_be(ann: Visitor) -> None:
    assert "found by their beginning" in ann.open("entities", q="zebra").text


def test_a_search_leads_to_everything_about_an_entity(ann: Visitor) -> None:
    page = ann.open("entities", q="velden")
    assert "Velden Cranes plc" in page.text
    assert any(link.endswith("?key=organisation%3Avelden-cranes") for link in page.links)


def test_everything_about_an_entity_is_on_its_page(ann: Visitor) -> None:
    text = " ".join(ann.open("entities", key=KEY).text.split())
    assert "Everything about Velden Cranes plc" in text
    for said in ("acquired Ostrava Hoists Ltd.", "is the parent of Brno Winches Ltd.", "employs Jane Doe"):
        assert said in text
    assert "In 2024, we acquired Ostrava Hoists Ltd. for $12 million." in text
    assert "1 more sentence says so" in text
    assert {"2023", "2024"} <= set(text.split())


def test_mentions_and_sentences_link_to_their_place(acme: Firm, ann: Visitor, reports: list[Document]) -> None:
    (first, *_) = mentions(acme, document=reports[1], key=KEY)
    links = ann.open("entities", key=KEY).links
    place = f"{reports[1].id}/page/?page={first.page}&start={first.char_start}&end={first.char_end}"
    assert any(link.endswith(place) for link in links)
    assert any("key=organisation%3Aostrava-hoists" in link for link in links)


def test_who_lacks_the_scope_finds_nothing(acme: Firm, reports: list[Document]) -> None:
    make_member(acme, "bea", Role.ANALYST, scopes=["fund:beta"])
    bea = Visitor("bea")
    assert "Velden" not in bea.open("entities", q="velden").text.replace("velden", "")
    assert bea.open("entities", key=KEY).status == 404


def test_an_unknown_key_is_not_found(ann: Visitor) -> None:
    assert ann.open("entities", key="organisation:\x00").status == 404
    assert ann.open("entities", key="").status == 404


def test_what_does_not_fit_in_the_drawing_is_counted(acme: Firm) -> None:
    others = ", ".join(f"{letter}{letter.lower()} Cranes Ltd." for letter in "ABCDEFGHIJKLMN")
    take_in(acme, 2021, text=f"Velden Cranes plc competes with {others}. Written in {{year}}.")
    with open_scope(tenant=acme.id, reason="a test"):
        neighbours = neighbours_of(KEY, relations_of([KEY]))
    drawing = draw("Velden Cranes plc", neighbours)
    assert (len(drawing.neighbours), drawing.left_out) == (12, len(neighbours) - 12)
    assert len(neighbours) == 14
