"""The second person's pages: what waits, the decision, and the record that it leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.discussion import version_comment
from apps.intents.services.drafts import draft_save
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_reject, version_send_back, version_submit, version_withdraw
from tests.factories import Firm, as_, make_firm, make_member
from tests.grounds import for_one_test, shared_ground
from tests.intents.reviewing import REASON, again, submitted, wider
from tests.model_server import Fault, ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

WIDER = "Performance can now reach Schedules."


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A firm whose officer has submitted a version."""

    acme: Firm
    olivia: Principal
    version: PolicyVersion


def make_waiting() -> Waiting:
    acme = make_firm("acme")
    olivia = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)
    return Waiting(acme=acme, olivia=olivia, version=submitted(olivia))


@pytest.fixture(scope="module")
def shared_waiting(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Waiting]:
    with ModelServer() as running, shared_ground(make_waiting, blocker=django_db_blocker, server=running) as waiting:
        yield waiting


@pytest.fixture
def waiting(shared_waiting: Waiting, db: None, server: ModelServer) -> Waiting:
    """Made once for the file: to submit a version, all of its examples are tried."""
    return for_one_test(shared_waiting)


@pytest.fixture
def acme(waiting: Waiting) -> Firm:
    return waiting.acme


@pytest.fixture
def olivia(waiting: Waiting) -> Principal:
    return waiting.olivia


@pytest.fixture
def version(waiting: Waiting) -> PolicyVersion:
    return waiting.version


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def officer(olivia: Principal) -> Visitor:
    return Visitor("olivia")


@pytest.fixture
def reviewer(rupert: Principal) -> Visitor:
    return Visitor("rupert")


def smaller(snapshot: PolicySnapshot) -> PolicySnapshot:
    return replace(wider(snapshot), total_cap_chars=14000)


def seen(page: Page) -> str:
    return str((page.tree.xpath("//input[@name='seen']/@value") or [""])[0])


def act(visitor: Visitor, version: PolicyVersion, name: str, **fields: Any) -> Page:
    """As somebody does who has read the page: with what its form says of what they saw."""
    read = seen(visitor.open("policy_review", version.id))
    said = {f"{name}-{field}": value for field, value in fields.items()}
    return visitor.send("policy_review", version.id, act=name, seen=read, **said)


def acts(page: Page) -> set[str]:
    return set(page.tree.xpath("//*[@id='main']//input[@name='act']/@value"))


def section(page: Page, name: str) -> str:
    return " ".join("".join(page.tree.xpath(f"//*[@id='{name}']")[0].itertext()).split())


# --- The work list --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_waits_for_a_reviewer_names_who_asks_why_and_what_becomes_wider(
    version: PolicyVersion, reviewer: Visitor
) -> None:
    page = reviewer.open("policy_reviews")
    waiting = section(page, "to-decide")
    assert "olivia asks, since" in waiting
    assert REASON in waiting
    assert WIDER in waiting
    assert reverse("admin:policy_review", args=[version.id]) in page.links


@pytest.mark.slow
def test_ones_own_version_waits_for_others_and_names_them(
    version: PolicyVersion, officer: Visitor, reviewer: Visitor
) -> None:
    page = officer.open("policy_reviews")
    assert "It waits for one of these: rupert." in section(page, "own")
    assert "Policy version 2" not in section(page, "to-decide")
    assert not reviewer.open("policy_reviews").tree.xpath("//*[@id='own']")


def test_with_nobody_to_decide_the_author_is_told_what_to_do(version: PolicyVersion, officer: Visitor) -> None:
    said = "a tenant administrator can give somebody the role Reviewer"
    assert said in section(officer.open("policy_reviews"), "own")
    assert said in section(officer.open("policy_review", version.id), "own")


@pytest.mark.slow
def test_what_was_sent_back_waits_for_its_author_with_what_was_said(
    version: PolicyVersion, rupert: Principal, officer: Visitor, reviewer: Visitor
) -> None:
    with as_(rupert):
        version_send_back(version.id, reason="Say which schedules.")
    back = section(officer.open("policy_reviews"), "sent-back")
    assert "rupert said" in back
    assert "Say which schedules." in back
    assert not reviewer.open("policy_reviews").tree.xpath("//*[@id='sent-back']")


