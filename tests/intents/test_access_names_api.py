"""GET /api/v1/policy/access/ by names as people write them: one answer, a problem with candidates, or no statement."""

from __future__ import annotations

from typing import Any

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_create, api_key_revoke
from tests.api.client import Api
from tests.factories import Firm, make_firm, make_key
from tests.intents.named import end_memberships, make_named
from tests.intents.test_access_api import ADDRESS, answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    firm = make_firm("acme")
    make_named(firm, "mlind", "Maria", "Lindqvist", email="maria@acme.example")
    make_named(firm, "maria2", "Maria", "Lindqvist")
    make_named(firm, "bjorn", "Björn", "Åkesson")
    end_memberships(firm, "maria2")
    make_named(make_firm("bolt"), "maria-of-bolt", "Maria", "Lindqvist", email="maria@bolt.example")
    return firm


@pytest.fixture
def auditor(acme: Firm) -> Api:
    return Api(make_key(acme, Role.AUDITOR)[1])


def refusal(client: Api, **question: str) -> dict[str, Any]:
    response = client.get(ADDRESS, question)
    assert (response.status_code, response["Content-Type"]) == (409, "application/problem+json"), response.content
    parsed: dict[str, Any] = response.json()
    return parsed


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("björn åkesson", "bjorn"),
        ("Akesson, Bjorn", "bjorn"),
        ("Aakesson", "bjorn"),
        ("MARIA@acme.example", "mlind"),
        ("maria2", "maria2"),
    ],
)
def test_a_member_is_found_as_people_write_the_name(auditor: Api, typed: str, name: str) -> None:
    assert answer(auditor, user=typed)["subject"]["name"] == name


def test_of_several_the_problem_lists_each_with_a_ready_question(auditor: Api) -> None:
    found = refusal(auditor, user="Lindqvist, Maria", intent="performance", date="2026-01-31T12:00:00Z")
    assert (found["code"], list(found["errors"])) == ("intents.name_ambiguous", ["user"])
    urls = [each.pop("url") for each in found["data"]["candidates"]]
    assert found["data"] == {
        "candidates": [
            {"kind": "user", "name": "maria2", "label": "Maria Lindqvist", "roles": [], "former_member": True},
            {
                "kind": "user",
                "name": "mlind",
                "label": "Maria Lindqvist",
                "roles": ["analyst"],
                "former_member": False,
            },
        ],
        "more": 0,
    }
    assert "Lindqvist" not in found["detail"]
    asked = auditor.get(urls[1]).json()
    assert (asked["subject"]["name"], asked["intent"], asked["at"][:10]) == ("mlind", "performance", "2026-01-31")


def test_a_problem_is_recorded_too(acme: Firm, auditor: Api) -> None:
    refusal(auditor, user="maria")
    with open_scope(tenant=acme.id, reason="a test"):
        core = Event.objects.get(action="intents.access.asked").payload["core"]
    assert (core["verdict"], core["user_id"]) == ("ambiguous", None)
    assert "maria" not in str(core)


def test_a_key_of_the_same_name_is_a_candidate_with_its_own_question(acme: Firm, auditor: Api) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        key, _ = api_key_create(name="Björn Åkesson", role=Role.ANALYST, scopes=[acme.root])
        api_key_revoke(key)
    found = refusal(auditor, user="Björn Åkesson")["data"]["candidates"]
    assert [(each["kind"], each["name"], each["roles"]) for each in found] == [
        ("user", "bjorn", ["analyst"]),
        ("api_key", f"gbx_{key.prefix}", []),
    ]
    asked = auditor.get(found[1]["url"]).json()
    assert (asked["subject"]["kind"], asked["subject"]["name"]) == ("api_key", f"gbx_{key.prefix}")


def test_of_nobody_nothing_is_stated_and_the_nearest_names_are_told(auditor: Api) -> None:
    found = answer(auditor, user="Bjorn Akeson")
    assert (found["verdict"], found["subject"]["id"]) == ("not_known", None)
    assert found["suggestions"] == [
        {
            "kind": "user",
            "name": "bjorn",
            "label": "Björn Åkesson",
            "roles": ["analyst"],
            "former_member": False,
        }
    ]
    assert "reach" not in found["sentence"]


def test_a_namesake_in_another_tenant_is_nobody_here(auditor: Api) -> None:
    found = answer(auditor, user="maria-of-bolt@bolt.example")
    assert (found["verdict"], found["suggestions"]) == ("not_known", [])


def test_without_the_permission_every_name_gets_the_same_refusal(acme: Firm) -> None:
    analyst = Api(make_key(acme, Role.ANALYST)[1])
    told = set()
    for typed in ("mlind", "Maria Lindqvist", "maria", "Bjorn Akeson", "maria@acme.example", "nobody"):
        response = analyst.get(ADDRESS, {"user": typed})
        body = {name: value for name, value in response.json().items() if name != "request_id"}
        told.add((response.status_code, str(body)))
    assert [status for status, _ in told] == [403]
