"""One's own questions by the API: the list, sending one to the officers, and taking it back."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from apps.corpus.models import Document
from apps.erasure.models import Because, Restriction
from apps.retrieval.models import SentQuestion, SentState
from apps.retrieval.sent.services import question_decide
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import PROBLEM, Api, person
from tests.api.conftest import KeyMaker
from tests.factories import Firm, as_, make_member
from tests.retrieval.asking import keep_history

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/queries/"
QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
REFUSED = "What was the maximum drawdown of the Omega Fund in the second quarter of 1999?"


@pytest.fixture
def ann(acme: Firm, report: Document) -> Api:
    return person(make_member(acme, f"ann-{uuid4().hex[:8]}", Role.ANALYST))


def asked(api: Api, question: str = REFUSED) -> str:
    return str(api.post("/api/v1/query/", {"question": question}).json()["audit_event_id"])


def send(api: Api, id: str, **body: Any) -> Any:
    return api.post(f"{ADDRESS}{id}/send/", {"question": REFUSED, "consent": True, **body})


def test_one_s_own_questions_are_listed_newest_first_with_what_became_of_them(ann: Api) -> None:
    first, second = asked(ann, QUESTION), asked(ann, "and what about it?")
    found = ann.get(ADDRESS).json()["results"]
    assert [each["id"] for each in found] == [second, first]
    assert [each["outcome"] for each in found] == ["refused", "success"]
    assert [bool(each["refusal"]) for each in found] == [True, False]
    assert [(each["question"], each["answer"], each["sent"]) for each in found] == [(None, None, None)] * 2
    assert {each["policy_version"] for each in found} == {1}


def test_words_are_there_where_the_policy_keeps_them(acme: Firm, ann: Api) -> None:
    keep_history(acme, 30)
    asked(ann, QUESTION)
    (found,) = ann.get(ADDRESS).json()["results"]
    assert found["question"] == QUESTION
    assert "12.5 %" in found["answer"]


def test_words_from_a_document_that_was_restricted_since_are_withheld(acme: Firm, ann: Api, report: Document) -> None:
    keep_history(acme, 30)
    asked(ann, QUESTION)
    with open_scope(tenant=acme.id, reason="a test"):
        Restriction.objects.create(
            tenant_id=acme.id,
            scope_id=report.scope_id,
            document_id=report.id,
            because=Because.REQUEST,
            because_id=report.id,
        )
    (found,) = ann.get(ADDRESS).json()["results"]
    assert (found["question"], found["answer"]) == (None, None)
    assert found["outcome"] == "success"


def test_nobody_else_s_questions_are_listed(ann: Api, key: KeyMaker) -> None:
    asked(ann)
    assert key().get(ADDRESS).json()["results"] == []


def test_a_role_that_may_not_ask_has_no_list(auditor: Api) -> None:
    assert auditor.get(ADDRESS).status_code == 403


def test_a_refused_question_is_sent_decided_on_and_shown(acme: Firm, ann: Api) -> None:
    id = asked(ann)
    sent = send(ann, id, note="For the board.")
    assert (sent.status_code, sent.json()["state"], sent.json()["reply"]) == (201, "sent", "")
    with as_(make_member(acme, "olga", Role.COMPLIANCE_OFFICER)):
        question_decide(SentQuestion.objects.get().id, decision=SentState.ANSWERED, reply="Ask the manager.")
    (found,) = ann.get(ADDRESS).json()["results"]
    assert (found["sent"]["state"], found["sent"]["reply"]) == ("answered", "Ask the manager.")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"consent": False}, 422, "retrieval.sent_without_consent"),
        ({"question": "Something else?"}, 422, "retrieval.sent_other_text"),
    ],
)
def test_it_is_not_sent_without_consent_or_with_another_text(
    ann: Api, body: dict[str, Any], status: int, code: str
) -> None:
    problem = send(ann, asked(ann), **body)
    assert (problem.status_code, problem.json()["code"]) == (status, code)


def test_what_is_wrong_with_the_body_is_named(ann: Api) -> None:
    problem = ann.post(f"{ADDRESS}{asked(ann)}/send/", {"question": REFUSED, "note": "x" * 1001})
    assert problem.status_code == 400
    assert problem.headers["Content-Type"] == PROBLEM
    assert set(problem.json()["errors"]) == {"consent", "note"}


def test_an_answered_question_an_unknown_one_and_another_s_are_not_sent(acme: Firm, ann: Api, key: KeyMaker) -> None:
    assert send(ann, asked(ann, QUESTION), question=QUESTION).status_code == 409
    other = person(make_member(acme, "bea", Role.ANALYST))
    unknown, anothers = send(ann, str(uuid4())), send(other, asked(ann))
    assert (unknown.status_code, anothers.status_code) == (404, 404)
    assert unknown.json()["detail"] == anothers.json()["detail"]
    tenants_own = key()
    assert send(tenants_own, asked(tenants_own)).status_code == 404


def test_the_same_request_sends_once(acme: Firm, ann: Api) -> None:
    id, again = asked(ann), {"Idempotency-Key": "a key of this test"}
    body = {"question": REFUSED, "consent": True}
    answers = [ann.post(f"{ADDRESS}{id}/send/", body, **again) for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 201]
    assert send(ann, id).status_code == 409


def test_it_is_taken_back(acme: Firm, ann: Api) -> None:
    id = asked(ann)
    send(ann, id)
    assert ann.post(f"{ADDRESS}{id}/take-back/").status_code == 204
    assert ann.post(f"{ADDRESS}{id}/take-back/").status_code == 404
    with open_scope(tenant=acme.id, reason="a test"):
        assert not SentQuestion.objects.exists()
    assert send(ann, id).status_code == 201
