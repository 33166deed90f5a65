"""Attacks on proofs and invariants that need several connections: what the owner alters, and races."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import psycopg
import pytest
from django.conf import LazySettings
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from apps.audit.services import record
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError, ProofAlteredError
from apps.intents.fund_house import FundHouse
from apps.intents.invariants import Invariant, InvariantMode
from apps.intents.models import (
    PolicyIntent,
    PolicyIntentKind,
    PolicyInvariant,
    PolicyProof,
    PolicyVersion,
    VersionStatus,
)
from apps.intents.proof.contracts import Theorem
from apps.intents.proof.rendering import FIRST_FORMAT, proof_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import draft_save
from apps.intents.services.proofs import kept_proof, policy_prove
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.conftest import admin_dsn
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_send_back, version_submit
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.profile.rules import ATLAS, PAST, TAX
from tests.intents.reviewing import drafted, submitted, wider
from tests.intents.test_invariants import KYC
from tests.isolation.test_live_races import beside, looking
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield make_firm()


@pytest.fixture
def officer(firm: Firm) -> Principal:
    return make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def reviewer(firm: Firm) -> Principal:
    return make_member(firm, "rupert", Role.REVIEWER)


def as_owner(*statements: str) -> None:
    with psycopg.connect(admin_dsn(), dbname=connection.settings_dict["NAME"], autocommit=True) as owner:
        for statement in statements:
            owner.execute(statement)


_OFF = "ALTER TABLE intents_policyproof DISABLE TRIGGER intents_proof_written"
_ON = "ALTER TABLE intents_policyproof ENABLE TRIGGER intents_proof_written"
_ALTERED = "UPDATE intents_policyproof SET text = replace(text, '\"holds\":false', '\"holds\":true')"
_DIGEST = "UPDATE intents_policyproof SET sha256 = encode(sha256(convert_to(text, 'UTF8')), 'hex')"


@pytest.mark.parametrize(
    ("statements", "problem"),
    [
        ((_ALTERED,), "does not have its digest"),
        ((_ALTERED, _DIGEST), "the audit log names another digest"),
    ],
)
def test_a_proof_that_the_database_s_owner_alters_is_found_and_nothing_is_approved_by_it(
    officer: Principal, reviewer: Principal, statements: tuple[str, ...], problem: str
) -> None:
    version = submitted(officer)
    as_owner(_OFF, *statements, _ON)
    with as_(reviewer), pytest.raises(ProofAlteredError, match=problem):
        version_approve(version.id)


def test_a_proof_that_nobody_altered_is_approved_by(officer: Principal, reviewer: Principal) -> None:
    """The control: the same statements without the alteration."""
    version = submitted(officer)
    as_owner(_OFF, _DIGEST, _ON)
    with as_(reviewer):
        assert version_approve(version.id).status == VersionStatus.ACTIVE


def test_without_the_trigger_a_broken_invariant_gets_through(firm: Firm, officer: Principal) -> None:
    """The control of the attack below: nothing else in the database holds an invariant."""
    version = _with_broken_invariant(officer)
    as_owner("ALTER TABLE intents_policyversion DISABLE TRIGGER intents_version_keeps_invariants")
    try:
        with as_(officer):
            PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)
    finally:
        as_owner("ALTER TABLE intents_policyversion ENABLE TRIGGER intents_version_keeps_invariants")


def test_with_it_none_does(officer: Principal) -> None:
    version = _with_broken_invariant(officer)
    with as_(officer), pytest.raises(IntegrityError, match='breaks the invariant "KYC files"'):
        PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)


@pytest.mark.parametrize(
    ("level", "match"),
    [("REPEATABLE READ", "sees what is committed meanwhile"), ("READ COMMITTED", 'breaks the invariant "KYC files"')],
)
def test_what_is_added_to_a_draft_meanwhile_is_not_submitted(officer: Principal, level: str, match: str) -> None:
    """The race: a transaction looks at the draft, a kind is added in another one, and then the first submits."""
    version = drafted(officer, lambda policy: replace(wider(policy), invariants=(KYC,)))

    def add() -> None:
        with as_(officer):
            intent = PolicyIntent.objects.get(version=version, name="performance")
            PolicyIntentKind.objects.create(tenant_id=version.tenant_id, intent=intent, kind="compliance_profile")

    with looking(level, officer):
        assert PolicyInvariant.objects.filter(version=version).count() == 1
        beside(add)
        with pytest.raises(IntegrityError, match=match), transaction.atomic():
            PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)


def _with_broken_invariant(officer: Principal) -> PolicyVersion:
    draft = drafted(officer)
    with as_(officer):
        content = version_snapshot(draft)
        first, *rest = content.intents
        broken = replace(first, kinds=tuple(dict.fromkeys((*first.kinds, *rest[0].kinds))))
        content = replace(content, intents=(broken, *rest), invariants=(KYC,))
        return draft_save(draft.id, content=content, reason=draft.reason, revision=draft.revision)


def test_an_invariant_is_held_for_the_version_that_has_it_and_not_for_another_tenant(
    firm: Firm, officer: Principal
) -> None:
    version = _with_broken_invariant(officer)
    other = make_firm("zenith")
    with open_scope(tenant=other.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute("SELECT intents_broken_invariant(%s, %s, %s)", [firm.id, version.id, version.id])
        assert cursor.fetchone() == (None,)


# --- An invariant dropped together with what it forbids -------------------------------------------------------------

_NEVER = replace(KYC, mode=InvariantMode.NEVER, intents=("performance",))


def _opened(policy: PolicySnapshot, *, rename: str = "") -> PolicySnapshot:
    """Performance reaches compliance profiles, and has another name where one is given. It has no invariants."""
    first, *rest = policy.intents
    name = rename or first.name
    kinds = (*first.kinds, FundHouse.COMPLIANCE_PROFILE)
    examples = tuple(replace(each, intent=name) if each.intent == first.name else each for each in policy.examples)
    intents = (replace(first, name=name, kinds=kinds), *rest)
    return replace(policy, intents=intents, examples=examples, invariants=())


def _in_force(officer: Principal, reviewer: Principal, invariant: Invariant = KYC) -> PolicyVersion:
    version = submitted(officer, lambda policy: replace(wider(policy), invariants=(invariant,)))
    with as_(reviewer):
        return version_approve(version.id)


_WAYS: Final[Mapping[str, Callable[[PolicySnapshot], PolicySnapshot]]] = {
    "dropped": _opened,
    "renamed": lambda policy: replace(_opened(policy), invariants=(replace(KYC, name="KYC files "),)),
    "with another intent": lambda policy: replace(
        _opened(policy), invariants=(replace(KYC, intents=("compliance", "performance")),)
    ),
    "of no kind": lambda policy: replace(_opened(policy), invariants=(replace(KYC, kinds=("schedule",)),)),
    "of other roles": lambda policy: replace(
        _opened(policy), invariants=(replace(KYC, mode=InvariantMode.NEVER, roles=("auditor",), intents=()),)
    ),
    "with its letters from another alphabet": lambda policy: replace(
        _opened(policy), invariants=(replace(KYC, name="\u041aYC files", kinds=("schedule",)),)
    ),
}


@pytest.mark.parametrize("way", _WAYS)
def test_no_version_drops_or_changes_an_invariant_and_does_what_it_forbade(
    officer: Principal, reviewer: Principal, way: str
) -> None:
    _in_force(officer, reviewer)
    draft = drafted(officer, _WAYS[way])
    with as_(officer):
        with pytest.raises(InvalidPolicyError, match="still has to keep it"):
            version_submit(draft.id)
        with pytest.raises(IntegrityError, match=r"breaks (?:what version 2 before it forbids|the invariant)"):
            PolicyVersion.objects.filter(id=draft.id).update(status=VersionStatus.IN_REVIEW)


@pytest.mark.parametrize("rename", ["figures", "perf0rmance"])
def test_an_intent_that_is_renamed_with_the_invariant_dropped_is_still_meant(
    officer: Principal, reviewer: Principal, rename: str
) -> None:
    _in_force(officer, reviewer, _NEVER)
    draft = drafted(officer, lambda policy: _opened(policy, rename=rename))
    with as_(officer):
        with pytest.raises(InvalidPolicyError, match="still has to keep it"):
            version_submit(draft.id)
        with pytest.raises(IntegrityError, match="breaks what version 2 before it forbids"):
            PolicyVersion.objects.filter(id=draft.id).update(status=VersionStatus.IN_REVIEW)


def test_two_versions_and_two_approvals_do(officer: Principal, reviewer: Principal) -> None:
    """The control: one drops it, and the next permits it."""
    _in_force(officer, reviewer)
    for change in (lambda policy: replace(policy, invariants=()), _opened):
        version = submitted(officer, change)
        with as_(reviewer):
            assert version_approve(version.id).status == VersionStatus.ACTIVE


def test_a_version_that_was_submitted_before_the_invariant_came_into_force_is_not_approved(
    officer: Principal, reviewer: Principal
) -> None:
    waiting = submitted(officer, lambda policy: _opened(wider(policy)))
    _in_force(officer, reviewer)
    with as_(reviewer):
        with pytest.raises(InvalidPolicyError, match="still has to keep it"):
            version_approve(waiting.id)
        _refused_by_the_database(waiting, reviewer, "breaks what version 3 before it forbids")


def test_none_is_approved_for_later_while_one_that_drops_the_invariant_waits_for_its_time(
    officer: Principal, reviewer: Principal
) -> None:
    """Neither by approving the second step before the first is in force, nor by slipping an invariant before it."""
    _in_force(officer, reviewer)
    dropping = submitted(officer, lambda policy: replace(policy, invariants=()))
    tomorrow = timezone.now() + timedelta(days=1)
    with as_(reviewer):
        version_approve(dropping.id, effective_from=tomorrow)
    draft = drafted(officer, _opened)
    with as_(officer), pytest.raises(InvalidPolicyError, match="still has to keep it"):
        version_submit(draft.id)


def test_no_invariant_comes_into_force_before_a_version_that_is_approved_and_breaks_it(
    officer: Principal, reviewer: Principal
) -> None:
    later = submitted(officer, lambda policy: _opened(wider(policy)))
    with as_(reviewer):
        version_approve(later.id, effective_from=timezone.now() + timedelta(days=1))
    strict = submitted(officer, lambda policy: replace(wider(policy), invariants=(KYC,)))
    with as_(reviewer):
        with pytest.raises(InvalidPolicyError, match="approved to follow, would break it: withdraw it first"):
            version_approve(strict.id)
        _refused_by_the_database(strict, reviewer, "policy version 2 breaks what version 3 before it forbids")


def test_two_approvals_at_once_take_turns(officer: Principal, reviewer: Principal) -> None:
    """Each by itself would pass: the second sees what the first has put in force while it waited."""
    opened = submitted(officer, lambda policy: _opened(wider(policy)))
    strict = submitted(officer, lambda policy: replace(wider(policy), invariants=(KYC,)))

    def approve() -> None:
        with as_(reviewer):
            version_approve(strict.id)

    with looking("READ COMMITTED", reviewer):
        assert PolicyVersion.objects.get(id=opened.id).status == VersionStatus.IN_REVIEW
        beside(approve)
        _refused_by_the_database(opened, reviewer, "policy version 2 breaks what version 3 before it forbids")


# --- Approvals without the proof ------------------------------------------------------------------------------------


def _approve_by_sql(version: PolicyVersion, reviewer: Principal) -> None:
    PolicyVersion.objects.filter(id=version.id).update(
        status=VersionStatus.APPROVED,
        approver_id=reviewer.id,
        approver_label="rupert",
        decided_revision=F("revision"),
        effective_from=timezone.now(),
    )


def _refused_by_the_database(version: PolicyVersion, reviewer: Principal, match: str) -> None:
    with pytest.raises(IntegrityError, match=match), transaction.atomic():
        _approve_by_sql(version, reviewer)


def test_a_version_without_a_proof_is_not_approved_by_a_statement(officer: Principal, reviewer: Principal) -> None:
    version = drafted(officer)
    with as_(officer):
        PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)
    with as_(reviewer):
        _refused_by_the_database(version, reviewer, "approved by the proof of what it changes")


def test_one_with_a_proof_is(officer: Principal, reviewer: Principal) -> None:
    """The control of the attack above."""
    version = submitted(officer)
    with as_(reviewer):
        _approve_by_sql(version, reviewer)
        assert PolicyVersion.objects.get(id=version.id).status == VersionStatus.APPROVED


def test_the_proof_of_an_earlier_submission_is_none_of_this_one(officer: Principal, reviewer: Principal) -> None:
    version = submitted(officer)
    with as_(reviewer):
        version_send_back(version.id, reason="Once more.")
    with as_(officer):
        PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)
    with as_(reviewer):
        _refused_by_the_database(version, reviewer, "approved by the proof of what it changes")


def _with_remover(policy: PolicySnapshot) -> PolicySnapshot:
    first, second, *rest = wider(policy).budgets
    return replace(wider(policy), budgets=(first, replace(second, removers=(Role.DPO,)), *rest))


def _forged(body: dict[str, Any], how: str, other: dict[str, Any]) -> str:
    """Return a proof's file as its author might write it by hand."""
    after, before = body["after"], body["before"]
    match how:
        case "of another version":
            return json.dumps(other)
        case "with another version's content":
            after["content"] = other["after"]["content"]
        case "without a kind":
            after["content"]["intents"][0]["kinds"].pop()
        case "with a kind more":
            after["content"]["fallback"]["kinds"].append("run")
        case "of the first form":
            body["format"] = FIRST_FORMAT
        case "with other uploaders":
            after["content"]["budgets"][0]["uploaders"] = [Role.TENANT_ADMIN.value]
        case "without a remover":
            after["content"]["budgets"][1]["removers"] = []
        case "with another class":
            after["content"]["budgets"][0]["retention_class"] = "record"
        case "with a kind retired":
            after["content"]["budgets"][0]["retired"] = True
        case "with a kind twice":
            after["content"]["budgets"].append(after["content"]["budgets"][0])
        case "with two reviewers":
            after["content"]["two_reviewers_for"] = ["everything"]
        case "without its intents":
            after["content"]["intents"] = []
        case "against another version":
            before["version_id"] = other["after"]["version_id"]
        case "against nothing":
            before["version_id"] = None
        case "of nothing":
            return "{}"
        case "no JSON":
            return "It changes nothing."
        case "a list":
            return json.dumps([body])
        case "with a key twice":
            return json.dumps(body)[:-1] + ', "after": ' + json.dumps(after) + "}"
    return json.dumps(body)


