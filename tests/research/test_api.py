"""Research over the API, by a key that acts for a person."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from apps.research.models import ResearchRun
from apps.tenants.roles import Role
from tests.api.client import Api, openapi
from tests.factories import Firm, make_key, make_personal_key
from tests.research.running import QUESTION, carry_out, person, row

ADDRESS = "/api/v1/research/runs/"


@pytest.fixture
def alice(house: Firm) -> Api:
    return Api(make_personal_key(house, "alice", role=Role.COMPLIANCE_OFFICER)[1])


@pytest.fixture
def bob(house: Firm) -> Api:
    return Api(make_personal_key(house, "bob", role=Role.ANALYST, scopes=["fund:alpha"])[1])


def requested(api: Api, **body: Any) -> dict[str, Any]:
    response = api.post(ADDRESS, {"question": QUESTION, **body})
    assert response.status_code == 202, response.content
    found: dict[str, Any] = response.json()
    return found


def finish(house: Firm, id: str) -> None:
    run: ResearchRun = row(person(house, "alice"), UUID(id))
    carry_out(run)


def test_the_plan_comes_before_the_first_search_and_the_answer_after_the_last(house: Firm, alice: Api) -> None:
    told = requested(alice, confirm_plan=True)
    assert told["state"] == "planned"
    assert [each["company"] for each in told["plan"]["companies"]] == ["Alpha Fund", "Beta Fund"]
    assert [each["kind"] for each in told["steps"]] == ["analysis"]
    assert alice.post(f"{ADDRESS}{told['id']}/start/").json()["state"] == "queued"
    finish(house, told["id"])
    response = alice.get(f"{ADDRESS}{told['id']}/")
    found = response.json()
    assert (found["state"], found["stopped_by"]) == ("done", "confidence")
    assert [line["cells"][0]["text"] for line in found["result"]["table"]["rows"]] == ["12.5 %", "3.3 %"]
    page = alice.get(found["result"]["sources"][0]["url"])
    assert page.status_code == 200, "a source can be followed"
    assert [each["id"] for each in alice.get(ADDRESS).json()["results"]] == [told["id"]]


def test_a_plan_is_narrowed(house: Firm, alice: Api) -> None:
    told = requested(alice, confirm_plan=True)
    _, second = told["plan"]["sub_questions"]
    changed = alice.put(f"{ADDRESS}{told['id']}/plan/", {"sub_questions": [{"key": second["key"]}]})
    assert [each["key"] for each in changed.json()["plan"]["sub_questions"]] == [second["key"]]
    wider = alice.put(f"{ADDRESS}{told['id']}/plan/", {"sub_questions": [{"key": "another"}]})
    assert (wider.status_code, wider.json()["code"]) == (422, "research.plan_unknown_part")


def test_a_request_that_is_sent_again_is_answered_with_the_research_that_it_began(house: Firm, alice: Api) -> None:
    headers = {"Idempotency-Key": "once"}
    body = {"question": QUESTION, "confirm_plan": True}
    first = alice.post(ADDRESS, body, **headers)
    again = alice.post(ADDRESS, body, **headers)
    assert again.status_code == 202
    assert again.json()["id"] == first.json()["id"]
    assert again["Glassbox-Repeats-Event"] == first.json()["audit_event_id"]
    assert [each["id"] for each in alice.get(ADDRESS).json()["results"]] == [first.json()["id"]]


def test_what_was_rejected_is_read_anew_when_it_is_sent_again(house: Firm, alice: Api) -> None:
    headers = {"Idempotency-Key": "once"}
    body = {"question": "What is the capital of Australia?"}
    for _ in range(2):
        response = alice.post(ADDRESS, body, **headers)
        assert (response.status_code, response.json()["code"]) == (400, "research.off_topic")
    assert alice.post(ADDRESS, {"question": QUESTION}, **headers).status_code == 202, "the key is still free"


def test_it_is_cancelled(house: Firm, alice: Api) -> None:
    told = requested(alice)
    assert alice.post(f"{ADDRESS}{told['id']}/cancel/").json()["state"] == "cancelled"
    again = alice.post(f"{ADDRESS}{told['id']}/cancel/")
    assert (again.status_code, again.json()["code"]) == (409, "research.has_ended")


def test_events_and_the_export_are_the_answer(house: Firm, alice: Api) -> None:
    told = requested(alice)
    finish(house, told["id"])
    headers = {"authorization": f"Bearer {alice.key}", "accept": "text/event-stream"}
    stream = alice.client.get(f"{ADDRESS}{told['id']}/events/", headers=headers)
    content = b"".join(stream.streaming_content)  # type: ignore[attr-defined]
    assert stream["Content-Type"] == "text/event-stream"
    assert content.count(b'"RUN_FINISHED"') == 1
    exported = alice.get(f"{ADDRESS}{told['id']}/export/", accept="text/markdown")
    assert exported["Content-Type"].startswith("text/markdown")
    text = exported.content.decode()
    assert "12.5 %" in text
    assert "\\[D1\\]" in text
    assert "## Sources" in text


def test_nobody_else_is_told_that_there_is_one(house: Firm, alice: Api, bob: Api) -> None:
    told = requested(alice)
    for answer in (
        bob.get(f"{ADDRESS}{told['id']}/"),
        bob.post(f"{ADDRESS}{told['id']}/start/"),
        bob.post(f"{ADDRESS}{told['id']}/cancel/"),
        bob.get(f"{ADDRESS}{told['id']}/events/", accept="text/event-stream"),
        bob.get(f"{ADDRESS}{told['id']}/export/", accept="text/markdown"),
        bob.put(f"{ADDRESS}{told['id']}/plan/", {"sub_questions": [{"key": "x"}]}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "research.run_unknown")
    assert bob.get(ADDRESS).json()["results"] == []


def test_a_key_of_the_tenant_is_told_whose_it_is(house: Firm) -> None:
    api = Api(make_key(house)[1])
    response = api.post(ADDRESS, {"question": QUESTION})
    assert (response.status_code, response.json()["code"]) == (422, "research.needs_a_person")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"mode": "endless"}, "mode"),
        ({"kinds": []}, "kinds"),
        ({"question": "What is the capital of Australia?"}, "question"),
        ({"scopes": ["fund:gamma"]}, "scopes"),
        ({"tokens_most": 1}, "tokens_most"),
    ],
)
def test_what_can_t_be_researched_is_refused_beside_its_field(
    house: Firm, alice: Api, body: dict[str, Any], field: str
) -> None:
    response = alice.post(ADDRESS, {"question": QUESTION, **body})
    assert response.status_code in (400, 403, 422)
    assert field in str(response.json())


def test_filters_narrow_and_never_widen(house: Firm, alice: Api) -> None:
    told = requested(alice, kinds=["run", "compliance_profile"])
    assert told["kinds"] == ["run"]


def test_the_events_have_a_description() -> None:
    operation = openapi()["paths"][f"{ADDRESS}{{id}}/events/"]["get"]
    assert "text/event-stream" in operation["responses"]["200"]["content"]
