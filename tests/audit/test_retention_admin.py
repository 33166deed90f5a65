"""The pages of retention and purges: what they say, who may act, and what becomes of it."""

from __future__ import annotations

from datetime import UTC, timedelta
from unittest.mock import patch

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.erasure.models import Purge, PurgeFigure, Reach, RetentionSchedule, ScheduleStatus
from apps.erasure.retention.counting import count_all
from apps.erasure.retention.dry_run import purge_count
from apps.erasure.retention.errors import NothingDueError
from apps.erasure.retention.selectors import rules_of
from apps.erasure.retention.services import draft_start
from apps.tenants import registry
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.retaining import ASKED, REASON, approved, asked_at, drafted, submitted
from tests.factories import Firm, as_, make_firm, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

LONG_AGO = timedelta(days=3700)


@pytest.fixture
def bare() -> Firm:
    """A tenant of an earlier release: made without what this one gives a new tenant."""
    with patch.object(registry, "_on_created", []):
        return make_firm("bare")


@pytest.fixture
def dora(acme: Firm) -> Principal:
    return make_member(acme, "dora", Role.DPO)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def officer(dora: Principal) -> Visitor:
    return Visitor("dora")


@pytest.fixture
def reviewer(rupert: Principal) -> Visitor:
    return Visitor("rupert")


def save(visitor: Visitor, schedule: RetentionSchedule, act: str = "save", **fields: str) -> Page:
    values = {"act": act, "revision": str(schedule.revision), "reason": REASON, **fields}
    return visitor.send("retention_draft", schedule.id, **values)


def decide(visitor: Visitor, schedule: RetentionSchedule, act: str, **fields: str) -> Page:
    values = {"act": act, "revision": str(schedule.revision), "against": "1", **fields}
    return visitor.send("retention_schedule", schedule.id, **values)


# --- The rules in force -----------------------------------------------------------------------------------------------


def test_the_page_tells_what_is_kept_how_long_and_who_approved_it(officer: Visitor) -> None:
    page = officer.open("retention")
    assert page.status == 200
    assert "Kept at least 7 years, counted from when it happened; no latest date." in page.text
    assert "Kept at least 7 years, counted from when another version replaced it" in page.text
    assert "nobody: it came with Glassbox" in page.text
    assert "Question answered" in page.text
    assert "headers" in page.text or "header" in page.text
    assert reverse("admin:retention_draft_start") in page.links


def test_the_rules_of_a_past_day_are_told(acme: Firm, dora: Principal, rupert: Principal, officer: Visitor) -> None:
    approved(dora, rupert, keep_months=120)
    today = timezone.now().astimezone(UTC).date()
    page = officer.open("retention", on=today.isoformat())
    assert "schedule 2" in page.text
    assert "Kept at least 10 years" in page.text
    assert "No rules are recorded for that day" in officer.open("retention", on="2020-01-01").text
    late = officer.open("retention", on=(today + timedelta(days=2)).isoformat())
    assert late.status == 400
    assert "That day is in the future" in late.text
    assert "Enter a day" in officer.open("retention", on="yesterday").text


@pytest.mark.parametrize(
    ("role", "reads"),
    [(Role.AUDITOR, True), (Role.REVIEWER, True), (Role.COMPLIANCE_OFFICER, True), (Role.ANALYST, False)],
)
def test_who_reads_the_log_reads_the_rules_and_changes_none(acme: Firm, role: Role, reads: bool) -> None:
    make_member(acme, "somebody", role)
    visitor = Visitor("somebody")
    page = visitor.open("retention")
    assert page.status == (200 if reads else 403)
    assert (reverse("admin:retention") in visitor.open("index").sidebar) is reads
    assert reverse("admin:retention_draft_start") not in page.links
    assert visitor.open("retention_draft_start").status == 403
    assert visitor.send("retention_draft_start", reason="x").status == 403
    assert visitor.open("purge_new").status == 403
    with open_scope(tenant=acme.id, reason="a test"):
        assert RetentionSchedule.objects.count() == 1


