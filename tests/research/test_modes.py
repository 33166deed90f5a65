"""How far a question may be researched, by the compliance profile of the policy in force; and ways round it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from apps.audit.ids import new_id
from apps.audit.models import Event
from apps.intents.models import PolicyVersion
from apps.intents.profile.contracts import ProfileRule, RuleSort
from apps.intents.profile.values import VALUES
from apps.intents.selectors import policy_in_force
from apps.research.claims.check import check_text
from apps.research.errors import RunError
from apps.research.events import ENDED, PLAN_CHANGED, REJECTED
from apps.research.models import ResearchRun, RunMode, RunState
from apps.research.runs import acting, runner
from apps.research.runs.contracts import RunContent
from apps.research.runs.modes import choose_mode
from apps.research.runs.plan_change import Wanted, plan_change
from apps.research.runs.sealing import Sealer
from apps.research.runs.services import run_start
from apps.research.runs.showing import shown
from apps.retrieval.contracts import RefusalReason
from apps.retrieval.events import ANSWERED
from apps.retrieval.services.ask import ask, search
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_member, make_personal_key
from tests.intents.reviewing import submitted, wider
from tests.research.running import ONE, carry_out, kinds_of_steps, person, request, researched, row
from tests.research.test_bounds import _FITTING, _STEP, tried
from tests.research.test_runs import at_step
from tests.retrieval.asking import events
from tests.visitor import Visitor

ADDRESS = "/api/v1/research/runs/"


@pytest.fixture
def alice(house: Firm) -> Principal:
    return person(house, "alice")


def bound(*modes: str, key: str = "how_far", intents: tuple[str, ...] = ("performance",)) -> ProfileRule:
    return ProfileRule(
        key=key,
        sort=RuleSort.RESEARCH_MODES,
        name="How far we go",
        terms=modes,
        intents=intents,
        text="Ask the research desk.",
    )


def put_in_force(firm: Firm, *rules: ProfileRule, number: int = 0) -> PolicyVersion:
    author = make_member(firm, f"olivia{number}", Role.COMPLIANCE_OFFICER)
    reviewer = make_member(firm, f"rupert{number}", Role.REVIEWER)
    version = submitted(author, lambda policy: replace(wider(policy), profile=rules))
    with as_(reviewer):
        return version_approve(version.id)


def core_of(event: Event) -> dict[str, Any]:
    found: dict[str, Any] = event.__dict__["payload"]["core"]
    return found


def test_the_profile_calls_the_modes_as_the_room_does() -> None:
    named = {key: value.label for key, value in VALUES[RuleSort.RESEARCH_MODES].items()}
    assert named == dict(RunMode.choices)


def test_a_mode_that_is_not_permitted_is_refused_and_the_refusal_is_on_the_log(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct", "standard"))
    with pytest.raises(RunError) as refused:
        request(alice, mode=RunMode.DEEP_SEARCH)
    assert refused.value.code == "research.mode_not_permitted"
    told = str(refused.value)
    assert "bound of research modes “How far we go”" in told
    assert "not researched in the mode Deep search. Permitted: Direct, Standard. Ask the research desk." in told
    (event,) = events(house, REJECTED)
    assert core_of(event)["code"] == "research.mode_not_permitted"
    assert core_of(event)["research_mode"] == "deep_search"
    assert event.outcome == "refused"
    with as_(alice):
        assert not ResearchRun.objects.exists()
    assert researched(alice, mode=RunMode.STANDARD).state == RunState.DONE, "the control"


def test_a_bound_of_another_intent_does_not_bind(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct", intents=("compliance",)))
    assert request(alice, mode=RunMode.DEEP_SEARCH).mode == "deep_search"


def test_of_several_bounds_only_what_all_of_them_permit_is_permitted(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct", "standard"), bound("standard", "detailed", key="further", intents=()))
    with pytest.raises(RunError, match=r"Permitted: Standard\."):
        request(alice, mode=RunMode.DIRECT)
    assert request(alice).mode == "standard"


def test_where_nothing_is_permitted_nothing_is_begun(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct"), bound("detailed", key="further"))
    with pytest.raises(RunError, match="Permitted: none"):
        request(alice)


@pytest.mark.parametrize(
    ("permitted", "mode"),
    [(["direct"], "direct"), (["detailed", "deep_search"], "detailed"), (["direct", "deep_search"], "direct")],
)
def test_without_a_mode_the_nearest_one_that_is_permitted_is_chosen_and_the_plan_says_so(
    house: Firm, alice: Principal, permitted: list[str], mode: str
) -> None:
    put_in_force(house, bound(*permitted))
    found = request(alice, confirm_plan=True)
    assert found.mode == mode
    with as_(alice):
        plan = shown(found.id).plan
    assert plan is not None
    assert any("The mode Standard would fit the question." in each for each in plan.notices)
    assert plan.suggested_mode == "standard"


def test_the_nearest_mode_goes_rather_less_far() -> None:
    assert choose_mode(RunMode.DETAILED, [RunMode.DIRECT, RunMode.STANDARD, RunMode.DEEP_SEARCH]) is RunMode.STANDARD
    assert choose_mode(RunMode.DIRECT, [RunMode.DEEP_SEARCH, RunMode.DETAILED]) is RunMode.DETAILED
    assert choose_mode(RunMode.DETAILED, list(RunMode)) is RunMode.DETAILED
    assert choose_mode(RunMode.DETAILED, []) is RunMode.DETAILED


def test_a_policy_that_forbids_the_mode_stops_the_run_midway_and_it_says_so(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)
    at_step(monkeypatch, 2, lambda: put_in_force(house, bound("direct")))
    carry_out(run)
    ended = row(alice, run.id)
    assert (ended.state, ended.stopped_by) == (RunState.STOPPED, "mode_not_permitted")
    assert kinds_of_steps(alice, run.id) == ["analysis", "search", "ended"]
    assert core_of(events(house, ENDED)[-1])["stopped_by"] == "mode_not_permitted"
    page = Visitor("alice").get(f"/admin/research/{run.id}/").content.decode()
    assert "does not permit its mode" in page


def test_a_policy_that_comes_while_a_step_is_asked_lets_nothing_of_it_be_recorded(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the step's own look at the policy came before: the question is refused, and nothing is searched."""
    run = request(alice)
    put_in_force(house, bound("direct"))
    monkeypatch.setattr(acting, "require_mode_still", lambda run: None)
    carry_out(run)
    assert row(alice, run.id).stopped_by == "mode_not_permitted"
    assert kinds_of_steps(alice, run.id) == ["analysis", "ended"]
    assert not events(house, ANSWERED)


