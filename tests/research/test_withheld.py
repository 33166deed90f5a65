"""What is withheld of research: from a key of less reach, from who lost a scope, and what restricted documents said."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection

from apps.intents.contracts import RecordingMode
from apps.privacy.my_data.contracts import Format
from apps.privacy.my_data.services import my_data_export
from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep, RunState
from apps.research.runs import showing
from apps.research.runs.forgetting import forget_tenant
from apps.research.runs.plan_change import Wanted, plan_change
from apps.research.runs.reading import own_runs, run_of
from apps.research.runs.services import run_cancel, run_start
from apps.research.runs.showing import shown
from apps.research.runs.streaming import Stream
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.mutations import acting_as
from tests.factories import Firm, as_, make_member, make_personal_key
from tests.isolation.harness import _as_superuser
from tests.research.running import ONE, carry_out, person, request, researched, steps
from tests.research.test_runs import _end_grant, _restrict, at_step
from tests.retrieval.asking import keep_history


@pytest.fixture
def alice(house: Firm) -> Principal:
    return person(house, "alice")


@pytest.fixture
def bob(house: Firm) -> Principal:
    """An analyst of both funds."""
    make_member(house, "bob", Role.ANALYST, scopes=["fund:beta"])
    return person(house, "bob")


def _first_key(who: Principal, run: ResearchRun) -> str:
    with as_(who):
        plan = shown(run.id).plan
    assert plan is not None
    return plan.sub_questions[0].key


# --- a key of less reach than its person ---------------------------------------------------------------------------


def test_a_key_sees_what_was_asked_by_it_and_a_session_sees_all(house: Firm, alice: Principal) -> None:
    run = request(alice, confirm_plan=True)
    key, plain = make_personal_key(house, "alice", role=Role.COMPLIANCE_OFFICER, scopes=["fund:alpha"])
    with as_(key):
        for act in (run_of, run_start, run_cancel, shown):
            with pytest.raises(RunError, match="no research of this id"):
                act(run.id)
    with pytest.raises(RunError, match="no research of this id"):
        plan_change(run.id, [Wanted(key=_first_key(alice, run))], principal=key)
    own = request(key, ONE)
    assert [each["id"] for each in Api(plain).get("/api/v1/research/runs/").json()["results"]] == [str(own.id)]
    with as_(alice):
        assert set(own_runs(alice)) == {run, own}, "the control"
    assert _told_of_research(key) == [str(own.event_id)]


def _told_of_research(who: Principal) -> list[str]:
    return [each["event"] for each in _my_research(who)]


def _my_research(who: Principal, key: str = "research") -> list[dict[str, Any]]:
    with as_(who):
        parts = my_data_export(Format.JSON)
    found = json.loads(b"".join(parts))
    entries: list[dict[str, Any]] = next(each["entries"] for each in found["categories"] if each["key"] == key)
    return entries


# --- a scope that was lost -----------------------------------------------------------------------------------------


def test_who_lost_a_scope_reads_neither_question_nor_plan_and_changes_no_plan(house: Firm, bob: Principal) -> None:
    run = request(bob, confirm_plan=True)
    key = _first_key(bob, run)
    with as_(bob):
        before = shown(run.id)
    assert before.content is not None, "the control"
    _end_grant(house, "bob", "fund:beta")
    less = person(house, "bob")
    with as_(less):
        found = shown(run.id)
    assert (found.content, found.plan) == (None, None)
    assert "lost a scope" in _my_research(less)[0]["question"]
    with pytest.raises(RunError) as refused:
        plan_change(run.id, [Wanted(key=key)], principal=less)
    assert refused.value.code == "research.scope_lost"


def test_who_lost_a_scope_is_told_the_end(house: Firm, bob: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    run = request(bob)
    at_step(monkeypatch, 3, lambda: _end_grant(house, "bob", "fund:beta"))
    carry_out(run)
    played = b"".join(Stream(run.id, person(house, "bob"), (0, 0)))
    assert played.count(b'"RUN_STARTED"') == played.count(b'"RUN_FINISHED"') == 1
    assert steps(bob, run.id)[-1].scope_ids == []


def test_a_run_that_ends_while_it_is_read_is_shown_as_ended(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)
    reading = showing.steps_of

    def later(run_id: Any) -> list[ResearchStep]:
        with open_scope(tenant=house.id, reason="a test"):
            carry_out(run)
        return reading(run_id)

    monkeypatch.setattr(showing, "steps_of", later)
    with as_(alice):
        assert shown(run.id).row.state == RunState.DONE


# --- a document that was restricted --------------------------------------------------------------------------------


def test_the_database_hides_what_was_written_from_a_restricted_document(house: Firm, bob: Principal) -> None:
    run = researched(bob)

    def seen() -> int:
        with as_(bob):
            return ResearchStep.objects.filter(run_id=run.id).count()

    assert seen() == 6
    _restrict(house, "alpha.md")
    # The plan, the question about the fund, the score and the answer.
    assert seen() == 2

    def drop(cursor: Any) -> None:
        cursor.execute("DROP POLICY hidden_by_restriction ON research_researchstep")

    with _as_superuser(drop):
        assert seen() == 6, "the control"


def test_what_is_hidden_is_found_by_the_eraser_and_forgotten_in_time(house: Firm, bob: Principal) -> None:
    run = researched(bob)
    found = "SELECT id FROM research_researchstep WHERE tenant_id = %s AND document_ids && %s::uuid[]"
    document = _restrict(house, "alpha.md")
    with acting_as("glassbox_eraser"), open_scope(tenant=house.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute(found, [house.id, [document]])
        assert len(cursor.fetchall()) == 4
    with time_machine.travel(run.expires_at + timedelta(seconds=1)):
        assert forget_tenant(house.id) == 1
    assert steps(bob, run.id) == []


def test_a_plan_goes_with_a_document_that_it_was_made_from(house: Firm, alice: Principal) -> None:
    run = request(alice, confirm_plan=True)
    _first_key(alice, run)
    _restrict(house, "beta.md")
    with as_(alice):
        found = shown(run.id)
    assert found.content is not None
    assert found.plan is None


def test_an_access_package_tells_nothing_of_a_restricted_document(house: Firm, alice: Principal) -> None:
    keep_history(house, 10, mode=RecordingMode.ENCRYPTED_TEXT)
    researched(alice)
    ask(text=ONE, principal=alice)
    assert "12.5" in str(_my_research(alice)), "the control"
    assert "12.5" in str(_my_research(alice, "kept_answers")), "the control"
    _restrict(house, "alpha.md")
    told = _my_research(alice)
    assert "12.5" not in str(told)
    assert "3.3" in str(told[0]["answers"])
    assert told[0]["plan"] == []
    kept = _my_research(alice, "kept_answers")
    assert "12.5" not in str(kept)
    assert kept[0]["question"] == ONE