# --- Drafting ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_draft_is_begun_edited_and_handed_in(acme: Firm, officer: Visitor, rupert: Principal) -> None:
    assert "Say why" in officer.send("retention_draft_start", reason=" ").text
    begun = officer.send("retention_draft_start", reason=REASON)
    with open_scope(tenant=acme.id, reason="a test"):
        draft = RetentionSchedule.objects.get(number=2)
    assert begun.location == reverse("admin:retention_draft", args=[draft.id])
    assert "Nothing yet: it says the same as schedule 1" in officer.open("retention_draft", draft.id).text
    saved = save(officer, draft, **{f"keep:{ASKED}|": "120", f"remove:{ASKED}|": "132"})
    assert saved.status == 302
    page = officer.open("retention_draft", draft.id)
    assert "Question answered: kept at least 10 years instead of 7 years; must be gone after 11 years" in page.text
    asked = officer.open("retention_draft_submit", draft.id)
    assert "rupert" in asked.text
    assert officer.send("retention_draft_submit", draft.id).status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        draft.refresh_from_db()
    assert draft.status == ScheduleStatus.IN_REVIEW


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("keep", "12", "It must be kept for at least 7 years: enter 84 or more."),
        ("keep", "many", "Enter a whole number of months."),
        ("keep", "", "Enter a whole number of months."),
        ("keep", "-1", "Enter a whole number of months."),
        ("keep", "9999999999999999", "Enter a whole number of months."),
        ("remove", "60", "enter 120 or more, or leave it empty"),
        ("remove", "1.5", "Leave it empty if it never has to be removed."),
        ("basis", " ", "Name the ground on which it is kept"),
    ],
)
def test_a_mistake_stands_beside_its_field_and_nothing_is_saved(
    acme: Firm, dora: Principal, officer: Visitor, field: str, typed: str, words: str
) -> None:
    draft = drafted(dora, keep_months=120)
    page = save(officer, draft, **{f"{field}:{ASKED}|": typed})
    assert page.status == 422
    (beside,) = page.tree.xpath(f"//*[@name='{field}:{ASKED}|']/following-sibling::p")
    assert words in beside.text_content()
    assert page.tree.xpath(f"//*[@name='{field}:{ASKED}|']/@value") == [typed.strip()]
    with open_scope(tenant=acme.id, reason="a test"):
        rule = next(rule for rule in rules_of(draft) if rule.key == (ASKED, ""))
    assert rule.keep_months == 120


@pytest.mark.slow
def test_a_part_gets_a_rule_of_its_own_and_loses_it_again(acme: Firm, dora: Principal, officer: Visitor) -> None:
    draft = drafted(dora, keep_months=120)
    assert save(officer, draft, "part", part=f"{ASKED}|question").status == 302
    page = officer.open("retention_draft", draft.id)
    assert "Question answered: the question: has its own rule" in page.text
    with open_scope(tenant=acme.id, reason="a test"):
        draft.refresh_from_db()
        assert (ASKED, "question") in [rule.key for rule in rules_of(draft)]
    assert save(officer, draft, f"drop:{ASKED}|question").status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        draft.refresh_from_db()
        assert (ASKED, "question") not in [rule.key for rule in rules_of(draft)]
        count = len(rules_of(draft))
    # What has no rule of its own can't be taken out: nobody would know how long it is kept.
    save(officer, draft, f"drop:{ASKED}|")
    with open_scope(tenant=acme.id, reason="a test"):
        assert len(rules_of(draft)) == count
        draft.refresh_from_db()
    assert "Choose the part" in save(officer, draft, "part", part="nothing").text


def test_all_of_a_family_are_set_at_once(acme: Firm, dora: Principal, officer: Visitor) -> None:
    draft = drafted(dora, keep_months=120)
    saved = save(officer, draft, "bulk", bulk_family="Documents", bulk_keep="24", bulk_remove="36")
    assert saved.status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        found = {
            (rule.keep_months, rule.remove_months) for rule in rules_of(draft) if rule.subject.startswith("document:")
        }
        draft.refresh_from_db()
    assert found == {(24, 36)}
    refused = save(officer, draft, "bulk", bulk_family="Events", bulk_keep="12", bulk_remove="")
    assert refused.status == 422
    assert "must be kept for at least 7 years" in refused.text


