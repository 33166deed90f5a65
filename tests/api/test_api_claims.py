"""Checking a text over the API."""

from __future__ import annotations

import pytest

from tests.api.client import Api
from tests.factories import Firm
from tests.filings.held import take_in

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/claims/checks/"
WRONG = "Velden Cranes reported revenue of $4,971 million in fiscal 2024."


def test_a_text_comes_back_with_its_claims_and_their_sources(analyst: Api, acme: Firm) -> None:
    report = take_in(acme, 2024, kind="reference_report")
    response = analyst.post(ADDRESS, {"text": WRONG})
    assert response.status_code == 200
    told = response.json()
    (found,) = told["findings"]
    claim = found["claim"]
    assert (found["verdict"], found["correct"], told["verdicts"]) == (
        "contradicted",
        "$4,471 million",
        {"contradicted": 1},
    )
    assert WRONG[claim["number_start"] : claim["number_end"]] == "$4,971 million"
    assert found["facts"][0]["document"]["id"] == str(report.id)
    page = analyst.get(found["facts"][0]["url"]).json()
    assert "4,471" in page["text"]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"text": " \n "}, 400, "text"),
        ({"text": WRONG, "scopes": ["fund:nowhere"]}, 400, "scopes"),
        ({"text": WRONG, "as_of": "2999-01-01T00:00:00Z"}, 400, "as_of"),
        ({"text": WRONG, "colour": "red"}, 400, "colour"),
    ],
)
def test_what_cannot_be_checked_is_refused_by_its_field(
    analyst: Api, body: dict[str, object], status: int, field: str
) -> None:
    response = analyst.post(ADDRESS, body)
    assert response.status_code == status, response.json()
    assert field in str(response.json())
