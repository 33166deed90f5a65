"""What one person's research may take from others: places, threads, workers and time; and for how long it is there."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from apps.erasure.stores.counters import redis_client
from apps.research.errors import RunError
from apps.research.models import ResearchRun, RunState
from apps.research.runs import forgetting, limits, plan_change, planning, runner, streaming
from apps.research.runs.contracts import RunContent
from apps.research.runs.forgetting import forget_tenant
from apps.research.runs.plan_change import Wanted
from apps.research.runs.runner import RunOutcome, run_carry_out
from apps.research.runs.sealing import Sealer, columns_of
from apps.research.runs.services import run_cancel, run_start
from apps.research.runs.showing import shown
from apps.research.runs.streaming import Stream
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.factories import Firm, as_
from tests.research.running import ONE, carry_out, kinds_of_steps, person, request, researched, result, row
from tests.research.test_events import Clock, follow, told


@pytest.fixture
def alice(house: Firm) -> Principal:
    return person(house, "alice")


def _change(run: ResearchRun, **columns: Any) -> None:
    with open_scope(tenant=run.tenant_id, reason="a test"):
        ResearchRun.objects.filter(id=run.id).update(**columns)


def _left(run: ResearchRun) -> float:
    """For how many seconds the key of a run stays."""
    with redis_client() as client:
        return float(client.ttl(cache.make_key(f"research:{run.tenant_id}:{run.id}")))


# --- runs of one person --------------------------------------------------------------------------------------------


def test_a_person_s_plans_and_runs_have_a_limit(house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.research.runs.quotas.RUNS_OF_OWNER", 1)
    run = request(alice, ONE, confirm_plan=True)
    with pytest.raises(RunError, match="of your own") as refused:
        request(alice, ONE)
    assert refused.value.status == 429
    request(person(house, "bob"), ONE)
    with as_(alice):
        run_start(run.id)
        run_cancel(run.id)
    assert request(alice, ONE).state == RunState.QUEUED


# --- streams -------------------------------------------------------------------------------------------------------


def test_streams_leave_threads_of_a_process_for_others(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert limits.STREAMS_OF_PROCESS * 2 <= limits.POOL_SIZE
    monkeypatch.setattr(streaming, "_PLACES", BoundedSemaphore(1))
    run = researched(alice, ONE)
    first = Stream(run.id, alice, (0, 0))
    with pytest.raises(RunError) as refused:
        Stream(run.id, person(house, "bob"), (0, 0))
    assert (refused.value.code, refused.value.status) == ("research.streams_full", 429)
    first.close()
    first.close()
    with pytest.raises(RunError, match="no research of this id"):
        Stream(run.id, person(house, "bob"), (0, 0))
    assert b"12.5" in b"".join(Stream(run.id, alice, (0, 0))), "what was refused has given its place back"


def test_a_stream_of_what_is_only_planned_ends_at_once(house: Firm, alice: Principal) -> None:
    run, clock = request(alice, confirm_plan=True), Clock()
    names = [event.get("name") for _, event in told(follow(run, alice, clock=clock))]
    assert names == [None, "progress", "analysis"]
    assert clock.now == 0


# --- workers -------------------------------------------------------------------------------------------------------


def test_a_run_whose_turn_is_over_lets_others_go_first(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(runner, "enqueue", sent.append)
    monkeypatch.setattr(runner, "TURN_SECONDS", 0.0)
    run = request(alice)
    assert run_carry_out(run_id=run.id, tenant_id=run.tenant_id) is RunOutcome.GAVE_WAY
    waits = row(alice, run.id)
    assert (waits.state, waits.lease_owner, waits.lease_until, waits.attempts) == (RunState.QUEUED, "", None, 0)
    assert [each.id for each in sent] == [run.id]
    assert kinds_of_steps(alice, run.id) == ["analysis", "search"]
    assert _left(run) > limits.MOMENTARY_SECONDS, "it waits for a worker again"
    assert carry_out(run) is RunOutcome.ENDED
    assert kinds_of_steps(alice, run.id) == ["analysis", "search", "search", "score", "result", "ended"]
    assert "12.5" in str(result(alice, row(alice, run.id)))
    assert _left(run) <= limits.MOMENTARY_SECONDS


def test_texts_are_there_while_a_run_waits_and_for_minutes_after_it(house: Firm, alice: Principal) -> None:
    planned = request(alice, ONE, confirm_plan=True)
    assert _left(planned) <= limits.MOMENTARY_SECONDS
    with as_(alice):
        run_start(planned.id)
    assert _left(planned) > limits.MOMENTARY_SECONDS
    with as_(alice):
        run_cancel(planned.id)
    assert _left(planned) <= limits.MOMENTARY_SECONDS


# --- plans ---------------------------------------------------------------------------------------------------------


def _cells(who: Principal, run: ResearchRun) -> list[str]:
    with as_(who):
        return [each.key for each in Sealer.of(run).open(RunContent, run).plan.sub_questions]


def test_of_two_changes_of_a_plan_the_second_is_told_of_the_first(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice, confirm_plan=True)
    first, second = _cells(alice, run)
    reading = plan_change._read

    def meanwhile(*args: Any) -> None:
        monkeypatch.setattr(plan_change, "_read", reading)
        plan_change.plan_change(run.id, [Wanted(key=second)], principal=alice)

    monkeypatch.setattr(plan_change, "_read", meanwhile)
    with pytest.raises(RunError) as refused:
        plan_change.plan_change(run.id, [Wanted(key=first, text=ONE)], principal=alice)
    assert (refused.value.code, refused.value.status) == ("research.plan_changed_meanwhile", 409)
    assert _cells(alice, row(alice, run.id)) == [second]


def test_changes_of_a_plan_keep_its_texts_for_an_hour_at_most(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice, confirm_plan=True)
    first, second = _cells(alice, run)
    sealer = Sealer.of(run)
    sealer.prolong(60)
    with pytest.raises(RunError, match="has no part"):
        plan_change.plan_change(run.id, [Wanted(key="another")], principal=alice)
    assert _left(run) <= 60, "what is refused prolongs nothing"
    monkeypatch.setattr(plan_change, "PLAN_SECONDS", 0)
    plan_change.plan_change(run.id, [Wanted(key=first), Wanted(key=second)], principal=alice)
    assert _left(run) <= 60, "nor does what comes late"
    monkeypatch.setattr(plan_change, "PLAN_SECONDS", limits.PLAN_SECONDS)
    plan_change.plan_change(run.id, [Wanted(key=second)], principal=alice)
    assert _left(run) > 60, "the control"


def test_a_question_of_very_many_parts_is_planned_as_far_as_the_budget_reaches(house: Firm, alice: Principal) -> None:
    part = "how did the Alpha Fund and the Beta Fund explain drawdowns in case"
    text = "; ".join(f"{part} {number}" for number in range(30))
    run = request(alice, text, confirm_plan=True)
    with as_(alice):
        plan = shown(run.id).plan
    assert plan is not None
    assert len(plan.sub_questions) == limits.CELLS_MOST
    assert any("has 60 parts" in each for each in plan.notices)
    assert run.mode == "deep_search"


def test_words_about_a_name_that_was_taken_out_are_left_out_in_one_pass() -> None:
    assert planning._without_names("the drawdown of the, and for; in", ()) == "the drawdown"
    assert planning._without_names("fees of and costs? and", ()) == "fees of and costs"
    many = "of the " * 20_000
    assert planning._without_names(f"fees {many}", ()) == "fees"


def test_a_part_that_can_t_be_asked_is_a_gap_and_not_the_end(house: Firm, alice: Principal) -> None:
    run = request(alice, confirm_plan=True)
    sealer = Sealer.of(run)
    with as_(alice):
        content = sealer.open(RunContent, run)
    first, second = content.plan.sub_questions
    long = replace(first, text="drawdown " * 5_000, part="drawdown " * 5_000)
    plan = replace(content.plan, sub_questions=(long, second))
    _change(run, **columns_of(sealer.seal(run.id, replace(content, plan=plan))))
    with as_(alice):
        run_start(run.id)
    carry_out(run)
    ended = row(alice, run.id)
    assert (ended.state, ended.error_code) == (RunState.DONE, "")
    answer = result(alice, ended)
    assert "3.3" in str(answer)
    assert any("Not found" in each for each in answer.gaps)


# --- removal -------------------------------------------------------------------------------------------------------


def test_all_that_has_expired_is_removed_at_once(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "_AT_ONCE", 1)
    for _ in range(3):
        _change(request(alice, ONE, confirm_plan=True), expires_at=timezone.now() - timedelta(seconds=1))
    assert forget_tenant(house.id) == 3
