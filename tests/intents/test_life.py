"""The life of a policy version as officer and reviewer live it: by the services, with their events."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.conf import LazySettings
from django.core import mail
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from apps.audit.models import Event
from apps.intents import tasks
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import (
    DraftChangedError,
    GoldenAccuracyError,
    InvalidMomentError,
    InvalidPolicyError,
    NotADraftError,
    NotInReviewError,
    NotTheAuthorError,
    NotWithdrawableError,
    OwnVersionError,
    ReasonMissingError,
    SamePolicyError,
    UnreachableIntentError,
)
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services import activation, reviews
from apps.intents.services.activation import activate_due
from apps.intents.services.discussion import version_comment
from apps.intents.services.drafts import draft_copy, draft_discard, draft_save, draft_start
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_reject, version_send_back, version_submit, version_withdraw
from tests.factories import Firm, as_, make_member
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.django_db

# Long enough for two approvals on a machine with other work.
AHEAD = timedelta(seconds=8)


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def acme(acme: Firm, server: ModelServer) -> Firm:
    return acme


@pytest.fixture
def officer(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def reviewer(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


def wider(snapshot: PolicySnapshot) -> PolicySnapshot:
    """Performance may reach schedules too."""
    first, *rest = snapshot.intents
    return replace(snapshot, intents=(replace(first, kinds=(*first.kinds, FundHouse.SCHEDULE)), *rest))


def changed_draft(officer: Principal) -> PolicyVersion:
    with as_(officer):
        draft = draft_start(reason="Schedules belong to performance.")
        return draft_save(draft.id, content=wider(version_snapshot(draft)), reason=draft.reason, revision=1)


def submitted(officer: Principal) -> PolicyVersion:
    draft = changed_draft(officer)
    with as_(officer):
        return version_submit(draft.id)


def steps(firm: Firm) -> list[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        recorded = Event.objects.filter(action__startswith="intents.policy.").order_by("occurred_at", "id")
        return [event.action.removeprefix("intents.policy.") for event in recorded]


@pytest.mark.slow
def test_a_change_is_drafted_submitted_approved_and_in_force(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    with as_(reviewer):
        active = version_approve(version.id, reason="Agreed.")
        in_force = policy_in_force()
    assert (active.status, active.approver_label, active.author_label) == (VersionStatus.ACTIVE, "rupert", "olivia")
    assert FundHouse.SCHEDULE in in_force.intents[0].kinds
    assert in_force.number == 2
    assert steps(acme) == ["activated", "drafted", "draft_changed", "submitted", "approved", "activated"]


def test_every_step_s_event_names_the_content_before_and_after(acme: Firm, officer: Principal) -> None:
    changed_draft(officer)
    with open_scope(tenant=acme.id, reason="a test"):
        begun = Event.objects.get(action="intents.policy.drafted").payload["core"]
        change = Event.objects.get(action="intents.policy.draft_changed").payload["core"]
    assert begun["content_sha256"] == change["before_sha256"] != change["content_sha256"]
    assert change["reason"] == "Schedules belong to performance."


def test_each_step_of_a_review_names_what_gives_way_to_what(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    with as_(reviewer):
        in_force = policy_sha256(policy_in_force())
        version_comment(version.id, text="Which ones?")
        version_approve(version.id)
        after = policy_sha256(policy_in_force())
    with open_scope(tenant=acme.id, reason="a test"):
        events = Event.objects.filter(subject_id=version.id).order_by("occurred_at", "id")
        told = {event.action.rpartition(".")[2]: event.payload["core"] for event in events}
    for step in ("submitted", "commented", "approved", "activated"):
        assert (told[step]["before_sha256"], told[step]["content_sha256"]) == (in_force, after), step


def test_the_author_decides_on_nothing_of_theirs(acme: Firm) -> None:
    both = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)
    make_member(acme, "olivia", Role.REVIEWER)
    both = replace(both, roles=both.roles | {Role.REVIEWER})
    version = submitted(both)
    with as_(both):
        for decide in (version_approve, version_reject, version_send_back):
            with pytest.raises(OwnVersionError):
                decide(version.id, reason="Mine.")


def test_an_officer_approves_nothing_and_a_reviewer_drafts_nothing(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    with as_(officer), pytest.raises(PermissionDeniedError):
        version_approve(version.id)
    with as_(reviewer), pytest.raises(PermissionDeniedError):
        draft_start(reason="A change.")


def test_two_windows_on_one_draft_the_second_is_told_and_loses_nothing(acme: Firm, officer: Principal) -> None:
    version = changed_draft(officer)
    with as_(officer):
        before = version_snapshot(version)
        with pytest.raises(DraftChangedError):
            draft_save(version.id, content=replace(before, total_cap_chars=1), reason="Late.", revision=1)
        assert version_snapshot(PolicyVersion.objects.get(id=version.id)) == before


def test_a_draft_is_not_saved_by_somebody_else(acme: Firm, officer: Principal) -> None:
    version = changed_draft(officer)
    other = make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    with as_(other), pytest.raises(NotTheAuthorError, match="olivia"):
        draft_save(version.id, content=version_snapshot(version), reason="Mine now.", revision=2)


def test_a_version_in_review_is_changed_by_nobody(acme: Firm, officer: Principal) -> None:
    version = submitted(officer)
    with as_(officer), pytest.raises(NotADraftError, match="In review"):
        draft_save(version.id, content=version_snapshot(version), reason="One more thing.", revision=2)


def test_what_is_wrong_is_said_in_words_before_anybody_reviews_it(acme: Firm, officer: Principal) -> None:
    with as_(officer):
        draft = draft_start(reason="Too few examples.")
        content = version_snapshot(draft)
        draft = draft_save(draft.id, content=replace(content, examples=()), reason=draft.reason, revision=1)
        with pytest.raises(InvalidPolicyError, match="at least 5 are needed"):
            version_submit(draft.id)


def test_a_version_that_changes_nothing_is_not_reviewed(acme: Firm, officer: Principal) -> None:
    with as_(officer), pytest.raises(SamePolicyError):
        version_submit(draft_start(reason="Just so.").id)


@pytest.mark.slow
def test_a_version_below_its_own_bar_is_neither_submitted_nor_approved(
    acme: Firm, officer: Principal, reviewer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = changed_draft(officer)
    with as_(officer):
        content = version_snapshot(version)
        strict = replace(content, classifier=replace(content.classifier, minimum_golden_accuracy=1.0))
        version = draft_save(version.id, content=strict, reason="No mistakes.", revision=version.revision)
        with pytest.raises(GoldenAccuracyError, match="which is below its own bar of 100%"):
            version_submit(version.id)
    with monkeypatch.context() as patched:
        patched.setattr(reviews, "require_accuracy", lambda version, checked: None)
        with as_(officer):
            version_submit(version.id)
    with as_(reviewer), pytest.raises(GoldenAccuracyError):
        version_approve(version.id)


@pytest.mark.slow
def test_an_intent_that_no_question_reaches_is_neither_submitted_nor_approved(acme: Firm, officer: Principal) -> None:
    version = changed_draft(officer)
    with as_(officer):
        content = version_snapshot(version)
        # A twin with the same words: each of its questions is recognised as another's, or as nobody's.
        twin = replace(content.intents[0], name="twin", label="Twin", terms=())
        examples = tuple(
            replace(example, id=uuid4(), text=f"{example.text} Really?", intent="twin")
            for example in content.examples
            if example.intent == content.intents[1].name
        )
        low = replace(content.classifier, minimum_golden_accuracy=0.0)
        content = replace(
            content, intents=(*content.intents, twin), examples=(*content.examples, *examples), classifier=low
        )
        version = draft_save(version.id, content=content, reason="A twin.", revision=version.revision)
        with pytest.raises(UnreachableIntentError, match="no question reaches, Twin"):
            version_submit(version.id)


def test_with_the_provider_down_nothing_is_submitted_on_half_a_check(
    acme: Firm, officer: Principal, server: ModelServer
) -> None:
    version = changed_draft(officer)
    server.fail_with(Fault.ERROR_500, times=20)
    with as_(officer), pytest.raises(Exception, match="provider"):
        version_submit(version.id)
    with as_(officer):
        assert PolicyVersion.objects.get(id=version.id).status == VersionStatus.DRAFT


@pytest.mark.slow
def test_a_rejected_version_keeps_its_reason_and_changes_nothing(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    with as_(reviewer):
        with pytest.raises(ReasonMissingError):
            version_reject(version.id, reason="  ")
        rejected = version_reject(version.id, reason="Schedules name people.")
        assert (rejected.status, rejected.decision_reason) == (VersionStatus.REJECTED, "Schedules name people.")
        assert policy_in_force().number == 1
        with pytest.raises(NotInReviewError):
            version_approve(version.id)


@pytest.mark.slow
def test_what_is_sent_back_is_its_author_s_to_change_and_is_reviewed_again(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    with as_(reviewer):
        version_send_back(version.id, reason="Say which schedules.")
    with as_(officer):
        draft = PolicyVersion.objects.get(id=version.id)
        assert [comment.text for comment in draft.comments.all()] == ["Say which schedules."]
        draft_save(draft.id, content=version_snapshot(draft), reason="The public schedules.", revision=draft.revision)
        version_submit(draft.id)
    with as_(reviewer):
        assert version_approve(version.id).status == VersionStatus.ACTIVE
    assert steps(acme)[-5:] == ["sent_back", "draft_changed", "submitted", "approved", "activated"]


@pytest.mark.slow
def test_an_approved_version_waits_for_its_time(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer):
        waiting = version_approve(version.id, effective_from=timezone.now() + timedelta(days=1))
    assert (waiting.status, tasks.activate_due_policies()) == (VersionStatus.APPROVED, 0)
    with as_(reviewer):
        assert policy_in_force().number == 1


def wait_until(moment: datetime) -> None:
    time.sleep(max(0.0, (moment - timezone.now()).total_seconds()) + 0.01)


@pytest.mark.slow
def test_an_approved_version_comes_into_force_by_the_clock(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    soon = timezone.now() + AHEAD
    with as_(reviewer):
        version_approve(version.id, effective_from=soon)
    wait_until(soon)
    assert tasks.activate_due_policies() == 1
    with as_(reviewer):
        in_force = policy_in_force()
    assert in_force.number == 2
    assert in_force.valid_from is not None
    assert in_force.valid_from >= soon


@pytest.mark.slow
def test_versions_that_were_due_while_nothing_ran_come_into_force_in_their_order(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    first, second = submitted(officer), submitted(officer)
    soon = timezone.now() + AHEAD
    with as_(reviewer):
        version_approve(second.id, effective_from=soon - timedelta(seconds=0.1))
        version_approve(first.id, effective_from=soon)
    wait_until(soon)
    assert activate_due(acme.id) == 2
    with as_(reviewer):
        assert policy_in_force().number == first.number
        assert PolicyVersion.objects.get(id=second.id).status == VersionStatus.SUPERSEDED


@pytest.mark.slow
def test_nothing_takes_effect_in_the_past(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer), pytest.raises(InvalidMomentError):
        version_approve(version.id, effective_from=timezone.now() - timedelta(minutes=1))


def test_a_waiting_version_is_withdrawn_by_its_author_or_a_reviewer_and_by_nobody_else(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    other = make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    with as_(reviewer):
        version_approve(version.id, effective_from=timezone.now() + timedelta(days=1))
    with as_(other), pytest.raises(PermissionDeniedError):
        version_withdraw(version.id, reason="Not mine.")
    with as_(officer):
        assert version_withdraw(version.id, reason="No longer needed.").status == VersionStatus.WITHDRAWN
        with pytest.raises(NotWithdrawableError):
            version_withdraw(version.id, reason="Again.")
    with time_machine.travel(timezone.now() + timedelta(days=2)):
        assert activate_due(acme.id) == 0


@pytest.mark.slow
def test_an_older_version_comes_back_as_a_new_one(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer):
        version_approve(version.id)
    with as_(officer):
        back = draft_copy(PolicyVersion.objects.get(number=1), reason="It reached too much.")
        version_submit(back.id)
    with as_(reviewer):
        version_approve(back.id)
        in_force = policy_in_force()
    assert (in_force.number, in_force.origin) == (3, "rollback")
    assert FundHouse.SCHEDULE not in in_force.intents[0].kinds


def test_a_draft_that_the_log_speaks_of_is_kept_whoever_would_delete_it(acme: Firm, officer: Principal) -> None:
    with as_(officer):
        draft = draft_start(reason="A second thought.")
        with pytest.raises(IntegrityError, match="referenced by an event"), transaction.atomic():
            draft.delete()
        assert PolicyVersion.objects.filter(id=draft.id).exists()


def test_a_draft_that_is_thrown_away_leaves_its_number_and_its_event(acme: Firm, officer: Principal) -> None:
    with as_(officer):
        draft_discard(draft_start(reason="A thought.").id)
        assert draft_start(reason="Another.").number == 3
    assert steps(acme) == ["activated", "drafted", "withdrawn", "drafted"]


@pytest.mark.slow
def test_reviewers_are_told_by_letter_that_something_waits_and_not_what(
    acme: Firm,
    officer: Principal,
    reviewer: Principal,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    make_member(acme, "arthur", Role.AUDITOR)
    with django_capture_on_commit_callbacks(execute=True):
        submitted(officer)
    assert [message.to for message in mail.outbox] == [["rupert@example.com"]]
    assert "Policy version 2 of Acme waits" in mail.outbox[0].subject
    assert "chedule" not in mail.outbox[0].body


def test_a_comment_is_recorded_without_its_text(acme: Firm, officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer):
        version_comment(version.id, text="Is Mr Brown named in them?")
        event = Event.objects.get(action="intents.policy.commented")
        assert "Brown" not in str(event.payload)


@pytest.mark.slow
def test_a_step_that_can_t_be_recorded_does_not_happen(
    acme: Firm, officer: Principal, reviewer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = submitted(officer)

    def fail(**_: object) -> None:
        raise RuntimeError("the log is full")

    monkeypatch.setattr(reviews, "record", fail)
    with as_(reviewer), pytest.raises(RuntimeError):
        version_reject(version.id, reason="No.")
    with as_(reviewer):
        assert PolicyVersion.objects.get(id=version.id).status == VersionStatus.IN_REVIEW


@pytest.mark.slow
def test_one_that_can_t_be_recorded_is_logged_without_its_text_and_no_later_one_is_recorded_before_it(
    acme: Firm,
    officer: Principal,
    reviewer: Principal,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first, second = submitted(officer), submitted(officer)
    soon = timezone.now() + AHEAD
    with as_(reviewer):
        version_approve(first.id, effective_from=soon - timedelta(seconds=0.1))
        version_approve(second.id, effective_from=soon)
    wait_until(soon)
    activate = activation.policy_version_activate

    def fails_for_the_first(version: PolicyVersion) -> PolicyVersion:
        if version.id == first.id:
            raise InvalidPolicyError(problems=("Mr Brown's question occurs twice.",))
        return activate(version)

    monkeypatch.setattr(activation, "policy_version_activate", fails_for_the_first)
    assert activate_due(acme.id) == 0
    with as_(reviewer):
        assert policy_in_force().number == second.number
        assert PolicyVersion.objects.get(id=second.id).status == VersionStatus.APPROVED
    assert "can't be recorded as in force: InvalidPolicyError" in caplog.text
    assert "Brown" not in caplog.text
    monkeypatch.undo()
    assert activate_due(acme.id) == 2
    with as_(reviewer):
        assert policy_in_force().number == second.number


@pytest.mark.slow
def test_an_approval_takes_effect_at_once_where_the_server_s_clock_is_ahead(
    acme: Firm, officer: Principal, reviewer: Principal
) -> None:
    version = submitted(officer)
    with time_machine.travel(timezone.now() + timedelta(seconds=20)), as_(reviewer):
        assert version_approve(version.id).status == VersionStatus.ACTIVE
