"""A run from the question to its answer, and what narrows or stops it on the way."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.cache import cache
from django.utils import timezone

from apps.corpus.models import Document
from apps.intents.contracts import RecordingMode
from apps.intents.selectors import policy_in_force
from apps.research.errors import RunError
from apps.research.events import ENDED, REJECTED, REQUESTED, STEP_RECORDED
from apps.research.models import ResearchRun, RunMode, RunState
from apps.research.runs import runner
from apps.research.runs.answer import figures_of, write_answer
from apps.research.runs.contracts import RunContent
from apps.research.runs.forgetting import forget_tenant
from apps.research.runs.reading import recorded
from apps.research.runs.runner import RunOutcome
from apps.research.runs.sealing import Sealer
from apps.research.runs.services import run_cancel, run_start
from apps.retrieval.contracts import GivenFilters
from apps.retrieval.events import ANSWERED
from apps.tenants.context import open_scope
from apps.tenants.models import Grant, Membership, Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.people import user_by_name
from tests.factories import Firm, as_, make_key, make_personal_key
from tests.research.running import (
    ONE,
    carry_out,
    kinds_of_steps,
    person,
    request,
    researched,
    result,
    row,
    steps,
)
from tests.retrieval.asking import events, keep_history

Narrow = Callable[[], None]


@pytest.fixture
def alice(house: Firm) -> Principal:
    return person(house, "alice")


def at_step(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> None:
    """Do something right before the run's nth step, as somebody else might."""
    taken = 0
    step = runner._Run._step

    def counted(self: Any) -> bool:
        nonlocal taken
        taken += 1
        if taken == number:
            act()
        return step(self)

    monkeypatch.setattr(runner._Run, "_step", counted)


def test_a_question_of_two_companies_is_asked_of_each_and_answered_side_by_side(house: Firm, alice: Principal) -> None:
    run = researched(alice)
    told = result(alice, run)
    assert (run.state, run.stopped_by, run.rounds) == (RunState.DONE, "confidence", 1)
    assert kinds_of_steps(alice, run.id) == ["analysis", "search", "search", "score", "result", "ended"]
    assert [each.title for each in told.sections] == ["Alpha Fund", "Beta Fund"]
    assert told.table is not None
    assert [cell.text for line in told.table.rows for cell in line.cells] == ["12.5 %", "3.3 %"]
    assert all(sentence.marks for section in told.sections for sentence in section.sentences)
    assert {mark for line in told.table.rows for cell in line.cells for mark in cell.marks} == {"D1", "D2"}
    assert told.gaps == ()


def test_every_step_is_an_event_of_ids_and_counts(house: Firm, alice: Principal) -> None:
    run = researched(alice)
    recorded_steps = events(house, STEP_RECORDED)
    assert [each.payload["core"]["ordinal"] for each in recorded_steps] == [1, 2, 3, 4, 5, 6]
    assert len(events(house, REQUESTED)) == len(events(house, ENDED)) == 1
    asked = {str(each.id) for each in events(house, ANSWERED)}
    assert {str(each.event_id) for each in steps(alice, run.id) if each.kind == "search"} == asked
    assert "drawdown" not in str([each.payload for each in recorded_steps])


def test_the_same_question_twice_gives_the_same_rounds(house: Firm, alice: Principal) -> None:
    first, second = researched(alice), researched(alice)
    assert result(alice, first) == result(alice, second)
    assert kinds_of_steps(alice, first.id) == kinds_of_steps(alice, second.id)


def test_what_is_missing_is_searched_for_again_in_other_words_and_named(house: Firm, alice: Principal) -> None:
    run = researched(
        alice, "What was the Sharpe ratio of the Alpha Fund and the Beta Fund in the fourth quarter of 2024?"
    )
    told = result(alice, run)
    assert run.state == RunState.DONE
    assert run.stopped_by in ("rounds", "no_new_phrase")
    assert run.rounds > 1
    assert len(told.gaps) == 2
    texts = list(_texts(alice, run))
    assert len(texts) == len(set(texts)), "no wording is asked twice"


def test_a_later_answer_keeps_every_figure_of_the_one_before(house: Firm, alice: Principal) -> None:
    run = researched(
        alice,
        "What was the maximum drawdown and the Sharpe ratio of the Alpha Fund and the Beta Fund in Q4 2024?",
    )
    with open_scope(tenant=house.id, principal=alice):
        sealer = Sealer.of(run)
        plan = sealer.open(RunContent, run).plan
        found = recorded(run, sealer, run.permitted_kinds).found
    drafts = [figures_of(write_answer(plan, found[:many], stopped_by="")) for many in range(len(found) + 1)]
    assert all(before <= after for before, after in itertools.pairwise(drafts))
    assert drafts[-1]


def test_one_plain_question_is_asked_as_it_is(house: Firm, alice: Principal) -> None:
    run = researched(alice, ONE)
    assert run.mode == RunMode.DIRECT
    assert list(_texts(alice, run)) == [ONE]