@pytest.mark.slow
def test_an_approved_version_is_listed_with_its_time(
    version: PolicyVersion, rupert: Principal, reviewer: Visitor
) -> None:
    with as_(rupert):
        version_approve(version.id, effective_from=datetime(2099, 12, 1, 9, tzinfo=UTC))
    page = reviewer.open("policy_reviews")
    said = "It takes effect automatically at 01 Dec 2099 09:00 UTC."
    assert said in section(page, "scheduled")
    assert "Nothing waits for your decision." in page.text


@pytest.mark.slow
def test_another_tenant_s_versions_are_neither_listed_nor_found(version: PolicyVersion) -> None:
    make_member(make_firm("bolt"), "ben", Role.REVIEWER)
    stranger = Visitor("ben")
    assert "Nothing waits for your decision." in stranger.open("policy_reviews").text
    assert stranger.open("policy_review", version.id).status == 404
    assert stranger.send("policy_review", version.id, act="approve").status == 404
    assert stranger.open("intents_policyversion_file", version.id).status == 404


def test_an_analyst_reads_what_is_in_review_and_decides_on_nothing(acme: Firm, version: PolicyVersion) -> None:
    make_member(acme, "alice", Role.ANALYST)
    page = Visitor("alice").open("policy_reviews")
    assert "Your role reads them, and does not decide." in page.text
    assert "Policy version 2" in section(page, "to-decide")


@pytest.mark.slow
def test_the_counts_of_the_start_page_lead_to_the_work_list(version: PolicyVersion, reviewer: Visitor) -> None:
    start = reviewer.open("index")
    (link,) = start.tree.xpath("//*[@id='waiting']//a[contains(., 'Policy versions to review')]/@href")
    assert link == reverse("admin:policy_reviews")


# --- What a reviewer is shown ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_page_says_what_it_is_who_asks_why_and_what_changes(version: PolicyVersion, reviewer: Visitor) -> None:
    page = reviewer.open("policy_review", version.id)
    assert "olivia asks that this version take the place of version 1" in page.text
    assert REASON in section(page, "version")
    assert "against version 1, which is in force now" in section(page, "changes")
    assert WIDER in section(page, "changes")
    assert "wider" in section(page, "changes")
    assert page.response["Cache-Control"].startswith("no-store")


@pytest.mark.slow
def test_the_matrix_marks_what_changes_by_a_frame_a_sign_and_words(version: PolicyVersion, reviewer: Visitor) -> None:
    page = reviewer.open("policy_review", version.id)
    (cell,) = page.tree.xpath("//*[@id='changes']//tbody//td[contains(@class, 'gb-cell-changed')]")
    assert cell.get("id") == "cell-performance-schedule"
    assert cell.text_content() == "+ newly permitted comment"
    assert "#cell-performance-schedule" in page.links
    assert "1 of 60 cells change." in section(page, "changes")


@pytest.mark.slow
def test_the_parts_of_the_review_stand_in_the_order_in_which_they_are_read(
    version: PolicyVersion, reviewer: Visitor
) -> None:
    page = reviewer.open("policy_review", version.id)
    titles = ("matrix-title", "words-title", "proof-title", "impact-title", "sides-title", "discussion-title")
    placed = [str(each) for each in page.tree.xpath("//*[@id='main']//*/@id") if each in titles]
    assert tuple(placed) == titles
    assert page.tree.xpath("//*[@id='sides']/details[not(@open)]")
    assert reviewer.open("policy_review", version.id, all="1").tree.xpath("//*[@id='sides']/details[@open]")


