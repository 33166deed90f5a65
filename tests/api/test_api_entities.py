"""Entities over the API."""

from __future__ import annotations

import pytest

from apps.corpus.models import Document
from tests.api.client import Api
from tests.factories import Firm, make_key
from tests.filings.held_graph import take_in

pytestmark = pytest.mark.django_db

VELDEN = "/api/v1/entities/organisation:velden-cranes/"


@pytest.fixture
def reports(acme: Firm) -> list[Document]:
    return [take_in(acme, year) for year in (2023, 2024)]


def keys(api: Api, **params: object) -> list[str]:
    return [each["key"] for each in api.get("/api/v1/entities/", params).json()["results"]]


def test_an_entity_is_found_by_the_beginning_of_its_name(analyst: Api, reports: list[Document]) -> None:
    assert keys(analyst, name="Velden Cr") == ["organisation:velden-cranes"]
    assert keys(analyst, name="VELDEN CRANES PLC", type="organisation") == ["organisation:velden-cranes"]


def test_an_entity_is_found_by_another_name_of_it(analyst: Api, reports: list[Document]) -> None:
    assert "location:de" in keys(analyst, name="Deutschland")
    assert "regulation:eu-2016-679" in keys(analyst, name="DSGVO", type="regulation")


def test_a_type_narrows_the_search(analyst: Api, reports: list[Document]) -> None:
    assert keys(analyst, name="jane", type="organisation") == []
    assert keys(analyst, name="jane", type="person") == ["person:jane-doe"]


def test_a_limit_is_kept_and_must_be_one(analyst: Api, reports: list[Document]) -> None:
    assert len(keys(analyst, name="n", limit=1)) <= 1
    assert analyst.get("/api/v1/entities/", {"name": "n", "limit": 0}).status_code == 400
    assert analyst.get("/api/v1/entities/", {}).status_code == 400


def test_mentions_are_told_by_document_and_year_with_their_place(analyst: Api, reports: list[Document]) -> None:
    mentions = analyst.get(VELDEN).json()["mentions"]
    assert [(each["fiscal_year"], each["document_id"]) for each in mentions] == [
        (2024, str(reports[1].id)),
        (2023, str(reports[0].id)),
    ]
    place = mentions[0]["pages"][0]
    page = analyst.get(f"/api/v1/documents/{mentions[0]['document_id']}/pages/{place['page']}/").json()["text"]
    assert page[place["start"] : place["end"]] == "Velden Cranes plc"


def test_each_relation_has_its_sentence_and_page(analyst: Api, reports: list[Document]) -> None:
    relations = analyst.get(VELDEN).json()["relations"]
    told = {(each["subject"]["key"], each["relation"], each["object"]["key"]) for each in relations}
    assert {
        ("organisation:velden-cranes", "acquired", "organisation:ostrava-hoists"),
        ("organisation:brno-winches", "subsidiary_of", "organisation:velden-cranes"),
        ("organisation:velden-cranes", "competes_with", "organisation:nordwind"),
        ("organisation:velden-cranes", "located_in", "location:hamburg"),
        ("organisation:velden-cranes", "governed_by", "regulation:eu-2016-679"),
        ("person:jane-doe", "works_for", "organisation:velden-cranes"),
    } <= told
    for each in relations:
        page = analyst.get(f"/api/v1/documents/{each['document_id']}/pages/{each['page']}/").json()["text"]
        assert " ".join(page[each["start"] : each["end"]].split()) == each["sentence"]


def test_shared_documents_are_counted(analyst: Api, reports: list[Document]) -> None:
    beside = {each["key"]: each["documents"] for each in analyst.get(VELDEN).json()["beside"]}
    assert beside["organisation:ostrava-hoists"] == 2


def test_two_entities_are_joined_in_two_steps(analyst: Api, acme: Firm, reports: list[Document]) -> None:
    take_in(acme, 2022, text="Ostrava Hoists Ltd. competes with Brno Pulleys AG. Written in {year}.")
    ostrava = "/api/v1/entities/organisation:brno-pulleys/"
    alone = analyst.get(ostrava).json()["relations"]
    assert {each["hops"] for each in alone} == {1}
    joined = analyst.get(ostrava, {"with": "organisation:nordwind"}).json()["relations"]
    assert {each["hops"] for each in joined} == {1, 2}
    assert any(each["relation"] == "acquired" for each in joined)


def test_an_unknown_entity_says_where_to_search(analyst: Api, reports: list[Document]) -> None:
    answer = analyst.get("/api/v1/entities/organisation:nobody/")
    assert (answer.status_code, answer.json()["code"]) == (404, "filings.entity_not_found")


def test_another_firm_finds_nothing(bolt: Firm, reports: list[Document]) -> None:
    api = Api(make_key(bolt)[1])
    assert keys(api, name="velden") == []
    assert api.get(VELDEN).status_code == 404
