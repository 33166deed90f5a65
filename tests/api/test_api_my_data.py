"""GET /api/v1/me/data/: what is held about a person, for their session or for a key that acts for them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.tenants.roles import Role
from tests.api.client import Api, mismatches, openapi, person
from tests.factories import Firm, make_member, make_personal_key

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/me/data/"


def taken(api: Api) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {api.key}"} if api.key else {}
    response: Any = api.client.get(ADDRESS, headers=headers)
    assert response.streaming
    assert response.status_code == 200
    assert (response["Content-Type"], response["Cache-Control"]) == ("application/json", "no-store")
    found: dict[str, Any] = json.loads(b"".join(response.streaming_content))
    return found


def test_a_session_and_a_key_of_ones_own_get_what_the_document_says(acme: Firm) -> None:
    peter = make_member(acme, "peter", Role.ANALYST)
    _, key = make_personal_key(acme, "peter", role=Role.ANALYST)
    operation = openapi()["paths"][ADDRESS]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    for api in (person(peter), Api(key)):
        found = taken(api)
        assert found["about"]["person"] == "peter"
        assert mismatches(found, schema) == []


def test_a_key_of_the_firm_is_told_that_it_is_nobody(analyst: Api) -> None:
    response: Any = analyst.get(ADDRESS)
    assert (response.status_code, response.json()["code"]) == (403, "audit.nobodys_data")


def test_who_only_asks_whether_they_may_takes_nothing(acme: Firm) -> None:
    penny = make_member(acme, "penny", Role.ANALYST)
    api = person(penny)
    assert api.client.head(ADDRESS).status_code == 200
    assert "audit.my_data.exported" not in json.dumps(taken(api)["categories"])


def test_a_misspelt_parameter_is_refused(acme: Firm) -> None:
    paul = make_member(acme, "paul", Role.ANALYST)
    assert person(paul).client.get(f"{ADDRESS}?person=peter").status_code == 400