def _texts(who: Principal, run: ResearchRun) -> list[str]:
    with open_scope(tenant=who.tenant_id, principal=who):
        return [each.text for each in recorded(run, Sealer.of(run), run.permitted_kinds).found]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What is the capital of Australia?", "research.off_topic"),
        ("What?", "research.refused"),
    ],
)
def test_what_can_t_be_researched_is_rejected_with_what_could_be_asked(
    house: Firm, alice: Principal, text: str, code: str
) -> None:
    with pytest.raises(RunError) as refused:
        request(alice, text)
    assert refused.value.code == code
    assert [each.payload["core"]["code"] for each in events(house, REJECTED)] == [code]
    with open_scope(tenant=house.id, reason="a test"):
        assert not ResearchRun.objects.exists()


def test_the_plan_names_what_the_policy_withholds_and_plans_nothing_there(house: Firm, alice: Principal) -> None:
    run = request(alice)
    with as_(alice):
        plan = Sealer.of(run).open(RunContent, run).plan
    assert "compliance_profile" in plan.withheld
    assert not set(run.permitted_kinds) & set(run.withheld)
    assert any("withholds" in each for each in plan.steps)


def test_a_plan_waits_until_it_is_started(house: Firm, alice: Principal) -> None:
    run = request(alice, confirm_plan=True)
    assert (run.state, carry_out(run)) == (RunState.PLANNED, RunOutcome.NOT_CLAIMED)
    with as_(alice):
        assert run_start(run.id).state == RunState.QUEUED
    assert carry_out(run) is RunOutcome.ENDED
    with as_(alice), pytest.raises(RunError, match="started already"):
        run_start(run.id)


def test_a_cancelled_run_records_nothing_but_its_end(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)

    def cancel() -> None:
        with as_(alice):
            run_cancel(run.id)

    at_step(monkeypatch, 2, cancel)
    carry_out(run)
    assert row(alice, run.id).state == RunState.CANCELLED
    assert kinds_of_steps(alice, run.id) == ["analysis", "search", "ended"]


def test_a_cancellation_while_a_question_is_asked_keeps_its_step_out(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)
    asking = runner.ask_within

    def asked(**given: Any) -> Any:
        keep = given["on_answered"]

        def cancelled_meanwhile(found: Any) -> None:
            keep(found)

        with as_(alice):
            run_cancel(run.id)
        return asking(**{**given, "on_answered": cancelled_meanwhile})

    monkeypatch.setattr(runner, "ask_within", asked)
    carry_out(run)
    assert kinds_of_steps(alice, run.id) == ["analysis", "ended"]
    assert not events(house, ANSWERED), "the answer is undone with its step"


def test_a_run_that_waits_is_cancelled_at_once(house: Firm, alice: Principal) -> None:
    run = request(alice)
    with as_(alice):
        assert run_cancel(run.id).state == RunState.CANCELLED
        with pytest.raises(RunError, match="has ended"):
            run_cancel(run.id)
    assert carry_out(run) is RunOutcome.NOT_CLAIMED


