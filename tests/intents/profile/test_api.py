"""A profile over the API: what is sent is shown again, and what can't be stored is refused at its path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_member
from tests.intents.profile.rules import ATLAS, PAST, TAX
from tests.intents.versions_api import VERSIONS, at, begun, wider
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

RULES = [rule.as_json() for rule in (TAX, ATLAS, PAST)]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def acme(server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
    return make_firm("acme")


@pytest.fixture
def officer(acme: Firm) -> Api:
    return person(make_member(acme, "olivia", Role.COMPLIANCE_OFFICER))


def test_a_profile_is_shown_as_it_was_sent_and_is_absent_without_a_rule(officer: Api) -> None:
    version = begun(officer, {**wider(), "profile": RULES})
    assert officer.get(at(version)).json()["profile"] == RULES
    assert "profile" not in officer.get("/api/v1/policy/").json()


def test_what_is_left_out_gets_its_default(officer: Api) -> None:
    sent = {name: value for name, value in TAX.as_json().items() if name not in ("intents", "in_answer")}
    version = begun(officer, {**wider(), "profile": [sent]})
    assert officer.get(at(version)).json()["profile"] == [TAX.as_json()]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"key": "Tax Advice"}, "key"),
        ({"sort": "rumour"}, "sort"),
        ({"terms": []}, "terms"),
        ({"terms": ["x"] * 101}, "terms"),
        ({"text": "x" * 601}, "text"),
        ({"in_question": "allow"}, "in_question"),
        ({"intents": ["performance"]}, "intents"),
        ({"sort": "disclaimer"}, "sort"),
        ({"sort": "models"}, "in_question"),
        ({"more": 1}, "more"),
    ],
)
def test_a_rule_that_can_not_be_stored_is_refused_at_its_path(officer: Api, change: dict[str, Any], field: str) -> None:
    content = {**wider(), "profile": [{**TAX.as_json(), **change}]}
    response = officer.post(VERSIONS, {"reason": "Tax.", "content": content})
    assert response.status_code == 400, response.content
    assert any(name.startswith(f"content.profile.0.{field}") for name in response.json()["errors"]), response.json()


def test_two_rules_of_one_key_are_refused(officer: Api) -> None:
    response = officer.post(VERSIONS, {"reason": "Tax.", "content": {**wider(), "profile": [RULES[0]] * 2}})
    assert response.status_code == 400, response.content