@pytest.mark.slow
def test_the_two_files_stand_side_by_side_with_words_for_what_came(version: PolicyVersion, reviewer: Visitor) -> None:
    page = reviewer.open("policy_review", version.id)
    assert "schedule" in "".join(page.tree.xpath("//*[@id='sides']//ins/text()"))
    came = page.tree.xpath("//*[@id='sides']//*[contains(@class, 'gb-side-came')]")
    gone = page.tree.xpath("//*[@id='sides']//*[contains(@class, 'gb-side-gone')]")
    assert all("Added line" in each.text_content() and "+" in each.text_content() for each in came)
    assert all("Removed line" in each.text_content() and "\N{MINUS SIGN}" in each.text_content() for each in gone)
    assert came
    assert gone


@pytest.mark.slow
def test_unchanged_lines_are_folded_until_all_are_asked_for(version: PolicyVersion, reviewer: Visitor) -> None:
    folded = reviewer.open("policy_review", version.id)
    assert "unchanged lines" in section(folded, "sides")
    assert any(link.endswith("?all=1#sides") for link in folded.links)
    assert "unchanged lines" not in section(reviewer.open("policy_review", version.id, all="1"), "sides")


@pytest.mark.slow
def test_looking_asks_no_model_and_changes_nothing(
    server: ModelServer, version: PolicyVersion, reviewer: Visitor
) -> None:
    asked = len(server.requests)
    reviewer.open("policy_review", version.id)
    assert len(server.requests) == asked


@pytest.mark.slow
def test_each_button_is_named_by_its_effect_and_what_can_not_be_undone_is_said(
    version: PolicyVersion, reviewer: Visitor
) -> None:
    page = reviewer.open("policy_review", version.id)
    buttons = [each.text_content().strip() for each in page.tree.xpath("//*[@id='decision']//button[@type='submit']")]
    assert buttons == [
        "Approve and put in force now",
        "Approve, in force from the date given",
        "Send it back to its author",
        "Reject it for good",
    ]
    assert "Answers given under it can't be taken back" in section(page, "decision")
    assert acts(page) == {"approve", "approve_later", "send_back", "reject", "comment"}


@pytest.mark.slow
def test_a_version_begun_from_the_one_in_force_bears_none(version: PolicyVersion, reviewer: Visitor) -> None:
    assert not reviewer.open("policy_review", version.id).tree.xpath("//*[@id='overtaken']")


@pytest.mark.slow
def test_a_version_that_is_to_take_effect_later_is_named_as_it_would_replace_this_one(
    version: PolicyVersion, olivia: Principal, rupert: Principal, reviewer: Visitor
) -> None:
    later = submitted(olivia, smaller)
    with as_(rupert):
        version_approve(later.id, effective_from=timezone.now() + timedelta(days=3))
    page = reviewer.open("policy_review", version.id)
    assert "Version 3 is approved already" in section(page, "changes")
    assert reverse("admin:policy_review", args=[later.id]) in page.links
    assert "is approved already" not in reviewer.open("policy_review", later.id).text


@pytest.mark.slow
def test_who_may_not_see_the_members_is_told_no_names_of_reviewers(
    acme: Firm, version: PolicyVersion, rupert: Principal
) -> None:
    make_member(acme, "alice", Role.ANALYST)
    make_member(acme, "dora", Role.AUDITOR)
    assert "It is decided by a reviewer." in Visitor("alice").open("policy_review", version.id).text
    assert "rupert" not in Visitor("alice").open("policy_review", version.id).text
    assert "It is decided by one of these: rupert." in Visitor("dora").open("policy_review", version.id).text


# --- Deciding -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_approved_now_it_is_in_force_and_the_page_is_its_record(
    acme: Firm, version: PolicyVersion, reviewer: Visitor
) -> None:
    answer = act(reviewer, version, "approve", note="Agreed with the funds' team.")
    assert answer.location == reverse("admin:policy_review", args=[version.id])
    assert again(acme, version).status == VersionStatus.ACTIVE
    page = reviewer.open("policy_review", version.id)
    assert "You approved version 2. It is in force." in page.text
    assert "This version now decides" in page.text
    assert "Agreed with the funds' team." in section(page, "version")
    assert "rupert approved it" in section(page, "story")
    assert "in the place of version 1" in section(page, "story")
    assert "against version 1, which it replaced" in section(page, "changes")
    assert acts(page) == set()
    assert f"{reverse('admin:audit_event_changelist')}?subject={version.id}" in page.links


