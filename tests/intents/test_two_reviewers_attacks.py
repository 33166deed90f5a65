"""Ways round the second reviewer: a version that waits, a dial beside the thresholds, a weaker compliance profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from apps.errors import ApplicationError
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import policy_diff
from apps.intents.errors import FollowerTakesTwoError
from apps.intents.invariants import Invariant, InvariantMode
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.policy_file import parse_policy_file, render_policy_file
from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.reviewers import TwoFor
from apps.intents.selectors import version_snapshot
from apps.intents.snapshots.content import policy_content, read_content
from apps.intents.two_reviewers import two_wanted_for
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_withdraw
from tests.factories import Firm, as_, make_member, make_user
from tests.intents.reviewing import again, drafted, submitted, wider
from tests.intents.test_two_reviewers import BASE, approval, approve_by_rows, asking_for, in_force, other_cap, refused
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

Change = Callable[[PolicySnapshot], PolicySnapshot]


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


# --- Which change takes two -------------------------------------------------------------------------------------------

PROFILE = (
    ProfileRule(
        key="crypto",
        sort=RuleSort.TOPIC,
        name="Crypto assets",
        terms=("bitcoin", "ether"),
        text="We do not advise on them.",
        in_question=InQuestion.REFUSE,
        in_answer=InAnswer.BLOCK,
    ),
    ProfileRule(
        key="markets",
        sort=RuleSort.JURISDICTIONS,
        name="Markets",
        terms=("DE",),
        text="Not there.",
        in_question=InQuestion.REFUSE,
        in_answer=InAnswer.FLAG,
    ),
    ProfileRule(key="risk", sort=RuleSort.DISCLAIMER, name="Risk", text="Capital is at risk.", intents=()),
)


def rule(key: str, **values: Any) -> Change:
    def change(policy: PolicySnapshot) -> PolicySnapshot:
        return replace(
            policy, profile=tuple(replace(each, **values) if each.key == key else each for each in policy.profile)
        )

    return change


def dial(name: str, by: float) -> Change:
    def change(policy: PolicySnapshot) -> PolicySnapshot:
        now = getattr(policy.classifier, name) + by
        return replace(policy, classifier=replace(policy.classifier, **{name: now}))

    return change


def narrower(policy: PolicySnapshot) -> PolicySnapshot:
    first, *rest = policy.intents
    return replace(policy, intents=(replace(first, kinds=first.kinds[:-1]), *rest))


def keeping_out(policy: PolicySnapshot) -> PolicySnapshot:
    never = Invariant(name="No", mode=InvariantMode.NEVER, roles=(), intents=("compliance",), kinds=("run",))
    return replace(policy, invariants=(never,))


CHANGES: dict[str, tuple[Change, TwoFor | None]] = {
    "a kind more": (wider, TwoFor.WIDER_REACH),
    "a kind less": (narrower, None),
    "a lower threshold": (dial("minimum_score", -0.01), TwoFor.WIDER_REACH),
    "a higher threshold": (dial("minimum_score", 0.01), None),
    **{
        f"{name} {'up' if by > 0 else 'down'}": (dial(name, by), TwoFor.WIDER_REACH)
        for name in ("neighbours", "term_weight", "decisive_points", "points_for_full_weight")
        for by in (-1, 1)
        if name != "term_weight" or by > 0
    },
    "another cap": (other_cap, None),
    "an invariant": (keeping_out, TwoFor.INVARIANTS),
    "a rule dropped": (lambda policy: replace(policy, profile=policy.profile[1:]), TwoFor.PROFILE),
    "every rule dropped": (lambda policy: replace(policy, profile=()), TwoFor.PROFILE),
    "a disclaimer dropped": (lambda policy: replace(policy, profile=policy.profile[:-1]), TwoFor.PROFILE),
    "rules in another order": (lambda policy: replace(policy, profile=policy.profile[::-1]), TwoFor.PROFILE),
    "questions allowed": (rule("crypto", in_question=InQuestion.ALLOW), TwoFor.PROFILE),
    "answers flagged only": (rule("crypto", in_answer=InAnswer.FLAG), TwoFor.PROFILE),
    "a word less": (rule("crypto", terms=("bitcoin",)), TwoFor.PROFILE),
    "a market more": (rule("markets", terms=("DE", "US")), TwoFor.PROFILE),
    "a bound for one intent only": (rule("markets", intents=("attribution",)), TwoFor.PROFILE),
    "a disclaimer for one intent only": (rule("risk", intents=("attribution",)), TwoFor.PROFILE),
    "another disclaimer": (rule("risk", text="Capital is safe."), TwoFor.PROFILE),
    "another name": (rule("crypto", name="Crypto"), TwoFor.PROFILE),
    "another sort": (rule("crypto", sort=RuleSort.PRODUCT), TwoFor.PROFILE),
}


def with_profile(policy: PolicySnapshot) -> PolicySnapshot:
    return replace(policy, profile=PROFILE)


def test_each_rule_catches_its_changes_and_no_others_by_the_services_and_by_the_database(
    acme: Firm, olivia: Principal
) -> None:
    """Without a rule, which is the control, every one of them takes one reviewer.

    The drafts are made once, since making one costs a hundred times what is asked of it, and carry each rule in turn.
    """
    before = drafted(olivia, with_profile)

    def then(change: Change) -> Change:
        return lambda each: change(with_profile(each))

    drafts = {name: drafted(olivia, then(change)) for name, (change, _) in CHANGES.items()}
    for asked in (None, *TwoFor):
        said, kept = {}, {}
        with as_(olivia), connection.cursor() as cursor:
            everyone = [before.id, *(draft.id for draft in drafts.values())]
            changed = PolicyVersion.objects.filter(id__in=everyone).update(two_reviewers_for=[asked] if asked else [])
            assert changed == len(everyone)
            held = version_snapshot(again(acme, before))
            assert held.two_reviewers_for == ((asked,) if asked else ())
            for name, draft in drafts.items():
                said[name] = bool(two_wanted_for(held, version_snapshot(again(acme, draft))))
                cursor.execute("SELECT intents_takes_two(%s, %s, %s)", [acme.id, before.id, draft.id])
                (kept[name],) = cursor.fetchone()
        wanted = {name: asked is not None and asked in (TwoFor.EVERYTHING, by) for name, (_, by) in CHANGES.items()}
        assert (asked, said) == (asked, wanted)
        assert (asked, kept) == (asked, wanted)


def test_the_rule_for_the_profile_is_part_of_the_content_of_the_file_and_of_the_diff() -> None:
    ruled = replace(BASE, two_reviewers_for=(TwoFor.PROFILE,))
    assert read_content(policy_content(ruled)).two_reviewers_for == (TwoFor.PROFILE,)
    assert parse_policy_file(render_policy_file(ruled), filename="p.py").two_reviewers_for == (TwoFor.PROFILE,)
    assert [change.sentence for change in policy_diff(BASE, ruled).changes] == [
        "Two reviewers are now needed for a change of the compliance profile."
    ]


@pytest.mark.slow
def test_one_reviewer_does_not_weaken_the_profile_by_any_statement(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    ruled = submitted(olivia, lambda each: asking_for(TwoFor.PROFILE)(with_profile(each)))
    with as_(rupert):
        assert version_approve(ruled.id).status == VersionStatus.ACTIVE
    weaker = again(acme, submitted(olivia, lambda each: replace(each, profile=())))
    with as_(rupert):
        with refused("takes two reviewers"):
            approve_by_rows(weaker, rupert)
        assert version_approve(weaker.id).status == VersionStatus.IN_REVIEW
    with as_(rita):
        assert version_approve(weaker.id).status == VersionStatus.ACTIVE


# --- A version that waits for its time --------------------------------------------------------------------------------


def scheduled(author: Principal, reviewer: Principal, change: Change, *, days: int = 7) -> PolicyVersion:
    version = submitted(author, change)
    with as_(reviewer):
        return version_approve(version.id, effective_from=timezone.now() + timedelta(days=days))


NARROWING: dict[str, tuple[tuple[TwoFor, ...], Change]] = {
    "it sets the rule": ((), asking_for(TwoFor.EVERYTHING)),
    "it narrows the reach": ((TwoFor.WIDER_REACH,), narrower),
    "it raises a threshold": ((TwoFor.WIDER_REACH,), dial("minimum_score", 0.01)),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", NARROWING)
def test_no_version_of_one_reviewer_waits_to_undo_what_takes_two(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal, way: str
) -> None:
    rule_before, change = NARROWING[way]
    in_force(olivia, rupert, *rule_before)
    waiting = scheduled(olivia, rupert, other_cap)
    version = again(acme, submitted(olivia, change))
    with as_(rita):
        with refused("would take two reviewers then"):
            approve_by_rows(version, rita)
        with pytest.raises(FollowerTakesTwoError, match=f"Version {waiting.number}"):
            version_approve(version.id)
        version_withdraw(waiting.id, reason="It would undo the next one.")
        assert version_approve(version.id).status == VersionStatus.ACTIVE


@pytest.mark.slow
def test_what_waits_and_undoes_nothing_is_no_obstacle(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    """The control: without a rule, and where the one that waits comes first, one reviewer suffices as before."""
    in_force(olivia, rupert)
    scheduled(olivia, rupert, other_cap)
    version = submitted(olivia, narrower)
    with as_(rupert):
        assert version_approve(version.id).status == VersionStatus.ACTIVE
    scheduled(olivia, rupert, asking_for(TwoFor.EVERYTHING), days=30)


@pytest.mark.slow
def test_what_two_have_approved_may_wait(acme: Firm, olivia: Principal, rupert: Principal, rita: Principal) -> None:
    in_force(olivia, rupert, TwoFor.WIDER_REACH)
    waiting = submitted(olivia, wider)
    with as_(rupert):
        version_approve(waiting.id)
    with as_(rita):
        version_approve(waiting.id, effective_from=timezone.now() + timedelta(days=7))
    version = submitted(olivia, lambda each: dial("minimum_score", 0.01)(narrower(each)))
    with as_(rupert):
        version_approve(version.id)
    with as_(rita):
        version.refresh_from_db()
        if version.status != VersionStatus.ACTIVE:
            version_approve(version.id)
        version.refresh_from_db()
        assert version.status == VersionStatus.ACTIVE


@pytest.mark.slow
def test_a_rule_that_waits_already_holds_for_what_may_follow_it(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal
) -> None:
    in_force(olivia, rupert)
    scheduled(olivia, rupert, asking_for(TwoFor.WIDER_REACH))
    version = again(acme, submitted(olivia, lambda each: wider(asking_for(TwoFor.WIDER_REACH)(each))))
    with as_(rupert):
        with refused("takes two reviewers"):
            approve_by_rows(version, rupert)
        assert version_approve(version.id).status == VersionStatus.IN_REVIEW
    with as_(rita):
        later = timezone.now() + timedelta(days=14)
        assert version_approve(version.id, effective_from=later).status == VersionStatus.APPROVED


# --- Two accounts of one person ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["the author's", "the first reviewer's"])
def test_an_account_in_the_same_hands_is_no_second_person(
    acme: Firm, olivia: Principal, rupert: Principal, rita: Principal, whose: str
) -> None:
    in_force(olivia, rupert, TwoFor.EVERYTHING)
    with as_(olivia if whose == "the author's" else rupert):
        make_user("rosa")
    rosa = make_member(acme, "rosa", Role.REVIEWER)
    version = again(acme, submitted(olivia, other_cap))
    with as_(rupert):
        version_approve(version.id)
    with as_(rosa):
        with refused("somebody else than its author" if whose == "the author's" else "takes two reviewers"):
            approval(version, rosa) if whose == "the author's" else approve_by_rows(version, rosa)
        with pytest.raises(ApplicationError) as raised:
            version_approve(version.id)
        assert raised.value.code in ("tenants.same_hands", "intents.own_version")
    with as_(rita):
        assert version_approve(version.id).status == VersionStatus.ACTIVE
