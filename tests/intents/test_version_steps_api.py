"""The review by the API: the services' rules, each told by its own status, code and field."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_key, make_member
from tests.intents.versions_api import VERSIONS, Json, at, begun, changed, submitted
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.django_db


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


@pytest.fixture
def reviewer(acme: Firm) -> Api:
    return person(make_member(acme, "rupert", Role.REVIEWER))


def refusal(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def status_of(reader: Api, version: Json) -> str:
    status: str = reader.get(at(version)).json()["status"]
    return status


@pytest.mark.slow
def test_what_is_approved_is_in_force_with_both_names(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    approved = reviewer.step(at(version, "approve"), {"reason": "Agreed."}).json()
    assert (approved["status"], approved["author"], approved["approver"]) == ("active", "olivia", "rupert")
    assert (approved["decision_reason"], approved["valid_to"]) == ("Agreed.", None)
    assert None not in (approved["decided_at"], approved["effective_from"], approved["valid_from"])
    in_force = officer.get("/api/v1/policy/").json()
    assert (in_force["version"], in_force["content_sha256"]) == (2, version["content_sha256"])
    assert status_of(officer, officer.get(VERSIONS).json()["results"][1]) == "superseded"


@pytest.mark.slow
def test_an_approval_needs_no_more_than_what_was_read(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    assert list(reviewer.post(at(version, "approve")).json()["errors"]) == ["revision"]
    assert reviewer.post(at(version, "approve"), {"revision": version["revision"]}).json()["status"] == "active"


@pytest.mark.slow
def test_the_author_can_t_approve_whatever_roles_they_hold(acme: Firm, officer: Api) -> None:
    version = submitted(officer)
    response = officer.step(at(version, "approve"))
    assert (response.status_code, response.json()["data"]["permission"]) == (403, "policy.approve")
    make_member(acme, "olivia", Role.REVIEWER)
    attempts = [officer.step(at(version, step), {"reason": "Mine."}) for step in ("approve", "reject", "send-back")]
    assert [refusal(each) for each in attempts] == [(403, "intents.own_version")] * 3
    assert status_of(officer, version) == "in_review"


@pytest.mark.slow
def test_a_key_that_acts_for_nobody_decides_on_nothing(acme: Firm, officer: Api) -> None:
    version, draft = submitted(officer), begun(officer)
    key = Api(make_key(acme, Role.REVIEWER)[1])
    officer_key = Api(make_key(acme, Role.COMPLIANCE_OFFICER)[1])
    attempts = [
        *(key.step(at(version, step), {"reason": "No."}) for step in ("approve", "reject", "send-back", "withdraw")),
        key.post(at(version, "comments"), {"text": "Why?"}),
        officer_key.step(at(draft, "submit")),
    ]
    # What a role approves is withheld from a key of the tenant; for the rest of it a person is needed.
    assert [refusal(each) for each in attempts[:3]] == [(403, "tenants.withheld_from_key")] * 3
    assert {refusal(each)[0] for each in attempts[3:]} == {403}
    assert refusal(attempts[-1]) == (403, "intents.person_needed")
    shown = officer.get(at(version)).json()
    assert (shown["status"], shown["comments"], status_of(officer, draft)) == ("in_review", [], "draft")


@pytest.mark.slow
def test_an_approval_may_wait_for_its_time(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    later = (timezone.now() + timedelta(days=1)).isoformat()
    waiting = reviewer.step(at(version, "approve"), {"effective_from": later}).json()
    assert (waiting["status"], waiting["valid_from"]) == ("approved", None)
    assert waiting["effective_from"].replace("Z", "+00:00") == later
    assert officer.get("/api/v1/policy/").json()["version"] == 1


@pytest.mark.slow
def test_a_time_that_has_passed_or_is_none_is_refused_at_its_field(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    past_or_none = ("2001-01-01T00:00:00Z", "soon", "", 7, "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00")
    for moment in past_or_none:
        response = reviewer.step(at(version, "approve"), {"effective_from": moment})
        assert (response.status_code, list(response.json()["errors"])) == (400, ["effective_from"]), moment
    assert status_of(officer, version) == "in_review"


@pytest.mark.slow
def test_who_undoes_somebody_s_work_says_why(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    for step in ("reject", "send-back", "withdraw"):
        for body in ({}, {"reason": ""}, {"reason": "  "}, {"reason": "\u0000"}, {"reason": "x" * 4001}):
            response = reviewer.step(at(version, step), body)
            assert (response.status_code, list(response.json()["errors"])) == (400, ["reason"]), (step, body)
    assert status_of(officer, version) == "in_review"


@pytest.mark.slow
def test_a_rejected_version_keeps_its_reason_and_is_decided_for_good(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    rejected = reviewer.step(at(version, "reject"), {"reason": "Schedules name people."}).json()
    assert (rejected["status"], rejected["approver"]) == ("rejected", "rupert")
    assert rejected["decision_reason"] == "Schedules name people."
    again = [
        reviewer.step(at(version, "approve")),
        reviewer.step(at(version, "reject"), {"reason": "Again."}),
        reviewer.step(at(version, "send-back"), {"reason": "Again."}),
    ]
    assert [refusal(each) for each in again] == [(409, "intents.not_in_review")] * 3
    assert refusal(officer.step(at(version, "withdraw"), {"reason": "Mine."})) == (409, "intents.not_withdrawable")


@pytest.mark.slow
def test_what_was_changed_since_it_was_read_is_not_decided_on(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    read = version["revision"]
    reviewer.step(at(version, "send-back"), {"reason": "Say which schedules."})
    change = {"reason": "The public ones.", "revision": read, "content": changed("total_cap_chars", 5000)}
    assert officer.put(at(version), change).status_code == 200
    officer.step(at(version, "submit"))
    late = [
        reviewer.post(at(version, step), {"reason": "As I read it.", "revision": read})
        for step in ("approve", "reject", "send-back")
    ]
    assert [refusal(each) for each in late] == [(409, "intents.version_changed")] * 3
    assert reviewer.step(at(version, "approve"), {"revision": read + 2}).json()["status"] == "active"


@pytest.mark.slow
def test_what_is_sent_back_is_a_draft_with_the_reason_beside_it(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    sent_back = reviewer.step(at(version, "send-back"), {"reason": "Say which schedules."}).json()
    assert (sent_back["status"], sent_back["submitted_at"]) == ("draft", None)
    (comment,) = officer.get(at(version)).json()["comments"]
    assert (comment["author"], comment["text"]) == ("rupert", "Say which schedules.")
    assert officer.step(at(version, "submit")).json()["status"] == "in_review"


@pytest.mark.slow
@pytest.mark.parametrize("who", ["olivia", "rupert"])
def test_a_waiting_version_is_withdrawn_by_its_author_or_a_reviewer(
    acme: Firm, officer: Api, reviewer: Api, who: str
) -> None:
    version = submitted(officer)
    other = person(make_member(acme, "oscar", Role.COMPLIANCE_OFFICER))
    refused = other.step(at(version, "withdraw"), {"reason": "Not mine."})
    assert (refused.status_code, refused.json()["data"]["permission"]) == (403, "policy.approve")
    actor = {"olivia": officer, "rupert": reviewer}[who]
    assert actor.step(at(version, "withdraw"), {"reason": "No longer needed."}).json()["status"] == "withdrawn"


def test_what_keeps_a_draft_from_being_used_is_listed_when_it_is_submitted(officer: Api) -> None:
    draft = begun(officer, changed("intents.0.examples", ["One?"]) | {"budgets": []})
    response = officer.step(at(draft, "submit"))
    assert refusal(response) == (400, "intents.policy_invalid")
    problems = response.json()["data"]["problems"]
    assert problems[:2] == [
        "Intent 'performance' has 1 review examples; at least 5 are needed.",
        "It has no kind in use; add a kind of document, or use one of the retired ones again.",
    ]
    assert status_of(officer, draft) == "draft"


def test_a_draft_that_changes_nothing_is_not_reviewed(officer: Api) -> None:
    draft = officer.post(VERSIONS, {"reason": "Just so."}).json()
    assert refusal(officer.step(at(draft, "submit"))) == (409, "intents.same_policy")


def test_a_draft_below_its_own_bar_is_not_reviewed(officer: Api) -> None:
    draft = begun(officer, changed("classifier.minimum_golden_accuracy", 1.0))
    assert refusal(officer.step(at(draft, "submit"))) == (409, "intents.golden_accuracy_too_low")
    assert officer.get(at(draft, "check")).json()["golden"]["passed"] is False


def test_with_the_provider_down_nothing_is_submitted(officer: Api, settings: LazySettings) -> None:
    draft = begun(officer)
    with ModelServer() as broken:
        broken.fail_with(Fault.ERROR_500, times=20)
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(broken)}
        assert officer.step(at(draft, "submit")).status_code in (502, 503)
    assert status_of(officer, draft) == "draft"


@pytest.mark.slow
def test_a_comment_stands_with_the_version_and_its_answer_does_not_repeat_the_text(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    said = reviewer.post(at(version, "comments"), {"text": "Is Mr Brown named in them?"})
    assert (said.status_code, said.json()["author"], "Brown" in said.content.decode()) == (201, "rupert", False)
    (comment,) = officer.get(at(version)).json()["comments"]
    assert comment == {**said.json(), "text": "Is Mr Brown named in them?"}


def test_a_comment_on_a_cell_is_answered_and_resolved(officer: Api, reviewer: Api) -> None:
    version = begun(officer)
    said = reviewer.post(
        at(version, "comments"), {"text": "Which?", "about_intent": "performance", "about_kind": "run"}
    ).json()
    body = {"text": "", "answers": said["id"], "turn": "resolved"}
    refused = officer.post(at(version, "comments"), body)
    assert (refused.status_code, refused.json()["code"]) == (403, "intents.comment_of_others")
    answer = reviewer.post(at(version, "comments"), body)
    assert answer.status_code == 201
    first, second = officer.get(at(version)).json()["comments"]
    assert (first["about_intent"], first["about_kind"], first["answers"]) == ("performance", "run", None)
    assert (second["answers"], second["turn"], second["text"]) == (said["id"], "resolved", "")


def test_a_comment_on_no_cell_and_a_turn_of_nothing_are_refused_at_their_fields(officer: Api) -> None:
    version = begun(officer)
    for body, field in (
        ({"text": "Why?", "about_intent": "holidays"}, "about_intent"),
        ({"text": "Why?", "turn": "resolved"}, "turn"),
        ({"text": "Why?", "answers": str(UUID(int=1)), "about_kind": "run"}, "answers"),
    ):
        response = officer.post(at(version, "comments"), body)
        assert response.status_code == 400
        assert list(response.json()["errors"]) == [field]
    nowhere = officer.post(at(version, "comments"), {"text": "Why?", "answers": str(UUID(int=1))})
    assert (nowhere.status_code, nowhere.json()["code"]) == (404, "intents.comment_not_found")


def test_an_empty_comment_is_refused_at_its_field(officer: Api) -> None:
    draft = begun(officer)
    for body in ({}, {"text": ""}, {"text": " "}, {"text": "\u0000"}, {"text": "x" * 10_001}):
        response = officer.post(at(draft, "comments"), body)
        assert (response.status_code, list(response.json()["errors"])) == (400, ["text"]), body


def test_who_neither_writes_nor_approves_policies_says_nothing_of_them(acme: Firm, officer: Api) -> None:
    analyst = person(make_member(acme, "alice", Role.ANALYST))
    response = analyst.post(at(begun(officer), "comments"), {"text": "Please!"})
    assert (response.status_code, response.json()["data"]["permission"]) == (403, "policy.approve")


@pytest.mark.slow
def test_an_unknown_field_of_a_step_is_refused(officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    for step in ("approve", "reject", "send-back", "withdraw", "comments"):
        body = {"text" if step == "comments" else "reason": "Because.", "force": True}
        assert "force" in reviewer.post(at(version, step), body).json()["errors"], step
    assert status_of(officer, version) == "in_review"


@pytest.mark.slow
def test_an_approval_sent_twice_with_one_key_is_one_approval(acme: Firm, officer: Api, reviewer: Api) -> None:
    version = submitted(officer)
    first, second = (reviewer.step(at(version, "approve"), {}, idempotency_key="approve-1") for _ in range(2))
    assert (second.status_code, second.json()) == (200, first.json())
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="intents.policy.approved").count() == 1
