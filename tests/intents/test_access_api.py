"""GET /api/v1/policy/access/: the same answer as on the page, in parts for a program."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from apps.intents.fund_house import FundHouse
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.factories import Firm, make_firm, make_key, make_member

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/policy/access/"


@pytest.fixture
def acme() -> Firm:
    firm = make_firm("acme")
    make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    return firm


@pytest.fixture
def auditor(acme: Firm) -> Api:
    return Api(make_key(acme, Role.AUDITOR)[1])


@pytest.fixture
def analyst(acme: Firm) -> Api:
    return Api(make_key(acme, Role.ANALYST)[1])


def answer(client: Api, **question: str) -> dict[str, Any]:
    response = client.get(ADDRESS, question)
    assert response.status_code == 200, response.content
    parsed: dict[str, Any] = response.json()
    return parsed


def test_the_answer_names_kinds_scopes_policy_and_what_gave_them(auditor: Api) -> None:
    found = answer(auditor, user="alice", intent="performance")
    assert (found["verdict"], found["subject"]["name"], found["tenant"]) == ("could_reach", "alice", "acme")
    assert [set(each["kinds"]) for each in found["intents"]] == [
        {FundHouse.FUND_PROFILE, FundHouse.RUN, FundHouse.DATASET_SUMMARY}
    ]
    assert [scope["key"] for scope in found["scopes"]] == ["fund:alpha"]
    assert (found["policy"]["version"], found["policy"]["origin"], found["policy"]["valid_to"]) == (1, "baseline", None)
    (granted,) = found["granted_by"]
    assert (granted["through"], granted["role"], granted["may_ask"]) == ("membership", "analyst", True)
    assert [grant["scope"] for grant in granted["grants"]] == ["fund:alpha"]
    assert found["sentence"].endswith("which needs no approval).")


def test_the_policy_is_the_one_that_the_policy_call_shows(auditor: Api) -> None:
    policy = auditor.get("/api/v1/policy/").json()
    found = answer(auditor, user="alice")["policy"]
    assert found == {name: policy[name] for name in found}


def test_without_a_subject_the_answer_is_about_yourself(acme: Firm, analyst: Api) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        key = ApiKey.objects.get()
    subject = answer(analyst)["subject"]
    assert (subject["kind"], subject["id"], subject["name"]) == ("api_key", str(key.id), f"gbx_{key.prefix}")
    assert answer(analyst, key=key.prefix)["subject"] == answer(analyst, key=f"gbx_{key.prefix}")["subject"] == subject


@pytest.mark.parametrize("user", ["alice", "nobody"])
def test_about_others_only_who_may_read_the_audit_log(analyst: Api, user: str) -> None:
    response = analyst.get(ADDRESS, {"user": user})
    assert (response.status_code, response.json()["data"]["permission"]) == (403, "audit.view")


def test_whoever_is_not_known_here_gets_one_answer(acme: Firm, auditor: Api) -> None:
    make_member(make_firm("bolt"), "bolt-member", Role.ANALYST)
    date = timezone.now().isoformat().replace("+00:00", "Z")
    elsewhere, nowhere = (answer(auditor, user=name, date=date) for name in ("bolt-member", "nobody-here"))
    for found in (elsewhere, nowhere):
        del found["answered_at"]
    assert str(elsewhere).replace("bolt-member", "NAME") == str(nowhere).replace("nobody-here", "NAME")
    assert (elsewhere["verdict"], elsewhere["subject"]["id"], elsewhere["policy"]) == ("not_known", None, None)


@pytest.mark.parametrize(
    ("date", "verdict"), [("2001-01-01T00:00:00Z", "before_the_tenant"), ("2199-01-01T00:00:00Z", "in_the_future")]
)
def test_an_instant_without_an_answer_is_told_in_words(auditor: Api, date: str, verdict: str) -> None:
    found = answer(auditor, user="alice", date=date)
    assert (found["verdict"], found["intents"], found["granted_by"]) == (verdict, [], [])
    assert found["sentence"]


def test_a_date_without_a_zone_is_utc(auditor: Api) -> None:
    at = answer(auditor, user="alice", date="2001-01-31T12:00")["at"]
    assert datetime.fromisoformat(at) == datetime(2001, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"user": ""}, "user"),
        ({"user": "a\0b"}, "user"),
        ({"key": "short"}, "key"),
        ({"key": "gbx_0123456789ab_secret"}, "key"),
        ({"user": "alice", "key": "0123456789ab"}, "key"),
        ({"date": "soon"}, "date"),
        ({"date": "0001-01-01T00:00:00+14:00"}, "date"),
        ({"intent": "What is it?"}, "intent"),
        ({"scope": "fund:alpha"}, "scope"),
    ],
)
def test_what_can_not_be_read_is_said_beside_its_name(auditor: Api, question: dict[str, str], field: str) -> None:
    response = auditor.get(ADDRESS, question)
    assert (response.status_code, list(response.json()["errors"])) == (400, [field])


def test_hidden_scopes_are_counted(acme: Firm) -> None:
    found = answer(Api(make_key(acme, Role.AUDITOR, scopes=["fund:beta"])[1]), user="alice")
    assert (found["scopes"], found["hidden_scopes"], found["granted_by"][0]["hidden_grants"]) == ([], 1, 1)
    assert "fund:alpha" not in str(found)
