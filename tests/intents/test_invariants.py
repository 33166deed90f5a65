"""Invariants of a firm: what no version of its policy may let through, by the check, the services and the database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.intents.access.reach import intent_reaches
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.fund_house import FundHouse
from apps.intents.invariants import Invariant, InvariantMode
from apps.intents.models import (
    PolicyIntent,
    PolicyIntentKind,
    PolicyInvariant,
    PolicyVersion,
    VersionOrigin,
    VersionStatus,
)
from apps.intents.proof.invariants import ASKING, broken_invariants, invariant_words
from apps.intents.proof.words import names_of
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.intents.services.versions import policy_draft_create
from apps.intents.snapshots.content import policy_content, read_content
from apps.intents.validation import policy_problems
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.deciding import version_submit
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.steps import acting, step

BASE = baseline_snapshot()
NAMES = names_of(BASE)
INTENTS = [*(rule.name for rule in BASE.intents), "unrecognised"]
KYC = Invariant(
    name="KYC files", mode=InvariantMode.ONLY, roles=(), intents=("compliance",), kinds=("compliance_profile",)
)


def with_(*invariants: Invariant, policy: PolicySnapshot = BASE) -> PolicySnapshot:
    return replace(policy, invariants=invariants)


def opened(policy: PolicySnapshot = BASE) -> PolicySnapshot:
    """Performance reaches compliance profiles too, which breaks KYC."""
    first, *rest = policy.intents
    return replace(policy, intents=(replace(first, kinds=(FundHouse.COMPLIANCE_PROFILE, *first.kinds)), *rest))


def some(values: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(values)).map(lambda each: tuple(sorted(each)))


invariants = st.builds(
    Invariant,
    name=st.just("A rule"),
    mode=st.sampled_from(InvariantMode),
    roles=some(Role.values),
    intents=some(INTENTS),
    kinds=some([kind.value for kind in BASE.kinds]),
)


def enumerated(policy: PolicySnapshot, rule: Invariant) -> set[tuple[str, str, str]]:
    """Every (role, intent, kind) against the rule, one at a time, from what the gate permits."""
    found = set()
    for intent in intent_reaches(policy):
        for kind in intent.kinds:
            for role in ASKING:
                spoken_of = (not rule.roles or role in rule.roles) and (not rule.intents or intent.name in rule.intents)
                if kind.value in rule.kinds and spoken_of is (rule.mode is InvariantMode.NEVER):
                    found.add((role, intent.name, kind.value))
    return found


@settings(max_examples=200, deadline=None)
@given(invariants)
def test_the_counterexamples_are_exactly_those_of_the_reference(rule: Invariant) -> None:
    told = {
        (role, intent, kind)
        for broken in broken_invariants(with_(rule))
        for intent, kind, roles in broken.counterexamples
        for role in roles
    }
    assert told == enumerated(BASE, rule)


def test_a_broken_invariant_is_a_problem_with_its_counterexample() -> None:
    assert policy_problems(with_(KYC)) == ()
    assert policy_problems(with_(KYC, policy=opened())) == (
        "The invariant “KYC files” is broken: Performance → Compliance profiles, asked by Analyst, Compliance officer, "
        "Reviewer or Tenant administrator.",
    )


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (replace(KYC, kinds=()), "names no kind"),
        (replace(KYC, intents=()), "forbids nothing"),
        (replace(KYC, intents=("compliance", "kyc")), "speaks of the intent “kyc”, which this version does not have"),
        (replace(KYC, roles=("auditeur",)), "speaks of the role “auditeur”"),
        (replace(KYC, kinds=("passport",)), "speaks of the kind “passport”"),
        (replace(KYC, name=" "), "needs a name"),
    ],
)
def test_an_invariant_that_speaks_of_nothing_is_a_problem(rule: Invariant, problem: str) -> None:
    assert any(problem in each for each in policy_problems(with_(rule)))


def test_an_invariant_is_told_in_words() -> None:
    assert invariant_words(KYC, NAMES) == "Only questions of the intent Compliance may reach Compliance profiles."
    never = Invariant(name="n", mode=InvariantMode.NEVER, roles=("analyst",), intents=(), kinds=("run", "schedule"))
    assert invariant_words(never, NAMES) == "No questions by the role Analyst may reach Past runs or Schedules."


def test_a_content_with_invariants_reads_back_and_one_without_keeps_its_digest() -> None:
    assert read_content(policy_content(with_(KYC))).invariants == (KYC,)
    assert "invariants" not in policy_content(BASE)
    assert policy_sha256(with_(KYC)) != policy_sha256(BASE)


def test_the_database_counts_the_same_roles_as_may_ask() -> None:
    sql = Path("apps/intents/sql/invariants.sql").read_text()
    named = re.search(r"asking constant text\[\] := '\{(.*)\}'", sql)
    assert named is not None
    assert tuple(named[1].split(",")) == ASKING


# --- What the database holds, as the application's role -------------------------------------------------------------


@contextmanager
def refused(match: str) -> Iterator[None]:
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        yield


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


def drafted(author: User, content: PolicySnapshot) -> PolicyVersion:
    with acting(author):
        return policy_draft_create(snapshot=content, number=2, origin=VersionOrigin.DRAFT, reason="A test.")


@pytest.mark.django_db
def test_a_version_that_breaks_an_invariant_is_not_submitted_by_a_statement(acme: Firm, alice: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, with_(KYC, policy=opened()))
        with acting(alice), refused(match='breaks the invariant "KYC files": performance reaches compliance_profile'):
            step(version, status=VersionStatus.IN_REVIEW)


@pytest.mark.django_db
def test_one_that_keeps_it_is(acme: Firm, alice: User) -> None:
    """The control of the attack above."""
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, with_(KYC))
        with acting(alice):
            step(version, status=VersionStatus.IN_REVIEW)
        assert version.status == VersionStatus.IN_REVIEW


@pytest.mark.django_db
@pytest.mark.parametrize("mode", InvariantMode)
@pytest.mark.parametrize("roles", [(), ("analyst",), ("auditor", "dpo"), ASKING])
@pytest.mark.parametrize("intents", [(), ("compliance",), ("compliance", "performance"), ("unrecognised",)])
def test_the_database_finds_a_broken_invariant_where_the_check_does(
    acme: Firm, alice: User, mode: InvariantMode, roles: tuple[str, ...], intents: tuple[str, ...]
) -> None:
    content = with_(replace(KYC, mode=mode, roles=roles, intents=intents))
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, content)
        with connection.cursor() as cursor:
            cursor.execute("SELECT intents_broken_invariant(%s, %s, %s)", [acme.id, version.id, version.id])
            (told,) = cursor.fetchone()
    assert bool(told) is bool(broken_invariants(content))


@pytest.mark.django_db
def test_an_intent_that_is_renamed_does_not_slip_from_under_an_invariant(acme: Firm, alice: User) -> None:
    never = replace(KYC, mode=InvariantMode.NEVER, intents=("performance",))
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, with_(never))
        with acting(alice):
            PolicyIntent.objects.filter(version=version, name="performance").update(name="figures")
            with refused(match='"KYC files": it speaks of the intent performance, which is not there'):
                step(version, status=VersionStatus.IN_REVIEW)


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["insert", "update", "delete"])
def test_no_invariant_of_a_version_in_review_is_changed(acme: Firm, alice: User, change: str) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, with_(KYC))
        with acting(alice):
            step(version, status=VersionStatus.IN_REVIEW)
            rows = PolicyInvariant.objects.filter(version=version)
            with refused(match="only a draft can be changed"):
                if change == "insert":
                    PolicyInvariant.objects.create(
                        tenant_id=acme.id,
                        version=version,
                        position=2,
                        name="x",
                        mode="never",
                        roles=[],
                        intents=[],
                        kinds=["run"],
                    )
                elif change == "update":
                    rows.update(kinds=["schedule"])
                else:
                    rows._raw_delete("default")


@pytest.mark.django_db
def test_no_invariant_of_another_person_s_draft_is_removed(acme: Firm, alice: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, with_(KYC))
        with acting(User.objects.create_user("mallory")), refused(match="only its author"):
            PolicyInvariant.objects.filter(version=version)._raw_delete("default")


@pytest.mark.django_db
def test_another_tenant_sees_no_invariant(acme: Firm, alice: User) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        drafted(alice, with_(KYC))
        assert PolicyInvariant.objects.count() == 1
    with open_scope(tenant=make_firm("zenith").id, reason="a test"):
        assert PolicyInvariant.objects.count() == 0


@pytest.mark.django_db
def test_a_draft_that_changes_after_the_check_is_refused_by_the_database(acme: Firm, alice: User) -> None:
    """The check saw a draft that kept the invariant; a kind is added before the status is written."""
    with open_scope(tenant=acme.id, reason="a test"):
        version = drafted(alice, with_(KYC))
        assert policy_problems(version_snapshot(version)) == ()
        with acting(alice):
            intent = PolicyIntent.objects.get(version=version, name="performance")
            PolicyIntentKind.objects.create(tenant_id=acme.id, intent=intent, kind="compliance_profile")
            with refused(match="breaks the invariant"):
                step(version, status=VersionStatus.IN_REVIEW)


# --- The services ---------------------------------------------------------------------------------------------------


@pytest.fixture
def officer(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.mark.django_db
def test_a_draft_keeps_its_invariants_and_the_next_draft_begins_with_them(acme: Firm, officer: Principal) -> None:
    with as_(officer):
        draft = draft_start(reason="A test.")
        saved = draft_save(draft.id, content=with_(KYC), reason="A test.", revision=draft.revision)
        assert version_snapshot(saved).invariants == (KYC,)


@pytest.mark.django_db
def test_the_service_refuses_a_submission_that_breaks_one_with_the_counterexample(
    acme: Firm, officer: Principal
) -> None:
    with as_(officer):
        draft = draft_start(reason="A test.")
        content = with_(KYC, policy=opened(version_snapshot(draft)))
        draft_save(draft.id, content=content, reason="A test.", revision=draft.revision)
        with pytest.raises(InvalidPolicyError, match="KYC files” is broken: Performance → Compliance profile"):
            version_submit(draft.id)