def test_the_pipeline_refuses_a_step_in_a_mode_that_is_not_permitted(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = request(alice)
    put_in_force(house, bound("direct"))
    for module in (acting, runner):
        monkeypatch.setattr(module, "require_mode_still", lambda run: None)
    carry_out(run)
    # What is left holds by itself: the question is refused, and the database takes no step.
    assert row(alice, run.id).state == RunState.FAILED
    assert kinds_of_steps(alice, run.id) == ["analysis", "ended"]


def test_a_plan_is_not_started_under_a_policy_that_forbids_its_mode(house: Firm, alice: Principal) -> None:
    found = request(alice, confirm_plan=True)
    put_in_force(house, bound("direct"))
    with as_(alice), pytest.raises(RunError, match="not researched in the mode Standard"):
        run_start(found.id)
    assert row(alice, found.id).state == RunState.PLANNED
    (event,) = events(house, REJECTED)
    assert (core_of(event)["code"], event.subject_id) == ("research.mode_not_permitted", found.id)


def test_a_reworded_plan_is_held_to_the_policy_of_its_moment(house: Firm, alice: Principal) -> None:
    found = request(alice, confirm_plan=True)
    with as_(alice):
        key = Sealer.of(found).open(RunContent, found).plan.sub_questions[0].key
    put_in_force(house, bound("direct"))
    with pytest.raises(RunError, match="not researched in the mode Standard"):
        plan_change(found.id, [Wanted(key=key, text=ONE)], principal=alice)
    assert core_of(events(house, PLAN_CHANGED)[-1])["code"] == "research.mode_not_permitted"


# --- by raw SQL, even with the platform's token ---------------------------------------------------------------------


def test_no_step_is_written_by_a_version_that_does_not_permit_the_mode(house: Firm, alice: Principal) -> None:
    found = request(alice)
    with open_scope(tenant=house.id, reason="a test"):
        ResearchRun.objects.filter(id=found.id).update(state="running", lease_owner="a test")
    put_in_force(house, bound("direct"))
    with open_scope(tenant=house.id, reason="a test"):
        later = policy_in_force().version_id
        attack = _STEP.format(**{**_FITTING, "policy": f"'{later}'::uuid"})
        assert "mode that the policy permits" in tried(attack, new_id(), found.id)
        ended = _STEP.format(**{**_FITTING, "policy": f"'{later}'::uuid", "kind": "'ended'"})
        assert tried(ended, new_id(), found.id) == "1", "the control"


def test_no_run_is_written_in_a_mode_that_its_version_does_not_permit(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct", "standard"))
    found = request(alice)
    copied = """
        INSERT INTO research_researchrun SELECT (jsonb_populate_record(r, jsonb_build_object('id', uuidv7(),
            'state', 'queued', 'lease_owner', '', 'steps', 0, 'spent_ms', 0, 'mode', %s::text))).*
          FROM research_researchrun r
         WHERE id = %s
    """
    with open_scope(tenant=house.id, reason="a test"):
        assert "mode that the policy permits" in tried(copied, "deep_search", found.id)
        assert tried(copied, "direct", found.id) == "1", "the control"


# --- what is asked outside of research -------------------------------------------------------------------------------


def test_what_is_asked_outside_of_research_is_asked_in_the_mode_direct(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("standard", "detailed"))
    refusal = ask(text=ONE, principal=alice).result.answer.refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.PROFILE_REFUSED
    assert "alone: Standard, Detailed. This one was asked in the mode Direct." in refusal.message
    assert core_of(events(house, ANSWERED)[-1])["profile_rules"] == {"question": ["how_far:refused"]}
    assert not search(text=ONE, principal=alice).result.found.candidates
    run = researched(alice, ONE)
    assert (run.mode, run.state) == ("standard", RunState.DONE), "the control: it is answered by research"
    assert core_of(events(house, ANSWERED)[-1])["research_mode"] == "standard"


def test_what_permits_direct_lets_it_be_asked(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct"))
    assert ask(text=ONE, principal=alice).result.answer.refusal is None
    assert "research_mode" not in core_of(events(house, ANSWERED)[-1])


def test_every_door_refuses_what_is_not_asked_in_a_permitted_mode(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("standard"))
    api = Api(make_personal_key(house, "alice", role=Role.COMPLIANCE_OFFICER)[1])
    told = api.post("/api/v1/query/", {"question": ONE}).json()
    assert told["refusal"]["reason"] == "profile_refused"
    by_openai = api.post("/v1/chat/completions", {"model": "glassbox", "messages": [{"role": "user", "content": ONE}]})
    assert "12.5" not in by_openai.content.decode()
    assert "modes of research alone" in by_openai.content.decode()
    response = api.post(ADDRESS, {"question": ONE, "mode": "direct"})
    assert (response.status_code, response.json()["code"]) == (400, "research.mode_not_permitted")
    assert list(response.json()["errors"]) == ["mode"]
    assert api.post(ADDRESS, {"question": ONE, "mode": "standard"}).status_code == 202, "the control"


def test_a_text_is_not_checked_for_an_intent_that_may_not_be_asked_directly(house: Firm, alice: Principal) -> None:
    claim = "The maximum drawdown of the Alpha Fund in the fourth quarter of 2024 recovered within five weeks."
    before = check_text(text=claim, scopes=(), principal=alice)
    assert any(each.passages for each in before.findings), "the control"
    put_in_force(house, bound("standard"))
    after = check_text(text=claim, scopes=(), principal=alice)
    assert not any(each.passages or each.operands for each in after.findings)


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_offers_what_is_permitted_and_says_for_whom_it_is_not(house: Firm, alice: Principal) -> None:
    put_in_force(house, bound("direct", "standard"), bound("direct", "standard", "detailed", key="all", intents=()))
    page = Visitor("alice").get("/admin/research/").content.decode()
    assert 'name="mode" value="standard"' in page
    assert 'name="mode" value="deep_search"' not in page
    assert "The policy permits no question in: Deep search." in page
    assert "The policy does not permit it for: Performance" in page
    sent = Visitor("alice").send("research", question=ONE, mode="detailed", scopes=["fund:alpha"])
    assert sent.status == 422
    assert "not researched in the mode Detailed" in sent.tree.get_element_by_id("mode-error").text_content()
