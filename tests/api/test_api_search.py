"""Searching without an answer: the same way as a question, up to where an answer would be written."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse

from apps.audit.models import Event
from apps.corpus.models import Chunk, Document
from apps.retrieval.contracts import GeneratedAnswer
from apps.retrieval.trace import Stage
from apps.tenants.api.idempotency import REPEATS_HEADER
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.roles import Role
from tests.api.client import Api, openapi
from tests.api.conftest import KeyMaker
from tests.factories import Firm

pytestmark = pytest.mark.django_db

ADDRESS, QUERY = "/api/v1/search/", "/api/v1/query/"
QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
_ONLY_WITH_AN_ANSWER = {Stage.GENERATE.value, Stage.GROUND.value}


def search(api: Api, **body: Any) -> HttpResponse:
    return api.post(ADDRESS, {"question": QUESTION, **body})


def test_passages_come_with_their_address_their_text_and_their_scores(
    analyst: Api, report: Document, acme: Firm
) -> None:
    found = search(analyst).json()
    first = found["passages"][0]
    assert first["document"] == {"id": str(report.id), "title": report.title, "version": 1, "kind": "run"}
    assert "12.5 %" in first["text"]
    page = analyst.get(first["url"]).json()
    assert (page["number"], page["text"][first["char_start"] : first["char_end"]]) == (first["page"], first["text"])
    listed = analyst.get(f"/api/v1/documents/{report.id}/chunks/").json()["results"]
    assert first["chunk_id"] in {each["id"] for each in listed}
    scores = {each["ranking"]: each for each in first["scores"]["rankings"]}
    assert scores["sparse"]["rank"] == 1
    assert (scores["sparse"]["bm25_score"] > 0, scores["sparse"]["cosine_similarity"]) == (True, None)
    assert (scores["dense"]["cosine_similarity"] > 0, scores["dense"]["bm25_score"]) == (True, None)
    assert first["scores"]["rrf_score"] == pytest.approx(sum(1 / (60 + each["rank"]) for each in scores.values()))


def test_it_finds_what_the_answer_is_written_from(analyst: Api, report: Document) -> None:
    """The same intent, grant, rankings and context, stage by stage."""
    found = search(analyst).json()
    answered = analyst.post(QUERY, {"question": QUESTION, "trace": True}).json()
    for name in ("intent", "kinds", "policy_version", "filters", "notices", "degraded"):
        assert found[name] == answered[name]

    def outputs(body: dict[str, Any]) -> list[Any]:
        return [(s["stage"], s["output"]) for s in body["trace"]["stages"] if s["stage"] not in _ONLY_WITH_AN_ANSWER]

    assert outputs(found) == outputs(answered)
    assert {each["stage"] for each in answered["trace"]["stages"]} >= _ONLY_WITH_AN_ANSWER
    assert not {each["stage"] for each in found["trace"]["stages"]} & _ONLY_WITH_AN_ANSWER
    in_context = {each["ref_id"] for each in found["passages"] if each["in_context"]}
    assert {each["ref_id"] for each in answered["citations"]} <= in_context


def test_no_model_is_called_to_write(
    analyst: Api, report: Document, acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a generator that would be noticed: whatever is asked of it is an error."""
    asked: list[object] = []

    class Telling:
        name, model, region = "telling", "a-model", "eu"

        def generate(self, *given: object) -> GeneratedAnswer:
            asked.append(given)
            raise AssertionError("a search wrote an answer")

    monkeypatch.setattr("apps.retrieval.services.wiring.generator_for", lambda *_, **__: Telling())
    assert search(analyst).status_code == 200
    assert asked == []
    assert analyst.post(QUERY, {"question": QUESTION}).status_code == 500
    assert len(asked) == 1


def test_the_trace_can_be_left_out(analyst: Api, report: Document) -> None:
    assert "trace" in search(analyst).json()
    assert "trace" not in search(analyst, trace=False).json()


