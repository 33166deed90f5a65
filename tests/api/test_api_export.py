"""Events exported in the order of the log: all that the reader may see, nothing missed from time to time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.audit.models import Event, Leaf
from apps.audit.reporting import export
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_revoke
from tests.api.client import Api
from tests.audit.acting import sealed
from tests.baked import baked
from tests.factories import Firm, make_firm, make_key

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/v1/audit/events/export/"


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    happens(firm, "fund:alpha", 3)
    happens(firm, "fund:beta", 2)
    return firm


def happens(firm: Firm, scope: str, count: int) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        for number in range(count):
            record(action="tenants.scope.created", core={"key": f"{number}"}, scopes=firm.scope_ids(scope))
    sealed(firm)


def auditor(firm: Firm, *scopes: str) -> Api:
    return Api(make_key(firm, Role.AUDITOR, scopes=scopes)[1])


def lines(api: Api, **params: Any) -> list[dict[str, Any]]:
    answer = api.get(PATH, params)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/jsonl"
    return [json.loads(line) for line in b"".join(answer).splitlines()]


def test_all_come_in_the_order_of_the_log_with_the_fields_of_the_list(acme: Firm) -> None:
    api = auditor(acme)
    sealed(acme)
    found = lines(api)
    with open_scope(tenant=acme.id, reason="a test"):
        leaves = list(Leaf.objects.order_by("index").values_list("index", "event_id"))
    assert [(each["index"], each["id"]) for each in found] == [(index, str(id)) for index, id in leaves]
    listed = {each["id"]: each for each in api.get("/api/v1/audit/events/", {"page_size": 200}).json()["results"]}
    assert [{name: value for name, value in each.items() if name != "index"} for each in found] == [
        listed[each["id"]] for each in found
    ]


def test_what_came_since_is_had_by_the_last_place_and_nothing_twice(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BATCH", 2)
    api = auditor(acme)
    sealed(acme)
    first = lines(api)
    happens(acme, "fund:alpha", 5)
    second = lines(api, after=first[-1]["index"])
    assert [each["index"] for each in second] == list(
        range(first[-1]["index"] + 1, first[-1]["index"] + 1 + len(second))
    )
    assert {each["id"] for each in first} & {each["id"] for each in second} == set()
    assert [each["action"] for each in second].count("tenants.scope.created") == 5
    sealed(acme)
    assert lines(api, after=10**12) == []


def test_filters_are_those_of_the_list_and_scopes_those_of_the_reader(acme: Firm) -> None:
    narrow = auditor(acme, "fund:alpha")
    beta = str(acme.scopes["fund:beta"].id)
    assert all(beta not in each["scope_ids"] for each in lines(narrow))
    chosen = lines(auditor(acme), action="tenants.scope.created", since="2000-01-01T00:00:00Z")
    assert {each["action"] for each in chosen} == {"tenants.scope.created"}
    assert lines(auditor(acme), until="2000-01-01T00:00:00Z") == []
    for params in ({"after": "x"}, {"after": -1}, {"cursor": "x"}, {"outcome": "nobody"}):
        assert auditor(acme).get(PATH, params).status_code == 400


def test_who_exported_what_is_on_the_log_and_a_head_is_not(acme: Firm) -> None:
    api = auditor(acme)
    api.client.head(PATH, headers={"authorization": f"Bearer {api.key}"})
    lines(api, action="tenants.", after=2)
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="audit.events.exported")
        core = event.payload["core"]
    assert (core["format"], core["filters"], core["first"]) == ("jsonl in order", {"action": "tenants."}, 3)


def test_who_loses_the_right_in_the_middle_gets_no_more(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "BATCH", 2)
    api = auditor(acme)
    parts = iter(api.get(PATH))
    next(parts)
    with open_scope(tenant=acme.id, reason="a test"):
        api_key_revoke(ApiKey.objects.latest("created_at"))
    with pytest.raises(Exception, match="key"):
        list(parts)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="audit.events.export_cut_short").count() == 1


def test_who_may_not_see_the_log_exports_none_of_it(acme: Firm) -> None:
    assert Api(make_key(acme, Role.ANALYST)[1]).get(PATH).status_code == 403
