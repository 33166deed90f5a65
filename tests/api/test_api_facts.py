"""Facts and series over the API."""

from __future__ import annotations

import pytest

from apps.corpus.models import Document
from tests.api.client import Api
from tests.factories import Firm, make_key
from tests.filings.held import take_in
from tests.filings.reports import COMPANY, YEARS

pytestmark = pytest.mark.django_db


@pytest.fixture
def reports(acme: Firm) -> list[Document]:
    return [take_in(acme, year) for year in (2023, 2024)]


def values(api: Api, **params: object) -> list[tuple[int, str]]:
    results = api.get("/api/v1/facts/", params).json()["results"]
    return sorted((each["fiscal_year"], each["value"]) for each in results)


def test_facts_are_found_by_any_name_of_their_concept(analyst: Api, reports: list[Document]) -> None:
    by_name = values(analyst, concept="Umsatzerlöse", document=str(reports[1].id))
    assert by_name == [(2023, "4655000000"), (2024, "4471000000")]


def test_a_name_that_the_vocabulary_lacks_finds_nothing(analyst: Api, reports: list[Document]) -> None:
    assert values(analyst, concept="phase of the moon") == []


def test_a_fact_stands_where_it_says(analyst: Api, reports: list[Document]) -> None:
    (fact, *_) = analyst.get("/api/v1/facts/", {"concept": "net income"}).json()["results"]
    page = analyst.get(f"/api/v1/documents/{fact['document_id']}/pages/{fact['page']}/").json()["text"]
    assert page[fact["cell_start"] : fact["cell_end"]] == fact["printed"]


def test_another_firm_lists_no_fact(bolt: Firm, reports: list[Document]) -> None:
    assert values(Api(make_key(bolt)[1])) == []


def test_a_series_names_every_source_of_a_value(analyst: Api, reports: list[Document]) -> None:
    answer = analyst.get("/api/v1/series/", {"company": COMPANY.upper(), "concept": "revenue"}).json()
    (series,) = answer["series"]
    points = {point["fiscal_year"]: point for point in series["points"]}
    assert {year: point["value"] for year, point in points.items()} == {
        year: str(each.revenue * 1_000_000) for year, each in YEARS.items()
    }
    assert [fact["document_id"] for fact in points[2023]["facts"]] == [str(report.id) for report in reports]
    assert points[2023]["restatements"] == []


def test_a_series_of_an_unknown_concept_says_which_field_is_wrong(analyst: Api) -> None:
    problem = analyst.get("/api/v1/series/", {"company": COMPANY, "concept": "phase of the moon"}).json()
    assert problem["code"] == "filings.unknown_concept"
    assert "concept" in str(problem["errors"])


def test_a_series_of_an_unknown_company_is_empty(analyst: Api) -> None:
    assert analyst.get("/api/v1/series/", {"company": "Nobody", "concept": "revenue"}).json() == {"series": []}