@pytest.mark.slow
def test_approved_for_later_it_waits_and_can_be_withdrawn(
    acme: Firm, version: PolicyVersion, reviewer: Visitor
) -> None:
    act(reviewer, version, "approve_later", effective_from="2099-12-01T09:00")
    waiting = again(acme, version)
    assert waiting.status == VersionStatus.APPROVED
    assert waiting.effective_from == datetime(2099, 12, 1, 9, tzinfo=UTC)
    page = reviewer.open("policy_review", version.id)
    assert "It takes effect automatically at 01 Dec 2099 09:00 UTC; until then" in page.text
    assert "withdraw" in acts(page)
    act(reviewer, version, "withdraw", reason="The date was wrong.")
    assert again(acme, version).status == VersionStatus.WITHDRAWN
    record = reviewer.open("policy_review", version.id)
    assert "It was withdrawn after rupert had approved it: “The date was wrong.”" in section(record, "story")


@pytest.mark.slow
def test_a_date_that_has_passed_is_refused_beside_its_field(
    acme: Firm, version: PolicyVersion, reviewer: Visitor
) -> None:
    page = act(reviewer, version, "approve_later", effective_from="2001-01-01T09:00", note="Kept as it was typed.")
    assert page.status == 422
    assert "never before" in page.errors_of("approve_later-effective_from")
    assert "Kept as it was typed." in page.tree.xpath("string(//textarea[@name='approve_later-note'])")
    assert again(acme, version).status == VersionStatus.IN_REVIEW


def test_later_needs_a_date(acme: Firm, version: PolicyVersion, reviewer: Visitor) -> None:
    page = act(reviewer, version, "approve_later", effective_from="")
    assert "Enter the date and time" in page.errors_of("approve_later-effective_from")
    assert again(acme, version).status == VersionStatus.IN_REVIEW


@pytest.mark.slow
@pytest.mark.parametrize(("name", "status"), [("send_back", VersionStatus.DRAFT), ("reject", VersionStatus.REJECTED)])
def test_sending_back_and_rejecting_need_a_reason(
    acme: Firm, version: PolicyVersion, reviewer: Visitor, name: str, status: VersionStatus
) -> None:
    page = act(reviewer, version, name, reason="   ")
    assert page.status == 422
    assert "Say why, in a sentence" in page.errors_of(f"{name}-reason")
    assert page.tree.xpath(f"//details[@open]//textarea[@name='{name}-reason']")
    assert again(acme, version).status == VersionStatus.IN_REVIEW
    act(reviewer, version, name, reason="Schedules name people.")
    assert again(acme, version).status == status


@pytest.mark.slow
def test_a_rejected_version_is_compared_with_what_it_was_based_on(
    version: PolicyVersion, rupert: Principal, reviewer: Visitor
) -> None:
    with as_(rupert):
        version_reject(version.id, reason="Schedules name people.")
    page = reviewer.open("policy_review", version.id)
    assert "rupert rejected it: “Schedules name people.”" in section(page, "story")
    assert "would have changed against version 1, which was in force when it was begun" in section(page, "changes")


@pytest.mark.slow
def test_a_reviewer_who_comes_second_is_told_what_happened(
    acme: Firm, version: PolicyVersion, rupert: Principal, reviewer: Visitor
) -> None:
    read = seen(reviewer.open("policy_review", version.id))
    quicker = make_member(acme, "rita", Role.REVIEWER)
    with as_(quicker):
        version_reject(version.id, reason="Not this one.")
    page = reviewer.send("policy_review", version.id, act="approve", seen=read)
    assert page.status == 409
    assert "Version 2 is Rejected and does not wait for a decision." in page.text
    assert "rita rejected it" in page.text
    assert again(acme, version).status == VersionStatus.REJECTED


