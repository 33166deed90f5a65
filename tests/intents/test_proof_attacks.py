"""Attacks on proofs and invariants that need several connections: what the owner alters, and races."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from django.conf import LazySettings
from django.db import IntegrityError, connection, transaction

from apps.intents.errors import ProofAlteredError
from apps.intents.models import PolicyIntent, PolicyIntentKind, PolicyInvariant, PolicyVersion, VersionStatus
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.conftest import admin_dsn
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_firm, make_member
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
        broken = replace(first, kinds=(*first.kinds, *rest[0].kinds))
        content = replace(content, intents=(broken, *rest), invariants=(KYC,))
        return draft_save(draft.id, content=content, reason=draft.reason, revision=draft.revision)


def test_an_invariant_is_held_for_the_version_that_has_it_and_not_for_another_tenant(
    firm: Firm, officer: Principal
) -> None:
    version = _with_broken_invariant(officer)
    other = make_firm("zenith")
    with open_scope(tenant=other.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute("SELECT intents_broken_invariant(%s, %s)", [firm.id, version.id])
        assert cursor.fetchone() == (None,)