def test_it_is_recorded_as_what_it_was(analyst: Api, report: Document, auditor: Api) -> None:
    found = search(analyst).json()
    event = auditor.get(f"/api/v1/audit/events/{found['audit_event_id']}/").json()
    assert (event["action"], event["outcome"]) == ("retrieval.question.searched", "success")
    payload = event["payload"]
    assert payload["core"]["intent"] == "performance"
    assert not {"generator", "model"} & payload["core"].keys()
    assert payload["answer"].keys() == {"refusal", "context_sha256", "context_chars"}
    assert {each["chunk_id"] for each in payload["passages"]["hits"]} >= {
        each["chunk_id"] for each in found["passages"]
    }
    assert not any(each["cited"] for each in payload["passages"]["hits"])
    assert QUESTION not in str(payload)


def test_what_is_refused_is_refused_alike(analyst: Api, report: Document, acme: Firm) -> None:
    vague = analyst.post(ADDRESS, {"question": "Please?"}).json()
    assert (vague["refused"], vague["refusal"]["reason"], vague["passages"]) == (True, "too_vague", [])
    for body, status, code in (
        ({"question": ""}, 400, "retrieval.question_empty"),
        ({"question": "why " * 25_000}, 413, "retrieval.question_too_long"),
        ({"scopes": ["fund:nowhere"]}, 400, "tenants.scope_not_granted"),
    ):
        response = search(analyst, **body)
        assert (response.status_code, response.json()["code"]) == (status, code)
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.latest("occurred_at")
    assert event.action == "retrieval.question.rejected"


def test_it_reaches_no_further_than_a_question(
    analyst: Api, key: KeyMaker, report: Document, auditor: Api, acme: Firm
) -> None:
    assert search(key(Role.ANALYST, "fund:beta")).json()["passages"] == []
    assert search(analyst, scopes=["fund:beta"]).json()["passages"] == []
    assert search(auditor).status_code == 403
    assert search(Api()).status_code == 401


def test_a_search_sent_twice_is_told_from_two_and_nothing_of_it_is_kept(
    analyst: Api, report: Document, acme: Firm
) -> None:
    sent = {"Idempotency-Key": "a-search"}
    body = {"question": QUESTION}
    first = analyst.post(ADDRESS, body, **sent)
    again = analyst.post(ADDRESS, body, **sent)
    assert again[REPEATS_HEADER] == first.json()["audit_event_id"] != again.json()["audit_event_id"]
    assert analyst.post(ADDRESS, {"question": "Who are we?"}, **sent).status_code == 422
    with open_scope(tenant=acme.id, reason="a test"):
        (row,) = IdempotentRequest._base_manager.filter(subject_id=first.json()["audit_event_id"])
    assert (row.replayable, row.body) == (False, None)


def test_the_bodies_that_the_document_shows_are_answered(analyst: Api, report: Document) -> None:
    examples = openapi()["paths"][ADDRESS]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert [analyst.post(ADDRESS, each["value"]).status_code for each in examples.values()] == [200, 200]


def test_a_citation_names_its_passage_and_its_page(analyst: Api, report: Document, acme: Firm) -> None:
    answer = analyst.post(QUERY, {"question": QUESTION, "trace": True}).json()
    with open_scope(tenant=acme.id, reason="a test"):
        passages = {str(each.id): each for each in Chunk.objects.filter(document_id=report.id)}
    assert answer["citations"]
    for citation in answer["citations"]:
        passage = passages[citation["chunk_id"]]
        assert citation["quote"] in passage.text
        page = analyst.get(citation["url"]).json()
        assert page["number"] == citation["page"] == passage.page_start
        assert page["text"][citation["char_start"] : citation["char_end"]] == citation["quote"]
    lines = [line for stage in answer["trace"]["stages"] for line in (stage["output"] or {}).get("candidates", ())]
    assert lines
    assert all(line["url"] == f"/api/v1/documents/{line['document_id']}/pages/{line['page']}/" for line in lines)


def test_the_document_says_that_a_repeated_search_is_carried_out_anew() -> None:
    headers = [openapi()["paths"][path]["post"]["responses"]["200"]["headers"] for path in (ADDRESS, QUERY)]
    assert headers[0] == headers[1]
    assert REPEATS_HEADER in headers[0]