def test_a_draft_that_was_changed_elsewhere_is_not_overwritten(dora: Principal, officer: Visitor) -> None:
    draft = drafted(dora, keep_months=120)
    draft.revision -= 1
    page = save(officer, draft, **{f"keep:{ASKED}|": "96"})
    assert page.status == 422
    assert "has changed since you opened this page" in page.text


def test_a_draft_is_its_authors_alone(acme: Firm, dora: Principal) -> None:
    draft = drafted(dora, keep_months=120)
    make_member(acme, "dina", Role.DPO)
    other = Visitor("dina")
    for page in ("retention_draft", "retention_draft_submit", "retention_draft_discard"):
        assert other.open(page, draft.id).status == 404
        assert other.send(page, draft.id, act="save").status == 404
    assert "a draft of dora" in other.open("retention").text


def test_a_draft_is_discarded_after_a_question(acme: Firm, dora: Principal, officer: Visitor) -> None:
    draft = drafted(dora, keep_months=120)
    assert "The draft is deleted" in officer.open("retention_draft_discard", draft.id).text
    assert officer.send("retention_draft_discard", draft.id).location == reverse("admin:retention")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not RetentionSchedule.objects.filter(id=draft.id).exists()


# --- The decision -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_second_person_sees_what_it_affects_and_approves(
    acme: Firm, dora: Principal, reviewer: Visitor, officer: Visitor
) -> None:
    asked_at(acme, timezone.now() - LONG_AGO)
    schedule = submitted(dora, remove_months=96)
    assert "Retention rules to review" in reviewer.open("index").text
    assert "Retention rules to review" not in officer.open("index").text
    page = reviewer.open("retention_schedule", schedule.id)
    assert "Question answered: must be gone after 8 years (until now: no latest date)." in page.text
    (row,) = page.tree.xpath("//*[@id='effects']//tbody/tr")
    assert [cell.text_content() for cell in row] == ["Question answered", "3", "3", "0", "3"]
    assert decide(reviewer, schedule, "approve", **{"approve-note": "As asked."}).status == 302
    done = reviewer.open("retention_schedule", schedule.id)
    assert "These rules now decide" in done.text
    assert "rupert" in done.text
    assert "As asked." in done.text
    assert not done.tree.xpath("//*[@id='decision']")


def test_the_author_is_shown_no_decision_and_refused_one(dora: Principal, officer: Visitor) -> None:
    schedule = submitted(dora, keep_months=120)
    page = officer.open("retention_schedule", schedule.id)
    assert "You wrote these rules, so somebody else decides on them" in page.text
    assert not page.tree.xpath("//*[@id='decision']")
    refused = decide(officer, schedule, "approve")
    assert refused.status == 403
    assert "You wrote retention schedule 2" in refused.text


def test_a_rejection_needs_a_reason(acme: Firm, dora: Principal, reviewer: Visitor) -> None:
    schedule = submitted(dora, keep_months=120)
    refused = decide(reviewer, schedule, "reject", **{"reject-reason": " "})
    assert refused.status == 422
    assert "Say why" in refused.errors_of("reject-reason")
    assert decide(reviewer, schedule, "reject", **{"reject-reason": "Too long."}).status == 302
    assert "never take effect" in reviewer.open("retention_schedule", schedule.id).text


def test_what_was_not_read_is_not_decided_on(dora: Principal, reviewer: Visitor) -> None:
    schedule = submitted(dora, keep_months=120)
    schedule.revision += 1
    stale = decide(reviewer, schedule, "approve")
    assert stale.status == 409
    assert "Nothing was done" in stale.text
    assert decide(reviewer, schedule, "dance").status == 400
    mangled = decide(reviewer, schedule, "approve", revision="x")
    assert mangled.status == 409
    assert "Nothing was done" in mangled.text


def test_the_author_takes_it_back(acme: Firm, dora: Principal, officer: Visitor) -> None:
    schedule = submitted(dora, keep_months=120)
    assert "Take it back" in officer.open("retention_schedule", schedule.id).text
    back = decide(officer, schedule, "take_back")
    assert back.location == reverse("admin:retention_draft", args=[schedule.id])