@pytest.mark.slow
def test_what_was_changed_since_it_was_read_is_not_approved(
    acme: Firm, version: PolicyVersion, olivia: Principal, reviewer: Visitor
) -> None:
    read = seen(reviewer.open("policy_review", version.id))
    other = make_member(acme, "rita", Role.REVIEWER)
    with as_(other):
        version_send_back(version.id, reason="One more thing.")
    with as_(olivia):
        draft = PolicyVersion.objects.get(id=version.id)
        draft_save(draft.id, content=smaller(version_snapshot(draft)), reason=REASON, revision=draft.revision)
        version_submit(draft.id)
    page = reviewer.send("policy_review", version.id, act="approve", seen=read)
    assert page.status == 409
    assert "has changed since you opened this page" in page.text
    assert again(acme, version).status == VersionStatus.IN_REVIEW
    assert act(reviewer, version, "approve").status == 302


@pytest.mark.slow
def test_what_was_read_against_an_older_version_in_force_is_not_approved(
    acme: Firm, version: PolicyVersion, olivia: Principal, rupert: Principal, reviewer: Visitor
) -> None:
    read = seen(reviewer.open("policy_review", version.id))
    other = submitted(olivia, smaller)
    with as_(rupert):
        version_approve(other.id)
    assert reviewer.send("policy_review", version.id, act="approve", seen=read).status == 409
    assert again(acme, version).status == VersionStatus.IN_REVIEW


@pytest.mark.slow
def test_with_the_provider_down_nothing_is_approved_and_the_page_says_why(
    acme: Firm, version: PolicyVersion, server: ModelServer, reviewer: Visitor, settings: LazySettings
) -> None:
    # Another model has seen none of the examples.
    other = short_profile(server, model="text-embedding-3-large")
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": other}
    server.fail_with(Fault.ERROR_500, times=20)
    page = act(reviewer, version, "approve", note="Kept as it was typed.")
    assert page.status >= 400
    assert page.tree.xpath("//*[@role='alert']")
    assert "Kept as it was typed." in page.tree.xpath("string(//textarea[@name='approve-note'])")
    assert again(acme, version).status == VersionStatus.IN_REVIEW


# --- The author -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_author_is_told_who_decides_and_offered_nothing_but_to_withdraw_or_speak(
    version: PolicyVersion, rupert: Principal, officer: Visitor
) -> None:
    page = officer.open("policy_review", version.id)
    assert "You wrote this version, so somebody else decides on it. Any one of these may: rupert." in page.text
    assert acts(page) == {"withdraw", "comment"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["approve", "approve_later", "send_back", "reject"])
def test_who_may_not_approve_is_refused_when_typing_it(
    acme: Firm, version: PolicyVersion, officer: Visitor, name: str
) -> None:
    make_member(acme, "alice", Role.ANALYST)
    alice = Visitor("alice")
    assert acts(alice.open("policy_review", version.id)) == set()
    for visitor in (alice, officer):
        fields = {f"{name}-reason": "No.", f"{name}-effective_from": "2099-12-01T09:00"}
        refused = visitor.send("policy_review", version.id, act=name, **fields)
        assert refused.status == 403
        assert "Reviewer" in refused.text
    assert again(acme, version).status == VersionStatus.IN_REVIEW


@pytest.mark.slow
def test_the_author_withdraws_with_a_reason(acme: Firm, version: PolicyVersion, officer: Visitor) -> None:
    assert "Say why" in act(officer, version, "withdraw", reason="").errors_of("withdraw-reason")
    act(officer, version, "withdraw", reason="Asked for too early.")
    assert again(acme, version).status == VersionStatus.WITHDRAWN
    assert "It was withdrawn: “Asked for too early.”" in officer.open("policy_review", version.id).text


@pytest.mark.slow
def test_nobody_else_withdraws_it(acme: Firm, version: PolicyVersion) -> None:
    make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    oscar = Visitor("oscar")
    assert "withdraw" not in acts(oscar.open("policy_review", version.id))
    assert oscar.send("policy_review", version.id, **{"act": "withdraw", "withdraw-reason": "No."}).status == 403
    assert again(acme, version).status == VersionStatus.IN_REVIEW


