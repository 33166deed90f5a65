from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.retrieval.services import ask as asking
from apps.retrieval.trace import Stage
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api, openapi
from tests.api.conftest import KeyMaker, ready_document
from tests.factories import Firm
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/query/"
QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"


def ask(api: Api, **body: Any) -> HttpResponse:
    return api.post(ADDRESS, {"question": QUESTION, **body})


def test_a_question_is_answered_with_a_citation_that_can_be_followed(
    analyst: Api, report: Document, acme: Firm
) -> None:
    answer = ask(analyst).json()
    assert "12.5 %" in answer["answer"]
    assert (answer["refused"], answer["grounding"]) == (False, "grounded")
    citation = answer["citations"][0]
    assert citation["document"] == {"id": str(report.id), "title": report.title, "version": 1, "kind": "run"}
    page = analyst.get(f"/api/v1/documents/{report.id}/pages/{citation['page']}/").json()
    assert page["text"][citation["char_start"] : citation["char_end"]] == citation["quote"]


def test_the_answer_says_which_policy_let_it_reach_what(analyst: Api, report: Document) -> None:
    answer = ask(analyst).json()
    assert answer["intent"]["name"] == "performance"
    assert answer["kinds"]["permitted"] == ["fund_profile", "run", "dataset_summary"]
    assert answer["policy_version"] == 1


def test_every_question_is_recorded(analyst: Api, report: Document, auditor: Api) -> None:
    answer = ask(analyst).json()
    event = auditor.get(f"/api/v1/audit/events/{answer['audit_event_id']}/").json()
    assert (event["action"], event["actor"]["kind"]) == ("retrieval.question.answered", "api_key")
    assert event["payload"]["core"]["policy_version"] == 1
    assert QUESTION not in str(event["payload"])


@pytest.mark.parametrize(("body", "parameters"), [({"trace": True}, ""), ({}, "?trace=true"), ({}, "?trace=1")])
def test_the_whole_way_is_shown_when_asked_for(
    analyst: Api, report: Document, body: dict[str, bool], parameters: str
) -> None:
    answer = analyst.post(ADDRESS, {"question": QUESTION, **body}, params=parameters).json()
    stages = [stage["stage"] for stage in answer["trace"]["stages"]]
    assert stages[0] == Stage.VALIDATE
    assert {Stage.CLASSIFY, Stage.GATE, Stage.DENSE, Stage.SPARSE, Stage.FUSE, Stage.ASSEMBLE, Stage.GROUND} <= set(
        stages
    )


def test_the_way_is_not_shown_unasked(analyst: Api, report: Document) -> None:
    assert "trace" not in ask(analyst).json()


def test_a_trace_parameter_that_is_no_truth_value_is_refused(analyst: Api) -> None:
    assert list(analyst.post(ADDRESS, {"question": QUESTION}, params="?trace=maybe").json()["errors"]) == ["trace"]


def test_scopes_narrow_the_search(analyst: Api, report: Document, acme: Firm) -> None:
    assert ask(analyst, scopes=["fund:alpha"]).json()["citations"]
    assert not ask(analyst, scopes=["fund:beta"]).json()["citations"]
    assert ask(analyst, scopes=["firm:acme"]).json()["citations"]


def test_a_key_without_the_scope_gets_nothing_of_it(key: KeyMaker, report: Document) -> None:
    assert not ask(key(Role.ANALYST, "fund:beta")).json()["citations"]


def test_another_tenant_s_documents_are_never_reached(analyst: Api, bolt: Firm) -> None:
    ready_document(bolt, b"# Bolt Fund\n\nThe maximum drawdown of the Bolt Fund was quokka %.\n")
    answer = analyst.post(ADDRESS, {"question": "What was the maximum drawdown of the Bolt Fund?", "trace": True})
    assert b"quokka" not in answer.content


@pytest.mark.parametrize(
    ("question", "status", "code"),
    [
        ("", 400, "retrieval.question_empty"),
        (" \n\t", 400, "retrieval.question_empty"),
        ("\x01\x02", 400, "retrieval.question_unreadable"),
        ("\x00", 400, "api.invalid"),
        (5, 400, "api.invalid"),
        ("\u200b\u200b", 400, "retrieval.question_unreadable"),
        ("why " * 25_000, 413, "retrieval.question_too_long"),
    ],
)
def test_what_is_no_question_is_refused_beside_its_field(analyst: Api, question: Any, status: int, code: str) -> None:
    response = ask(analyst, question=question)
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert list(response.json()["errors"]) == ["question"]


def test_a_refused_question_is_recorded_all_the_same(analyst: Api, acme: Firm) -> None:
    ask(analyst, question="")
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.latest("occurred_at")
    assert (event.action, event.outcome) == ("retrieval.question.rejected", "refused")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"question": None}, "question"),
        ({"question": ["a"]}, "question"),
        ({"question": True}, "question"),
        ({"scopes": "fund:alpha"}, "scopes"),
        ({"scopes": ["fund:alpha", 7.5]}, "scopes.1"),
        ({"scopes": ["fund:alpha", None]}, "scopes.1"),
        ({"scopes": ["fund:\x00"]}, "scopes.0"),
        ({"scopes": ["fund:nowhere"]}, "scopes"),
        ({"scopes": ["firm:bolt"]}, "scopes"),
        ({"scopes": ["fund:alpha"] * 101}, "scopes"),
        ({"trace": "perhaps"}, "trace"),
    ],
)
def test_a_bad_field_is_named(analyst: Api, bolt: Firm, body: dict[str, Any], field: str) -> None:
    response = ask(analyst, **body)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [field]


def test_the_bodies_that_the_document_shows_are_answered(analyst: Api, report: Document) -> None:
    examples = openapi()["paths"][ADDRESS]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert [analyst.post(ADDRESS, each["value"]).status_code for each in examples.values()] == [200, 200, 200, 200]


def test_a_question_is_required(analyst: Api) -> None:
    assert analyst.post(ADDRESS, {}).json()["errors"] == {"question": ["This field is required."]}


@pytest.fixture
def provider_down(model_server: ModelServer) -> Iterator[None]:
    model_server.fail_with(Fault.ERROR_500)
    yield
    model_server.fail_with(None)


def test_without_the_embedding_provider_it_answers_and_says_so(
    analyst: Api, report: Document, provider_down: None
) -> None:
    answer = ask(analyst).json()
    assert "12.5 %" in answer["answer"]
    assert {each["stage"] for each in answer["degraded"]} >= {"embed"}


def test_a_question_that_breaks_is_recorded_and_answered_with_a_problem(
    analyst: Api, acme: Firm, report: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a secret of ours")

    monkeypatch.setattr(asking, "answer", broken)
    response = ask(analyst)
    assert (response.status_code, response.json()["code"]) == (500, "api.internal")
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.latest("occurred_at")
    assert (event.action, event.outcome) == ("retrieval.question.failed", "failed")
