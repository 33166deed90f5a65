"""Two reviewers, where the version in force asks for them: by the services, and as the database holds it by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, ProgrammingError, connection, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.models import Event
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import policy_diff
from apps.intents.errors import AlreadyApprovedError, FirstOfTwoError, OwnVersionError, VersionChangedError
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.invariants import Invariant, InvariantMode
from apps.intents.models import PolicyApproval, PolicyVersion, VersionStatus
from apps.intents.policy_file import parse_policy_file, render_policy_file
from apps.intents.reviewers import TwoFor, sort_two_for
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services import reviews
from apps.intents.services.approvals import approvals_of, two_wanted
from apps.intents.services.checking import Checked
from apps.intents.services.drafts import draft_save
from apps.intents.snapshots.content import policy_content, read_content
from apps.intents.two_reviewers import two_wanted_for
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_send_back, version_submit
from tests.factories import Firm, as_, make_member
from tests.intents.reviewing import again, drafted, submitted, wider
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

BASE = baseline_snapshot()
KEEP_OUT = Invariant(
    name="Schedules stay with analysts", mode=InvariantMode.NEVER, roles=(), intents=("compliance",), kinds=("run",)
)


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def olivia(acme: Firm, server: ModelServer) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def rita(acme: Firm) -> Principal:
    return make_member(acme, "rita", Role.REVIEWER)


def asking_for(*touches: TwoFor) -> Callable[[PolicySnapshot], PolicySnapshot]:
    def change(snapshot: PolicySnapshot) -> PolicySnapshot:
        bar = replace(snapshot.classifier, minimum_golden_accuracy=0.0)
        return replace(snapshot, two_reviewers_for=touches, classifier=bar)

    return change


def in_force(olivia: Principal, rupert: Principal, *touches: TwoFor) -> PolicyVersion:
    """A version with the rule, by one reviewer: the one before it asks for no more."""
    version = submitted(olivia, asking_for(*touches))
    with as_(rupert):
        return version_approve(version.id)


def other_cap(snapshot: PolicySnapshot) -> PolicySnapshot:
    return replace(snapshot, total_cap_chars=snapshot.total_cap_chars - 1)


# --- The rule ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "change", "wanted"),
    [
        ((), wider, False),
        ((TwoFor.EVERYTHING,), other_cap, True),
        ((TwoFor.WIDER_REACH,), wider, True),
        ((TwoFor.WIDER_REACH,), other_cap, False),
        ((TwoFor.WIDER_REACH,), lambda each: replace(each, invariants=(KEEP_OUT,)), False),
        ((TwoFor.WIDER_REACH,), asking_for(), True),
        ((TwoFor.INVARIANTS,), lambda each: replace(each, invariants=(KEEP_OUT,)), True),
        ((TwoFor.INVARIANTS,), wider, False),
        (
            (TwoFor.WIDER_REACH,),
            lambda each: replace(each, classifier=replace(each.classifier, minimum_score=0.0)),
            True,
        ),
        (
            (TwoFor.WIDER_REACH,),
            lambda each: replace(each, classifier=replace(each.classifier, minimum_score=5.0)),
            False,
        ),
    ],
)
def test_the_rule_of_the_version_in_force_says_what_takes_two_and_the_database_says_the_same(
    acme: Firm,
    olivia: Principal,
    rule: tuple[TwoFor, ...],
    change: Callable[[PolicySnapshot], PolicySnapshot],
    wanted: bool,
) -> None:
    ruled = drafted(olivia, lambda each: replace(each, two_reviewers_for=rule))
    draft = drafted(olivia, lambda each: replace(change(replace(each, two_reviewers_for=rule))))
    with open_scope(tenant=acme.id, reason="a test"), connection.cursor() as cursor:
        before, after = version_snapshot(ruled), version_snapshot(draft)
        assert bool(two_wanted_for(before, after)) is wanted
        cursor.execute("SELECT intents_takes_two(%s, %s, %s)", [acme.id, ruled.id, draft.id])
        assert cursor.fetchone() == (wanted,)


KINDS = st.lists(st.sampled_from(FUND_HOUSE), unique=True, max_size=3).map(tuple)


@given(before=KINDS, after=KINDS)
def test_reach_is_wider_exactly_where_a_kind_comes_to_an_intent(before: Any, after: Any) -> None:
    def policy(kinds: Any) -> PolicySnapshot:
        rules = tuple(replace(rule, kinds=kinds) if rule.name == "attribution" else rule for rule in BASE.intents)
        return replace(BASE, intents=rules, two_reviewers_for=(TwoFor.WIDER_REACH,))

    assert bool(two_wanted_for(policy(before), policy(after))) is bool(set(after) - set(before))


def test_the_rule_is_part_of_the_content_of_the_file_and_of_the_diff_and_of_no_digest_without_one() -> None:
    ruled = replace(BASE, two_reviewers_for=(TwoFor.WIDER_REACH, TwoFor.INVARIANTS))
    assert "two_reviewers_for" not in policy_content(BASE)
    assert read_content(policy_content(ruled)).two_reviewers_for == ruled.two_reviewers_for
    assert parse_policy_file(render_policy_file(ruled), filename="p.py").two_reviewers_for == ruled.two_reviewers_for
    assert [change.sentence for change in policy_diff(BASE, ruled).changes] == [
        "Two reviewers are now needed for a change by which questions reach more, or are recognised more easily.",
        "Two reviewers are now needed for a change of the invariants.",
    ]
    assert sort_two_for(["invariants", "everything", "invariants"]) == (TwoFor.EVERYTHING, TwoFor.INVARIANTS)


def test_a_file_with_an_unknown_change_is_refused_with_its_place() -> None:
    text = render_policy_file(replace(BASE, two_reviewers_for=(TwoFor.EVERYTHING,))).replace('"everything"', '"all"')
    with pytest.raises(Exception, match=r'there is no change "all"'):
        parse_policy_file(text, filename="p.py")


# --- By the services --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_first_approval_leaves_it_in_review_and_the_second_puts_it_in_force(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = submitted(olivia)
    with as_(rupert):
        assert two_wanted(version)
        assert version_approve(version.id, reason="Fine.").status == VersionStatus.IN_REVIEW
        with pytest.raises(AlreadyApprovedError):
            version_approve(version.id)
        assert policy_in_force().number == 2
    with as_(rita):
        assert version_approve(version.id).status == VersionStatus.ACTIVE
        version.refresh_from_db()
        assert [each.approver_label for each in approvals_of(version)] == ["rupert", "rita"]
    with open_scope(tenant=acme.id, reason="a test"):
        events = Event.objects.filter(subject_id=version.id).order_by("occurred_at", "id")
        assert [event.action.removeprefix("intents.policy.") for event in events][-3:] == [
            "first_approved",
            "approved",
            "activated",
        ]


@pytest.mark.slow
def test_what_the_rule_does_not_name_takes_one(olivia: Principal, rupert: Principal) -> None:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = submitted(olivia, other_cap)
    with as_(rupert):
        assert version_approve(version.id).status == VersionStatus.ACTIVE


@pytest.mark.slow
def test_a_draft_does_not_lower_the_rule_for_itself(olivia: Principal, rupert: Principal) -> None:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = submitted(olivia, lambda each: replace(wider(each), two_reviewers_for=()))
    with as_(rupert):
        assert version_approve(version.id).status == VersionStatus.IN_REVIEW


@pytest.mark.slow
def test_the_first_says_no_time_and_the_author_is_never_one_of_the_two(
    acme: Firm, rupert: Principal, rita: Principal, server: ModelServer
) -> None:
    make_member(acme, "otto", Role.COMPLIANCE_OFFICER)
    both = make_member(acme, "otto", Role.REVIEWER)
    in_force(both, rupert, TwoFor.EVERYTHING)
    version = submitted(both, other_cap)
    with as_(rupert), pytest.raises(FirstOfTwoError):
        version_approve(version.id, effective_from=timezone.now() + timedelta(days=1))
    with as_(rupert):
        version_approve(version.id)
    with as_(both), pytest.raises(OwnVersionError):
        version_approve(version.id)


@pytest.mark.slow
def test_an_approval_is_of_the_revision_that_was_read_and_lapses_with_it(
    olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version = submitted(olivia)
    with as_(rupert):
        version_approve(version.id)
        read = again_revision(version)
    with as_(rita):
        version_send_back(version.id, reason="Say which schedules.")
    with as_(olivia):
        version.refresh_from_db()
        draft_save(version.id, content=version_snapshot(version), reason="The public ones.", revision=version.revision)
        version_submit(version.id)
    with as_(rita):
        version.refresh_from_db()
        assert approvals_of(version) == []
        with pytest.raises(VersionChangedError):
            reviews.version_approve(version.id, revision=read, checked=Checked(version_id=version.id))
        assert version_approve(version.id).status == VersionStatus.IN_REVIEW
    with as_(rupert):
        assert version_approve(version.id).status == VersionStatus.ACTIVE


@pytest.mark.slow
def test_an_approval_lapses_when_another_version_comes_into_force(
    olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    """What the version changes is another thing then, and the first of the two has not read it."""
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    version, between = submitted(olivia), submitted(olivia, other_cap)
    with as_(rupert):
        version_approve(version.id)
        version_approve(between.id)
        assert approvals_of(version) == []
    with as_(rita):
        version.refresh_from_db()
        with refused("takes two reviewers"):
            approve_by_rows(version, rita)
        assert version_approve(version.id).status == VersionStatus.IN_REVIEW
    with as_(rupert):
        assert version_approve(version.id).status == VersionStatus.ACTIVE


def again_revision(version: PolicyVersion) -> int:
    version.refresh_from_db()
    return version.revision


# --- What the database holds by itself --------------------------------------------------------------------------------


@contextmanager
def refused(match: str) -> Iterator[None]:
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        yield


def approve_by_rows(version: PolicyVersion, person: Principal) -> None:
    PolicyVersion.objects.filter(id=version.id).update(
        status=VersionStatus.APPROVED,
        approver_id=person.id,
        approver_label=person.label,
        effective_from=timezone.now(),
        decided_revision=version.revision,
    )


def approval(version: PolicyVersion, person: Principal, **values: Any) -> PolicyApproval:
    said = {"approver_id": person.id, "approver_label": person.label, "revision": version.revision, **values}
    with transaction.atomic():
        made: PolicyApproval = PolicyApproval.objects.create(tenant_id=version.tenant_id, version=version, **said)
    return made


@pytest.fixture
def asked(acme: Firm, olivia: Principal, rupert: Principal) -> PolicyVersion:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    return again(acme, submitted(olivia))


@pytest.mark.slow
def test_one_person_does_not_approve_what_takes_two_by_any_statement(
    asked: PolicyVersion, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    with as_(rupert):
        with refused("takes two reviewers"):
            approve_by_rows(asked, rupert)
        approval(asked, rupert)
        with refused("takes two reviewers"):
            approve_by_rows(asked, rupert)
        with refused("own name"):
            approval(asked, rita)
        with refused("nobody approves it twice"):
            approval(asked, rupert)
        with refused("the revision that is in review"):
            approval(asked, rupert, revision=asked.revision - 1)
    with as_(rita):
        approve_by_rows(asked, rita)
        asked.refresh_from_db()
        assert asked.status == VersionStatus.APPROVED


@pytest.mark.slow
def test_neither_the_author_nor_who_may_not_approve_is_one_of_the_two(
    acme: Firm, asked: PolicyVersion, olivia: Principal
) -> None:
    with as_(replace(olivia, roles=frozenset({Role.REVIEWER}))), refused("somebody else than its author"):
        approval(asked, olivia)
    anna = make_member(acme, "anna", Role.ANALYST)
    with as_(anna), refused("own name"):
        approval(asked, anna)


@pytest.mark.slow
def test_no_statement_changes_or_removes_an_approval(asked: PolicyVersion, rupert: Principal) -> None:
    with as_(rupert):
        approval(asked, rupert, note="Fine.")
        for statement in ("UPDATE intents_policyapproval SET note = ''", "DELETE FROM intents_policyapproval"):
            with (
                pytest.raises(ProgrammingError, match="permission denied"),
                transaction.atomic(),
                connection.cursor() as cursor,
            ):
                cursor.execute(statement)


@pytest.mark.slow
def test_the_rule_of_a_submitted_version_is_not_changed(asked: PolicyVersion, olivia: Principal) -> None:
    with as_(olivia), refused("only a draft can be changed"):
        PolicyVersion.objects.filter(number=2).update(two_reviewers_for=[])


@pytest.mark.slow
@pytest.mark.parametrize("column", ["decision_reason", "decided_at", "approver_label"])
def test_the_note_of_a_decision_is_never_edited(
    olivia: Principal, rupert: Principal, rita: Principal, column: str
) -> None:
    version = in_force(olivia, rupert)
    for person in (olivia, rita):
        with as_(person), refused("is set by"):
            PolicyVersion.objects.filter(id=version.id).update(
                **{column: timezone.now() if column == "decided_at" else "Never said."}
            )