@pytest.mark.slow
def test_a_version_that_was_decided_can_not_be_withdrawn_any_more(
    version: PolicyVersion, rupert: Principal, officer: Visitor
) -> None:
    with as_(rupert):
        version_approve(version.id)
    page = officer.send("policy_review", version.id, **{"act": "withdraw", "withdraw-reason": "Too late."})
    assert page.status == 409
    assert "only a version that waits can be withdrawn" in page.text


@pytest.mark.slow
def test_an_act_that_there_is_not_does_nothing(acme: Firm, version: PolicyVersion, reviewer: Visitor) -> None:
    page = reviewer.send("policy_review", version.id, act="bless")
    assert page.status == 400
    assert "Nothing was done" in page.text
    assert again(acme, version).status == VersionStatus.IN_REVIEW


# --- The discussion -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_comment_stands_with_its_author_and_markup_in_it_is_text(
    version: PolicyVersion, officer: Visitor, reviewer: Visitor
) -> None:
    act(reviewer, version, "comment", text="Which <b>schedules</b>?")
    page = officer.open("policy_review", version.id)
    assert "rupert" in section(page, "discussion")
    assert "Which <b>schedules</b>?" in section(page, "discussion")
    assert act(officer, version, "comment", text="The public ones.").status == 302
    assert "The public ones." in section(reviewer.open("policy_review", version.id), "discussion")


@pytest.mark.slow
def test_a_comment_on_a_cell_is_marked_in_the_matrix_answered_resolved_and_kept(
    version: PolicyVersion, officer: Visitor, reviewer: Visitor
) -> None:
    read = reviewer.open("policy_review", version.id)
    (speak,) = read.tree.xpath("//td[@id='cell-performance-schedule']//a[contains(@class, 'gb-cell-speak')]/@href")
    assert speak == "?about=performance%2Fschedule#discussion"
    chosen = reviewer.open("policy_review", version.id, about="performance/schedule").tree
    assert chosen.xpath("//select[@name='comment-about']//option[@selected]/text()") == ["Performance: Schedules"]
    act(reviewer, version, "comment", about="performance/schedule", text="Which schedules?")
    shown = officer.open("policy_review", version.id)
    assert "1 open comment on Performance: Schedules" in section(shown, "changes")
    assert "On Performance: Schedules" in section(shown, "discussion")
    (comment,) = shown.tree.xpath("//input[@name='comment']/@value")
    assert "resolve it" not in section(shown, "discussion")
    sent = reviewer.send(
        "policy_review",
        version.id,
        **{
            "act": "answer",
            "comment": comment,
            f"answer-{comment}-turn": "resolved",
            f"answer-{comment}-text": "Public.",
        },
    )
    assert sent.status == 302
    shown = reviewer.open("policy_review", version.id)
    assert "open comment" not in section(shown, "changes")
    assert "rupert resolved it" in section(shown, "discussion")
    assert "Public." in section(shown, "discussion")


@pytest.mark.slow
def test_an_empty_answer_and_a_cell_that_there_is_not_are_refused_beside_their_fields(
    version: PolicyVersion, reviewer: Visitor
) -> None:
    act(reviewer, version, "comment", text="Why?")
    (comment,) = reviewer.open("policy_review", version.id).tree.xpath("//input[@name='comment']/@value")
    page = reviewer.send("policy_review", version.id, act="answer", comment=comment)
    assert page.status == 422
    page = act(reviewer, version, "comment", about="holidays/run", text="Why?")
    assert (page.status, "has no cell" in section(page, "discussion")) == (422, True)


@pytest.mark.slow
def test_whoever_decides_is_told_of_open_comments(version: PolicyVersion, reviewer: Visitor) -> None:
    assert "still open" not in section(reviewer.open("policy_review", version.id), "decision")
    act(reviewer, version, "comment", text="Why?")
    assert "1 comment is still open" in section(reviewer.open("policy_review", version.id), "decision")