_FORGED: Final = (
    *("of another version", "with another version's content", "without a kind", "with a kind more"),
    *("without its intents", "against another version", "against nothing", "of nothing", "no JSON", "a list"),
    *("of the first form", "with other uploaders", "without a remover", "with another class", "with a kind retired"),
    *("with a kind twice", "with two reviewers", "with a key twice", "as it was"),
)


@pytest.mark.parametrize("how", _FORGED)
def test_the_author_keeps_no_proof_of_something_else(officer: Principal, reviewer: Principal, how: str) -> None:
    with as_(officer):
        other = kept_proof(submitted(officer, lambda policy: _opened(wider(policy))))
    assert other is not None
    version = drafted(officer, _with_remover)
    with as_(officer):
        PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)
        version = PolicyVersion.objects.get(id=version.id)
        body = json.loads(policy_prove(policy_in_force(), version_snapshot(version)).text())
        text = _forged(body, how, other.content)
        row = {"tenant_id": version.tenant_id, "version": version, "revision": version.revision, "text": text}
        if how == "as it was":
            PolicyProof.objects.create(**row, sha256=proof_sha256(text))
            return
        with pytest.raises(IntegrityError, match="a proof is"):
            PolicyProof.objects.create(**row, sha256=proof_sha256(text))


@pytest.mark.parametrize("theorem", list(Theorem))
def test_a_proof_that_says_otherwise_than_follows_from_it_is_approved_by_nobody(
    officer: Principal, reviewer: Principal, theorem: Theorem
) -> None:
    """Its author wrote it by hand, with the digest in the log: the service decides each theorem anew."""
    # Some theorems are stated only where there is a profile.
    version = drafted(officer, lambda policy: replace(wider(policy), profile=(TAX, ATLAS, PAST)))
    with as_(officer):
        PolicyVersion.objects.filter(id=version.id).update(status=VersionStatus.IN_REVIEW)
        version = PolicyVersion.objects.get(id=version.id)
        body = json.loads(policy_prove(policy_in_force(), version_snapshot(version)).text())
        row = next(each for each in body["theorems"] if each["theorem"] == theorem.value)
        row["holds"] = not row["holds"]
        digest = proof_sha256(text := json.dumps(body))
        PolicyProof.objects.create(
            tenant_id=version.tenant_id, version=version, revision=version.revision, text=text, sha256=digest
        )
        core = {"number": 2, "origin": "draft", "reason": "x", "author": "olivia", "proof_sha256": digest}
        core |= {"before_sha256": body["before"]["content_sha256"], "content_sha256": body["after"]["content_sha256"]}
        record(action="intents.policy.submitted", core=core, subject_type="policy_version", subject_id=version.id)
    with as_(reviewer), pytest.raises(ProofAlteredError, match="says something else than follows"):
        version_approve(version.id)
