"""`manage.py demo` as a new user runs it: a state folder of its own, every process real, every claim checked."""

from __future__ import annotations

from typing import Any

import pytest

from apps.intents.fund_house import FUND_HOUSE
from tests.demo.made import make_demo

pytestmark = pytest.mark.slow

_QUESTION_FIELDS = {
    "text",
    "tenant",
    "intent",
    "kinds",
    "policy_version",
    "answer",
    "citations",
    "refused",
    "degraded",
    "audit_event_id",
    "elapsed_ms",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the demo's JSON says, of one run from nothing."""
    return make_demo(tmp_path_factory).told


def test_every_claim_holds(told: dict[str, Any]) -> None:
    assert len(told["checks"]) > 100
    assert [check for check in told["checks"] if not check["ok"]] == []


def test_it_tells_what_it_did(told: dict[str, Any]) -> None:
    assert told["tenants"] == ["meridian", "northlight"]
    assert told["documents"] >= 2 * len(FUND_HOUSE)
    assert told["chunks"] >= told["documents"]
    assert told["elapsed_s"] > 0
    assert all(set(question) == _QUESTION_FIELDS for question in told["questions"])


def test_last_quarter_is_the_newer_one_with_its_quote(told: dict[str, Any]) -> None:
    asked = [each for each in told["questions"] if each["text"] == "What was last quarter's drawdown?"]
    assert len(asked) == 2
    assert all("Q4 2024" in each["citations"][0]["document"] for each in asked)


def test_only_the_questions_without_a_provider_are_degraded(told: dict[str, Any]) -> None:
    assert sum(question["degraded"] for question in told["questions"]) == 2