def test_another_tenants_schedule_is_not_found(acme: Firm, officer: Visitor) -> None:
    bolt = make_firm("bolt")
    with open_scope(tenant=bolt.id, reason="a test"):
        theirs = RetentionSchedule.objects.get()
    assert officer.open("retention_schedule", theirs.id).status == 404


# --- Purges: the dry run ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_dry_run_counts_and_removes_nothing(acme: Firm, officer: Visitor) -> None:
    at = timezone.now() - LONG_AGO
    event = asked_at(acme, at)
    assert "There are none yet" in officer.open("purges").text
    made = officer.send("purge_new", reach="may", subject="", reason=REASON)
    with open_scope(tenant=acme.id, reason="a test"):
        purge = Purge.objects.get()
        (figure,) = PurgeFigure.objects.all()
        assert "question" in event.payload
    assert made.location == reverse("admin:purge", args=[purge.id])
    assert (figure.subject, figure.count, figure.looked_at, figure.oldest) == (ASKED, 3, 3, at)
    assert {sample["part"] for sample in figure.samples} == {"core", "actor", "question"}
    page = officer.open("purge", purge.id)
    assert "it counted, and removed nothing" in page.text
    assert "Their headers (ids, codes, time), their commitments and their places in the log stay for ever" in page.text
    assert reverse("admin:audit_event_change", args=[event.id]) in page.links
    (row,) = officer.open("purges").tree.xpath("//*[@id='list']//tbody/tr")
    assert "Dry run only" in row.text_content()


def test_a_dry_run_that_finds_nothing_is_not_kept(acme: Firm, dora: Principal, officer: Visitor) -> None:
    asked_at(acme, timezone.now() - LONG_AGO)
    refused = officer.send("purge_new", reach="must", subject="", reason=REASON)
    assert refused.status == 422
    assert "Nothing is due" in refused.text
    with as_(dora), pytest.raises(NothingDueError):
        purge_count(reach=Reach.MAY, reason=REASON, subject="document:run")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Purge.objects.exists()


@pytest.mark.slow
def test_other_roles_read_a_dry_run_and_make_none(acme: Firm, dora: Principal, reviewer: Visitor) -> None:
    asked_at(acme, timezone.now() - LONG_AGO)
    with as_(dora):
        purge = purge_count(reach=Reach.MAY, reason=REASON)
    page = reviewer.open("purge", purge.id)
    assert page.status == 200
    assert not page.tree.xpath("//*[@id='propose']")
    assert reviewer.send("purge", purge.id).status == 403
    rupert = make_member(acme, "rupert", Role.REVIEWER)
    with as_(rupert), pytest.raises(PermissionDeniedError):
        purge_count(reach=Reach.MAY, reason=REASON)


@pytest.mark.slow
def test_the_start_page_says_what_is_past_its_latest_date(
    acme: Firm, dora: Principal, rupert: Principal, officer: Visitor, reviewer: Visitor
) -> None:
    asked_at(acme, timezone.now() - LONG_AGO)
    approved(dora, rupert, remove_months=96)
    assert "past their latest date" not in officer.open("index").text
    count_all()
    page = officer.open("index")
    assert "3 Items past their latest date" in page.text
    assert f"{reverse('admin:purge_new')}?reach=must" in page.links
    assert "past their latest date" not in reviewer.open("index").text
    assert "3 past the latest date" in officer.open("retention").text


def test_a_tenant_of_an_earlier_release_is_shown_the_shipped_rules_and_given_them_with_its_first_draft(
    bare: Firm,
) -> None:
    dora = make_member(bare, "dora", Role.DPO)
    page = Visitor("dora").open("retention")
    assert page.status == 200
    assert "These are the rules that Glassbox ships" in page.text
    assert "Kept at least 7 years" in page.text
    with as_(dora):
        assert draft_start(reason=REASON).number == 2
        assert RetentionSchedule.objects.get(number=1).status == ScheduleStatus.IN_FORCE
