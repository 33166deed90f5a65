"""Requests for erasure by API: what the admin has, in a person's name, with nothing of a person kept for a replay."""

from __future__ import annotations

from typing import Any

import pytest

from apps.privacy.models import ErasureRequest, Letter
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.requesting import EMAIL, NAME, SECRETS, WORDS, Office, days_ago, make_office
from tests.factories import make_key, make_personal_key

pytestmark = pytest.mark.django_db
URL = "/api/v1/privacy/requests/"
PERSON = {
    "subject_type": "data_subject",
    "requester": "person",
    "details": {"names": [NAME], "requester_name": NAME, "requester_email": EMAIL, "notes": WORDS},
}


@pytest.fixture
def office() -> Office:
    return make_office()


@pytest.fixture
def dora(office: Office) -> Api:
    return Api(make_personal_key(office.firm, "dora", role=Role.DPO)[1])


def received(api: Api, **more: Any) -> dict[str, Any]:
    response: Any = api.post(URL, {**PERSON, **more})
    assert response.status_code == 201, response.content
    answer: dict[str, Any] = response.json()
    return answer


def test_one_is_taken_in_shown_and_listed(office: Office, dora: Api) -> None:
    made = received(dora)
    shown: Any = dora.get(f"{URL}{made['id']}/").json()
    assert shown["reference"] == made["reference"]
    assert (shown["details"]["names"], shown["days_left"] > 25) == ([NAME], True)
    listed: Any = dora.get(URL, {"which": "open", "reference": made["reference"]}).json()
    assert [each["id"] for each in listed["results"]] == [made["id"]]


def test_the_list_is_by_the_day_on_which_they_are_due(dora: Api) -> None:
    later = received(dora)
    sooner = received(dora, received_at=days_ago(20).isoformat())
    found: Any = dora.get(URL).json()
    assert [each["id"] for each in found["results"]] == [sooner["id"], later["id"]]


def test_who_reads_the_log_is_not_told_whom_it_is_about(office: Office, dora: Api) -> None:
    made = received(dora)
    auditor = Api(make_key(office.firm, Role.AUDITOR)[1])
    shown: Any = auditor.get(f"{URL}{made['id']}/")
    assert shown.json()["details"] is None
    assert not any(secret in shown.content.decode() for secret in SECRETS)


def test_a_key_of_the_tenant_takes_nothing_in(office: Office) -> None:
    response: Any = Api(make_key(office.firm, Role.DPO)[1]).post(URL, PERSON)
    assert (response.status_code, response.json()["code"]) == (403, "audit.request_person_needed")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"details": {}}, "details"),
        ({"received_at": "2099-01-01T00:00:00Z"}, "received_at"),
        ({"subject_type": "scope", "subject_id": "00000000-0000-7000-8000-000000000000"}, "subject_id"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(dora: Api, given: dict[str, Any], field: str) -> None:
    problem: Any = dora.post(URL, {**PERSON, **given}).json()
    assert field in problem["errors"]


@pytest.mark.slow
def test_the_steps_are_those_of_the_admin(office: Office, dora: Api) -> None:
    made = received(dora)
    here = f"{URL}{made['id']}/"
    asked: Any = dora.step(f"{here}ask-identity/", {"words": "Please show us a statement."}).json()
    assert asked["state"] == "identity_pending"
    confirmed: Any = dora.step(f"{here}confirm-identity/").json()
    assert confirmed["state"] == "assessing"
    assessed: Any = dora.step(f"{here}assess/", {"ground": "17_1_b", "notes": WORDS}).json()
    assert (assessed["state"], assessed["ground"]) == ("assessing", "17_1_b")
    proposed: Any = dora.step(f"{here}propose/")
    assert (proposed.status_code, proposed.json()["code"]) == (409, "audit.inventory_not_proposable")
    extended: Any = dora.step(f"{here}extend/", {"code": "number", "words": "There are many."}).json()
    assert extended["due_on"] > made["due_on"]
    letter = {"subject": "No", "body": "We can't."}
    refused: Any = dora.step(f"{here}refuse/", {"code": "17_3_e", "words": WORDS, "letter": letter}).json()
    assert (refused["state"], refused["days_left"]) == ("refused", None)
    shown: Any = dora.get(here).json()
    assert [each["kind"] for each in shown["letters"]] == ["identity", "extended", "refused"]
    assert shown["letters"][-1]["text"] == {"to": EMAIL, **letter}
    withdrawn: Any = dora.step(f"{here}withdraw/", {"words": "x"})
    assert withdrawn.status_code == 409


def test_sent_twice_it_is_taken_in_once_and_nothing_of_a_person_is_kept(office: Office, dora: Api) -> None:
    first: Any = dora.post(URL, PERSON, Idempotency_Key="one")
    second: Any = dora.post(URL, PERSON, Idempotency_Key="one")
    assert (first.json(), second.headers["Idempotent-Replayed"]) == (second.json(), "true")
    here = f"{URL}{first.json()['id']}/"
    extension = {"code": "number", "words": WORDS, "letter": {"subject": NAME, "body": WORDS}}
    dora.step(f"{here}extend/", extension, Idempotency_Key="two")
    dora.post(f"{here}letters/", {"kind": "received"}, Idempotency_Key="three")
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert ErasureRequest.objects.count() == 1
        assert Letter.objects.count() == 2
        kept = list(IdempotentRequest.objects.values())
    assert len(kept) == 3
    assert not any(secret in str(kept) for secret in SECRETS)