def test_a_grant_that_ends_midway_narrows_the_run_and_it_says_so(house: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    _grant_both(house)
    bob = person(house, "bob")
    run = request(bob)
    at_step(monkeypatch, 3, lambda: _end_grant(house, "bob", "fund:beta"))
    carry_out(run)
    told = result(person(house, "bob"), row(bob, run.id))
    assert row(bob, run.id).state == RunState.DONE
    assert "scopes" in steps(bob, run.id)[-2].narrowed
    assert "3.3" not in str(told), "what lay in the lost scope is not in the answer"
    assert "12.5" in str(told)
    assert any("Beta Fund" in each for each in told.gaps)


def _grant_both(house: Firm) -> None:
    from tests.factories import make_member

    make_member(house, "bob", Role.ANALYST, scopes=["fund:beta"])


def _end_grant(house: Firm, name: str, scope: str) -> None:
    with open_scope(tenant=house.id, reason="a test"):
        members = Membership.objects.filter(user_id=user_by_name(name).id).values("id")
        Grant.objects.filter(membership_id__in=members, scope_id=house.scopes[scope].id).update(valid_to=timezone.now())


def _suspend(house: Firm) -> None:
    with open_scope(tenant=house.id, reason="a test"):
        Tenant.objects.filter(id=house.id).update(status=TenantStatus.SUSPENDED)


def _close(house: Firm) -> None:
    with open_scope(tenant=house.id, reason="a test"):
        Membership.objects.filter(user_id=user_by_name("alice").id).update(revoked_at=timezone.now())


@pytest.mark.parametrize(
    ("act", "reason"), [(_suspend, "tenant_suspended"), (_close, "access_ended")], ids=["suspended", "closed"]
)
def test_who_lost_access_stops_the_run_and_it_says_why(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch, act: Callable[[Firm], None], reason: str
) -> None:
    run = request(alice)
    at_step(monkeypatch, 2, lambda: act(house))
    carry_out(run)
    ended = row(alice, run.id)
    assert (ended.state, ended.stopped_by) == (RunState.STOPPED, reason)
    assert kinds_of_steps(alice, run.id) == ["analysis", "search", "ended"]


def test_a_document_that_goes_midway_is_not_in_the_answer(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)
    at_step(monkeypatch, 3, lambda: _restrict(house, "alpha.md"))
    carry_out(run)
    told = result(alice, row(alice, run.id))
    assert "12.5" not in str(told)
    assert "3.3" in str(told)


def test_a_document_that_is_restricted_later_takes_the_answer_away(house: Firm, alice: Principal) -> None:
    run = researched(alice)
    assert "12.5" in str(result(alice, run))
    _restrict(house, "alpha.md")
    from apps.research.runs.showing import shown

    with as_(alice):
        found = shown(run.id)
    assert found.result is None
    assert "12.5" not in str(found)


def _restrict(house: Firm, filename: str) -> UUID:
    from apps.erasure.models import Because, Restriction

    with open_scope(tenant=house.id, reason="a test"):
        document = Document.objects.get(filename=filename)
        Restriction.objects.create(
            tenant_id=house.id,
            scope_id=document.scope_id,
            document_id=document.id,
            because=Because.REQUEST,
            because_id=document.id,
        )
    return document.id


def test_a_policy_that_changes_midway_narrows_or_stops_the_run(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)
    at_step(monkeypatch, 3, lambda: keep_history(house, 10))
    carry_out(run)
    ended = row(alice, run.id)
    assert ended.state == RunState.DONE
    assert "policy" in steps(alice, run.id)[-2].narrowed
    versions = [each.policy_version for each in steps(alice, run.id) if each.kind != "ended"]
    assert versions == sorted(versions)
    assert versions[0] < versions[-1]


def test_a_policy_that_keeps_no_texts_any_more_stops_a_run_whose_texts_are_kept(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_history(house, 10, mode=RecordingMode.ENCRYPTED_TEXT)
    run = request(alice)
    assert run.data_key_id is not None

    def keep_none() -> None:
        with open_scope(tenant=house.id, reason="a test"):
            policy = policy_in_force()
        later = replace(policy, retrieval=replace(policy.retrieval, history_days=0))
        monkeypatch.setattr("apps.research.runs.acting.policy_in_force", lambda: later)

    at_step(monkeypatch, 2, keep_none)
    carry_out(run)
    assert row(alice, run.id).stopped_by == "recording_changed"


@pytest.mark.parametrize(("history", "days"), [(0, None), (7, 7), (90, 30)])
def test_texts_are_kept_no_longer_than_the_policy_s_history(
    house: Firm, alice: Principal, history: int, days: int | None
) -> None:
    keep_history(house, history, mode=RecordingMode.ENCRYPTED_TEXT)
    run = request(alice)
    assert (run.data_key_id is not None) is (days is not None)
    left = run.expires_at - timezone.now()
    assert left <= (timedelta(days=days) if days else timedelta(hours=24))
    assert left > (timedelta(days=days - 1) if days else timedelta(hours=23))
    carry_out(run)
    assert row(alice, run.id).state == RunState.DONE
    assert all((each.data_key_id is not None) is (days is not None) for each in steps(alice, run.id) if each.sealed)


def test_texts_that_are_not_kept_are_gone_with_their_key(house: Firm, alice: Principal) -> None:
    run = researched(alice)
    assert run.data_key_id is None
    cache.delete(f"research:{house.id}:{run.id}")
    from apps.research.runs.showing import shown

    with as_(alice):
        found = shown(run.id)
    assert (found.content, found.result) == (None, None)
    assert "12.5" not in str(found)


def test_a_run_whose_texts_are_gone_ends_cleanly(house: Firm, alice: Principal) -> None:
    run = request(alice)
    cache.delete(f"research:{house.id}:{run.id}")
    carry_out(run)
    ended = row(alice, run.id)
    assert (ended.state, ended.error_code) == (RunState.FAILED, "research.texts_gone")


def test_a_key_of_the_tenant_researches_nothing_and_a_key_of_a_person_does(house: Firm) -> None:
    key, _ = make_key(house)
    with pytest.raises(RunError, match="belongs to a person"):
        request(key)
    own, _ = make_personal_key(house, "bob", role=Role.ANALYST, scopes=["fund:alpha"])
    assert researched(own, ONE).state == RunState.DONE


def test_the_filters_of_a_question_hold_for_every_step(house: Firm, alice: Principal) -> None:
    run = researched(alice, given=GivenFilters(companies=("Alpha Fund",)))
    told = result(alice, run)
    assert "12.5" in str(told)
    assert "3.3" not in str(told)


def test_runs_at_once_have_a_limit(house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.research.runs.quotas.RUNS_AT_ONCE", 1)
    request(alice)
    with pytest.raises(RunError, match="wait or run already") as refused:
        request(alice)
    assert refused.value.status == 429


def test_a_run_is_removed_when_its_time_has_come(house: Firm, alice: Principal) -> None:
    run = researched(alice, ONE)
    assert forget_tenant(house.id) == 0
    with open_scope(tenant=house.id, reason="a test"):
        assert run.expires_at > timezone.now()
    import time_machine

    with time_machine.travel(run.expires_at + timedelta(seconds=1)):
        assert forget_tenant(house.id) == 1
    assert steps(alice, run.id) == []
