"""The page of an answer shows the requests to models that the answer took."""

from __future__ import annotations

from dataclasses import replace

from apps.retrieval.admin.ask_requests import requests_view
from apps.retrieval.trace import DeadlineUse, ModelCall, Trace

CALL = ModelCall(
    event_id="e",
    profile="chat",
    model="large",
    region="eu",
    purpose="answer",
    attempt=1,
    timeout_seconds=20,
    elapsed_ms=1300,
    first_byte_ms=410.2,
    input_tokens=2400,
    output_tokens=80,
    price="2026-01",
    cost="0.0041",
    currency="EUR",
    code="",
)


def traced(*calls: ModelCall) -> Trace:
    return Trace(
        stages=(), degradations=(), elapsed_ms=1.0, calls=calls, deadline=DeadlineUse(seconds=60, used_seconds=1.3)
    )


def test_a_request_is_told_with_its_tokens_time_and_cost() -> None:
    view = requests_view(traced(CALL))
    assert view is not None
    (row,) = view.rows
    assert (row.purpose, row.model, row.region) == ("Write the answer", "large", "EU")
    assert (row.sent, row.written, row.began, row.elapsed) == ("2,400", "80", "after 410 ms", "1.3 s")
    assert (row.cost, row.ended) == ("0.0041 EUR", "answered")
    assert view.deadline == "All requests of a question together may take 60 s; these took 1.3 s."


def test_what_a_server_did_not_say_is_not_made_up() -> None:
    failed = replace(
        CALL, attempt=2, first_byte_ms=None, input_tokens=None, output_tokens=None, cost=None, code="timeout"
    )
    view = requests_view(traced(failed))
    assert view is not None
    (row,) = view.rows
    assert (row.purpose, row.sent, row.written) == ("Write the answer, request 2", "not stated", "not stated")
    assert (row.began, row.cost, row.ended) == ("never", "no price set", "failed: timeout")


def test_an_answer_without_a_request_shows_none() -> None:
    assert requests_view(traced()) is None
