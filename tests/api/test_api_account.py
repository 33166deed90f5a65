from __future__ import annotations

import pytest

from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.conftest import KeyMaker
from tests.factories import Firm

pytestmark = pytest.mark.django_db


def test_me_tells_who_the_key_is(analyst: Api, acme: Firm) -> None:
    me = analyst.get("/api/v1/me/").json()
    assert me["kind"] == "api_key"
    assert me["tenant"]["slug"] == "acme"
    assert me["roles"] == ["analyst"]
    assert me["permissions"] == ["question.ask", "document.view", "document.add", "policy.view"]
    assert me["scopes"] == ["firm:acme", "fund:alpha", "fund:beta"]


def test_scopes_are_those_of_the_key_alone(key: KeyMaker, bolt: Firm) -> None:
    scopes = key(Role.ANALYST, "fund:alpha").get("/api/v1/scopes/").json()["results"]
    assert [(scope["key"], scope["parent"]) for scope in scopes] == [("fund:alpha", None)]


def test_a_parent_is_named_where_it_is_held(analyst: Api) -> None:
    scopes = analyst.get("/api/v1/scopes/").json()["results"]
    assert {scope["key"]: scope["parent"] for scope in scopes}["fund:beta"] == "firm:acme"