@pytest.mark.slow
def test_an_empty_comment_is_refused_beside_its_field(version: PolicyVersion, reviewer: Visitor) -> None:
    assert "Write your comment." in act(reviewer, version, "comment", text=" ").errors_of("comment-text")


@pytest.mark.slow
def test_an_analyst_does_not_comment(acme: Firm, version: PolicyVersion) -> None:
    make_member(acme, "alice", Role.ANALYST)
    refused = Visitor("alice").send("policy_review", version.id, **{"act": "comment", "comment-text": "Hello."})
    assert refused.status == 403


@pytest.mark.slow
def test_the_discussion_stays_with_the_record(version: PolicyVersion, rupert: Principal, reviewer: Visitor) -> None:
    with as_(rupert):
        version_comment(version.id, text="Which schedules?")
        version_reject(version.id, reason="No answer.")
    assert "Which schedules?" in section(reviewer.open("policy_review", version.id), "discussion")


# --- The versions' list and page ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_list_is_filtered_by_state_and_author_and_leads_to_the_review(
    version: PolicyVersion, olivia: Principal, reviewer: Visitor
) -> None:
    assert len(reviewer.open("intents_policyversion_changelist").rows()) == 2
    (row,) = reviewer.open("intents_policyversion_changelist", status__exact="in_review").rows()
    assert row.startswith("Version 2 In review")
    (row,) = reviewer.open("intents_policyversion_changelist", author=str(olivia.id)).rows()
    assert row.startswith("Version 2 In review")
    assert reviewer.open("intents_policyversion_changelist", author="nobody").rows() == []
    page = reviewer.open("intents_policyversion_changelist", q="schedules")
    assert len(page.rows()) == 1
    assert "olivia" in page.rows()[0]
    assert reverse("admin:policy_review", args=[version.id]) in page.links


@pytest.mark.slow
def test_a_version_s_page_leads_to_its_record_its_file_and_the_comparison(
    version: PolicyVersion, reviewer: Visitor
) -> None:
    page = reviewer.open("intents_policyversion_change", version.id)
    assert reverse("admin:policy_review", args=[version.id]) in page.links
    assert reverse("admin:intents_policyversion_file", args=[version.id]) in page.links
    assert f"{reverse('admin:policy_compare')}?before=active&after=2" in page.links
    assert "olivia began it as a copy of version 1, then in force." in page.text


@pytest.mark.slow
def test_the_version_in_force_is_compared_with_the_one_before_it(
    version: PolicyVersion, rupert: Principal, reviewer: Visitor
) -> None:
    assert "Compare with" not in reviewer.open("intents_policyversion_in_force").text
    with as_(rupert):
        version_approve(version.id)
    page = reviewer.open("intents_policyversion_in_force")
    assert f"{reverse('admin:policy_compare')}?before=1&after=2" in page.links


@pytest.mark.slow
def test_the_one_file_is_downloaded_with_who_answers_for_it(
    acme: Firm, version: PolicyVersion, rupert: Principal, reviewer: Visitor
) -> None:
    with as_(rupert):
        version_approve(version.id)
    answer = reviewer.open("intents_policyversion_file", version.id).response
    text = answer.content.decode()
    assert answer["Content-Type"] == "text/x-python; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="policy-version-2.py"'
    assert text.startswith("# Policy version 2, in force from")
    assert "Approved by: rupert." in text
    compile(text, "policy-version-2.py", "exec")


@pytest.mark.slow
def test_a_withdrawn_version_s_story_ends_with_that(
    version: PolicyVersion, olivia: Principal, reviewer: Visitor
) -> None:
    with as_(olivia):
        version_withdraw(version.id, reason="Asked for too early.")
    story = section(reviewer.open("policy_review", version.id), "story")
    assert story.endswith("It was withdrawn: “Asked for too early.”")
    with as_(olivia):
        assert policy_in_force().number == 1
