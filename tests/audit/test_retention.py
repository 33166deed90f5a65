"""Retention schedules: the shipped baseline, their life, and what is due by them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.registry import event_classes
from apps.audit.services import record
from apps.corpus.kinds import RetentionClass
from apps.erasure.contracts import Target, TargetType
from apps.erasure.log_removal import ERASED
from apps.erasure.models import Reach, RetentionCount, RetentionRule, RetentionSchedule, ScheduleStatus
from apps.erasure.retention.baseline import baseline_install
from apps.erasure.retention.content import Rule, asked, baseline_rules, content_sha256, problems
from apps.erasure.retention.counting import count_all
from apps.erasure.retention.due import due, totals
from apps.erasure.retention.errors import RetentionInvalidError, ScheduleChangedError
from apps.erasure.retention.selectors import latest_count, rules_of, schedule_in_force, schedule_on
from apps.erasure.retention.services import draft_save, draft_start, schedule_approve, schedule_reject
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.forging import recorded_at
from tests.audit.retaining import ASKED, REASON, approved, asked_at, drafted, submitted, with_rule
from tests.deciding import draft_discard, draft_submit, schedule_take_back
from tests.factories import Firm, as_, make_key, make_member
from tests.raising import raises_code

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 22)
YEARS_AGO = datetime(2017, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


def rules_in_force(firm: Firm) -> tuple[Rule, ...]:
    with open_scope(tenant=firm.id, reason="a test"):
        schedule = schedule_in_force()
        assert schedule is not None
        return rules_of(schedule)


def steps_of(schedule: RetentionSchedule) -> list[str]:
    events = Event.objects.filter(subject_id=schedule.id).order_by("occurred_at", "id")
    return [action.rpartition(".")[2] for action in events.values_list("action", flat=True)]


# --- The baseline -----------------------------------------------------------------------------------------------------


def test_a_new_tenant_has_the_baseline_in_force_with_a_rule_for_everything(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        schedule = schedule_in_force()
        assert schedule is not None
        assert (schedule.number, schedule.origin, schedule.author_id, schedule.approver_id) == (
            1,
            "baseline",
            None,
            None,
        )
        assert steps_of(schedule) == ["activated"]
        rules = {rule.subject: rule for rule in rules_of(schedule)}
    wanted = {f"event:{each.action}" for each in event_classes()} | {
        f"document:{each.value}" for each in RetentionClass
    }
    assert rules.keys() == wanted
    assert all(rule.remove_months is None for rule in rules.values())
    assert rules[ASKED].keep_months == 84
    assert rules["document:run"].clock_start == "superseded_at"
    assert problems(list(rules.values())) == ()


def test_installing_it_again_changes_nothing(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        assert baseline_install().number == 1
        assert RetentionSchedule.objects.count() == 1
        assert RetentionRule.objects.count() == len(baseline_rules())


# --- The life of a schedule -------------------------------------------------------------------------------------------


def test_a_schedule_is_drafted_by_one_and_put_in_force_by_another(
    acme: Firm, dora: Principal, rupert: Principal
) -> None:
    schedule = approved(dora, rupert, keep_months=120, remove_months=132)
    with open_scope(tenant=acme.id, reason="a test"):
        now = schedule_in_force()
        assert now is not None
        assert now.id == schedule.id
        assert (now.author_label, now.approver_label) == ("dora", "rupert")
        before = RetentionSchedule.objects.get(number=1)
        assert (before.status, before.valid_to) == (ScheduleStatus.SUPERSEDED, now.valid_from)
        assert steps_of(schedule) == ["drafted", "draft_changed", "submitted", "activated"]
        rule = next(rule for rule in rules_of(now) if rule.subject == ASKED)
    assert (rule.keep_months, rule.remove_months) == (120, 132)


def test_events_of_the_life_name_no_person(acme: Firm, dora: Principal, rupert: Principal) -> None:
    approved(dora, rupert, keep_months=120)
    with open_scope(tenant=acme.id, reason="a test"):
        for event in Event.objects.filter(action__startswith="audit.retention."):
            said = str(event.payload["core"])
            assert "dora" not in said
            assert "rupert" not in said
            assert REASON not in said


def test_the_author_does_not_decide(acme: Firm, dora: Principal) -> None:
    schedule = submitted(dora, keep_months=120)
    for step in (schedule_approve, schedule_reject):
        with as_(dora), raises_code("audit.retention_own"):
            step(schedule.id, revision=schedule.revision, against=1, reason="Mine.")


def test_another_data_protection_officer_may_approve(acme: Firm, dora: Principal) -> None:
    other = make_member(acme, "dina", Role.DPO)
    assert approved(dora, other, keep_months=120).status == ScheduleStatus.IN_FORCE


@pytest.mark.parametrize("role", [Role.ANALYST, Role.COMPLIANCE_OFFICER, Role.TENANT_ADMIN, Role.AUDITOR])
def test_other_roles_neither_draft_nor_decide(acme: Firm, dora: Principal, role: Role) -> None:
    schedule = submitted(dora, keep_months=120)
    somebody = make_member(acme, "somebody", role)
    with as_(somebody), pytest.raises(PermissionDeniedError):
        draft_start(reason=REASON)
    with as_(somebody), pytest.raises(PermissionDeniedError):
        schedule_approve(schedule.id, revision=schedule.revision, against=1)


def test_a_reviewer_does_not_draft_and_a_key_does_nothing(acme: Firm, rupert: Principal) -> None:
    with as_(rupert), pytest.raises(PermissionDeniedError):
        draft_start(reason=REASON)
    with as_(make_key(acme, Role.DPO)[0]), raises_code("audit.retention_person_needed"):
        draft_start(reason=REASON)


def test_only_its_author_changes_a_draft(acme: Firm, dora: Principal) -> None:
    draft = drafted(dora, keep_months=120)
    other = make_member(acme, "dina", Role.DPO)
    with as_(other), raises_code("audit.retention_not_the_author"):
        draft_submit(draft.id)
    with as_(other), raises_code("audit.retention_not_the_author"):
        draft_discard(draft.id)


def test_what_was_changed_in_another_window_is_not_overwritten(dora: Principal) -> None:
    draft = drafted(dora, keep_months=120)
    with as_(dora), pytest.raises(ScheduleChangedError):
        draft_save(draft.id, rules=rules_of(draft), reason=REASON, revision=draft.revision - 1)


def test_nobody_approves_what_they_have_not_read(acme: Firm, dora: Principal, rupert: Principal) -> None:
    schedule = submitted(dora, keep_months=120)
    with as_(dora):
        schedule_take_back(schedule.id)
        draft_save(
            schedule.id,
            rules=with_rule(rules_of(schedule), ASKED, keep_months=96),
            reason=REASON,
            revision=schedule.revision,
        )
        again = draft_submit(schedule.id)
    with as_(rupert), pytest.raises(ScheduleChangedError):
        schedule_approve(schedule.id, revision=schedule.revision, against=1)
    with as_(rupert), pytest.raises(ScheduleChangedError):
        schedule_approve(schedule.id, revision=again.revision, against=7)
    with as_(rupert):
        assert schedule_approve(schedule.id, revision=again.revision, against=1).status == ScheduleStatus.IN_FORCE


def test_a_rejected_schedule_never_takes_effect(acme: Firm, dora: Principal, rupert: Principal) -> None:
    schedule = submitted(dora, keep_months=120)
    with as_(rupert):
        with raises_code("audit.retention_reason_needed"):
            schedule_reject(schedule.id, revision=schedule.revision, against=1, reason=" ")
        schedule_reject(schedule.id, revision=schedule.revision, against=1, reason="Too long.")
        with raises_code("audit.retention_state"):
            schedule_approve(schedule.id, revision=schedule.revision, against=1)
    assert rules_in_force(acme) == rules_of_baseline(acme)


def rules_of_baseline(firm: Firm) -> tuple[Rule, ...]:
    with open_scope(tenant=firm.id, reason="a test"):
        return rules_of(RetentionSchedule.objects.get(number=1))


def test_a_discarded_draft_is_gone_and_its_events_stay(acme: Firm, dora: Principal) -> None:
    draft = drafted(dora, keep_months=120)
    with as_(dora):
        draft_discard(draft.id)
        assert not RetentionSchedule.objects.filter(id=draft.id).exists()
        assert steps_of(draft) == ["drafted", "draft_changed", "draft_discarded"]


def test_a_copy_of_what_is_in_force_can_not_be_handed_in(dora: Principal) -> None:
    with as_(dora):
        draft = draft_start(reason=REASON)
        with raises_code("audit.retention_same"):
            draft_submit(draft.id)


def test_what_was_registered_since_comes_into_a_draft(acme: Firm, dora: Principal) -> None:
    """As after a release with a new event class."""
    rules = [rule for rule in rules_in_force(acme) if rule.subject != ASKED]
    draft = drafted(dora, keep_months=120)
    with as_(dora):
        draft_save(draft.id, rules=rules, reason=REASON, revision=draft.revision)
        draft_submit(draft.id)
    rupert = make_member(acme, "rupert", Role.REVIEWER)
    with as_(rupert):
        schedule_approve(draft.id, revision=draft.revision + 2, against=1)
    with as_(dora):
        found = {rule.subject: rule for rule in rules_of(draft_start(reason=REASON))}
    assert found[ASKED].keep_months == 84


# --- What a rule may say ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"keep_months": 83}, "keep_months", "must be kept for at least 7 years: enter 84 or more"),
        ({"keep_months": 1201}, "keep_months", "at most 1200"),
        ({"remove_months": 83}, "remove_months", "enter 84 or more, or leave it empty"),
        ({"remove_months": 1201}, "remove_months", "at most 1200"),
        ({"legal_basis": " "}, "legal_basis", "Name the ground"),
        ({"clock_start": "published_on"}, "clock_start", "Choose what the period is counted from"),
        ({"includes_current": True}, "includes_current", "has no versions"),
        ({"subject": "event:nothing.of.this"}, "keep_months", "Remove the rule"),
        ({"group": "smell"}, "group", "no such part"),
    ],
)
def test_each_mistake_in_a_rule_is_told_beside_its_field(values: dict[str, object], field: str, words: str) -> None:
    rule = replace(next(rule for rule in baseline_rules() if rule.subject == ASKED), **values)  # type: ignore[arg-type]
    (problem,) = problems([rule])
    assert (problem.key, problem.field) == (rule.key, field)
    assert words in problem.text


def test_nothing_below_what_must_be_kept_is_saved_or_handed_in(dora: Principal) -> None:
    with pytest.raises(RetentionInvalidError, match="at least 7 years"):
        drafted(dora, group="question", keep_months=6)
    draft = drafted(dora, group="question", keep_months=90)
    with as_(dora):
        # As after a release in which more must be kept.
        RetentionRule.objects.filter(schedule_id=draft.id, group="question").update(keep_months=6)
        with pytest.raises(RetentionInvalidError, match="at least 7 years"):
            draft_submit(draft.id)


@pytest.mark.slow
def test_a_rule_that_got_below_it_all_the_same_removes_nothing_earlier(acme: Firm) -> None:
    """However it got there: what is due goes by the longer of the two."""
    asked_at(acme, datetime(2024, 1, 1, tzinfo=UTC))
    rules = with_rule(rules_in_force(acme), ASKED, keep_months=1, remove_months=2)
    with open_scope(tenant=acme.id, reason="a test"):
        assert totals(rules, on=TODAY).must_remove == 0
        assert totals(rules, on=date(2031, 1, 2)).must_remove > 0
    (only,) = asked(rules, on=TODAY, reach=Reach.MUST)
    assert only.months == 84


def test_the_digest_goes_by_what_is_said_and_not_by_its_order(acme: Firm) -> None:
    rules = rules_in_force(acme)
    assert content_sha256(rules) == content_sha256(rules[::-1])
    assert content_sha256(rules) != content_sha256(with_rule(rules, ASKED, keep_months=85))


# --- What is due ------------------------------------------------------------------------------------------------------


def targets(firm: Firm, rules: object, reach: Reach = Reach.MAY, on: date = TODAY, batch: int = 500) -> list[Target]:
    with open_scope(tenant=firm.id, reason="a test"):
        wanted = asked(rules, on=on, reach=reach)  # type: ignore[arg-type]
        return [target for found in due(wanted, batch=batch) for target in found.item.targets]


@pytest.mark.slow
def test_the_parts_of_an_old_event_are_due_and_those_of_a_young_one_are_not(acme: Firm) -> None:
    old = asked_at(acme, YEARS_AGO)
    asked_at(acme, datetime(2019, 11, 22, 0, 1, tzinfo=UTC))
    found = targets(acme, rules_in_force(acme))
    assert found == [
        Target(type=TargetType.EVENT_GROUP, id=old.id, part=part) for part in ("actor", "core", "question")
    ]
    with open_scope(tenant=acme.id, reason="a test"):
        counted = totals(rules_in_force(acme), on=TODAY)
    assert (counted.may_remove, counted.must_remove) == (3, 0)
    assert len(targets(acme, rules_in_force(acme), on=date(2026, 11, 23))) == 6


def test_a_part_with_a_rule_of_its_own_goes_by_that(acme: Firm) -> None:
    old = asked_at(acme, YEARS_AGO)
    rules = with_rule(rules_in_force(acme), ASKED, "core", keep_months=240)
    assert [target.part for target in targets(acme, rules)] == ["actor", "question"]
    must = with_rule(rules, ASKED, "question", remove_months=90)
    assert targets(acme, must, Reach.MUST) == [Target(type=TargetType.EVENT_GROUP, id=old.id, part="question")]


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 2, 3, 500])
def test_a_walk_in_batches_finds_each_once_and_goes_on_from_where_it_was_left(acme: Firm, batch: int) -> None:
    events = [asked_at(acme, YEARS_AGO + timedelta(days=number // 2)) for number in range(7)]
    rules = rules_in_force(acme)
    found = targets(acme, rules, batch=batch)
    assert len(found) == len(set(found)) == 21
    assert {target.id for target in found} == {event.id for event in events}
    with open_scope(tenant=acme.id, reason="a test"):
        wanted = asked(rules, on=TODAY, reach=Reach.MAY)
        whole = list(due(wanted, batch=batch))
        for number, each in enumerate(whole):
            assert list(due(wanted, after=each.step, batch=batch)) == whole[number + 1 :]


@pytest.mark.slow
def test_what_authorises_removals_is_never_due_in_its_core(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), recorded_at(YEARS_AGO):
        authorising = record(action=ERASED, core={"removals": [], "reason_code": "retention_ended"})
    found = targets(acme, rules_in_force(acme))
    assert found == [Target(type=TargetType.EVENT_GROUP, id=authorising.id, part="actor")]
    with open_scope(tenant=acme.id, reason="a test"):
        assert totals(rules_in_force(acme), on=TODAY).may_remove == 1


@pytest.mark.slow
def test_the_clock_counts_every_night_and_removes_nothing(acme: Firm, dora: Principal, rupert: Principal) -> None:
    old = asked_at(acme, timezone.now() - timedelta(days=3700))
    approved(dora, rupert, group="question", remove_months=96)
    count_all()
    with open_scope(tenant=acme.id, reason="a test"):
        counted = latest_count()
        assert counted is not None
        assert (counted.may_remove, counted.must_remove, counted.schedule.number) == (3, 1, 2)
        assert "question" in old.payload
        (event,) = Event.objects.filter(action="audit.retention.counted")
        assert event.payload["core"]["must_remove"] == 1
        assert RetentionCount.objects.count() == 1


def test_the_rule_of_a_past_day_can_be_told(acme: Firm, dora: Principal, rupert: Principal) -> None:
    approved(dora, rupert, keep_months=120)
    today = timezone.now().astimezone(UTC).date()
    with open_scope(tenant=acme.id, reason="a test"):
        found = schedule_on(today)
        assert found is not None
        assert found.number == 2
        assert schedule_on(today - timedelta(days=1)) is None
