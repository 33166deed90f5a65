from __future__ import annotations

import uuid

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.conftest import KeyMaker
from tests.corpus.ingesting import ingest
from tests.factories import Firm, make_member

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/audit/events/"


def actions(api: Api, query: str = "") -> list[str]:
    return [event["action"] for event in api.get(f"{ADDRESS}?{query}").json()["results"]]


def test_events_come_newest_first_and_without_their_payload(auditor: Api, acme: Firm) -> None:
    document = ingest(acme).document
    newest = auditor.get(ADDRESS).json()["results"][0]
    assert newest["action"] == "corpus.document.received"
    assert newest["label"] == "Document received"
    assert newest["subject"] == {"type": "document", "id": str(document.id)}
    assert "payload" not in newest


def test_an_event_shows_its_payload(auditor: Api, acme: Firm) -> None:
    ingest(acme)
    newest = auditor.get(ADDRESS).json()["results"][0]
    event = auditor.get(f"{ADDRESS}{newest['id']}/").json()
    assert event["payload"]["core"]["kind"] == "run"


def test_an_act_that_touched_a_scope_which_one_does_not_hold_is_not_shown(key: KeyMaker, acme: Firm) -> None:
    document = ingest(acme, scope="fund:alpha").document
    of_beta = key(Role.AUDITOR, "fund:beta")
    assert actions(of_beta, f"subject_id={document.id}") == []
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(subject_id=document.id)
    assert of_beta.get(f"{ADDRESS}{event.id}/").status_code == 404


def test_events_of_one_action_and_of_all_that_begin_alike(auditor: Api, acme: Firm) -> None:
    ingest(acme)
    assert set(actions(auditor, "action=corpus.document.received")) == {"corpus.document.received"}
    assert {action.split(".")[0] for action in actions(auditor, "action=tenants.")} == {"tenants"}
    assert actions(auditor, "action=corpus.document.receiv") == []


def test_events_of_one_actor(auditor: Api, acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.ANALYST)
    ingest(acme, principal=alice)
    assert actions(auditor, f"actor={alice.id}") == ["corpus.document.received"]


def test_events_between_two_moments(auditor: Api, acme: Firm) -> None:
    ingest(acme)
    newest = auditor.get(ADDRESS).json()["results"][0]
    at = newest["occurred_at"]
    assert actions(auditor, f"since={at}")[0] == newest["action"]
    assert newest["id"] not in [each["id"] for each in auditor.get(f"{ADDRESS}?until={at}").json()["results"]]


@pytest.mark.parametrize("query", ["outcome=fine", "actor=alice", "since=yesterday", "subject_id=7", "action=%00"])
def test_a_filter_value_that_is_none_is_refused(auditor: Api, query: str) -> None:
    response = auditor.get(f"{ADDRESS}?{query}")
    assert list(response.json()["errors"]) == [query.partition("=")[0]]


def test_an_event_that_is_not_there(auditor: Api) -> None:
    response = auditor.get(f"{ADDRESS}{uuid.uuid4()}/")
    assert (response.status_code, response.json()["code"]) == (404, "audit.event_not_found")
