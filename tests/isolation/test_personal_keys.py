"""Attempts to act as somebody else by a key of theirs, or to make one's own key do more than oneself.

Acme's people: ann (analyst in fund:alpha), amy and nia (tenant administrators, nia in fund:alpha), olivia (officer and
reviewer at once). What an impostor is after is the name in which a forged key signs in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from django.db.models import Q
from django.test import Client
from django.utils import timezone

from apps.corpus.jobs import RunOutcome
from apps.corpus.models import JobState
from apps.corpus.services import documents
from apps.intents.errors import OwnVersionError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import UserId
from apps.tenants.models import ApiKey, Grant, Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors import grants
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.services.api_keys import api_key_authenticate, api_key_create, api_key_insert
from apps.tenants.services.members import grants_set
from apps.tenants.services.people import membership_scopes_set
from apps.tenants.services.personal_keys import personal_key_rotate
from apps.tenants.tokens import Identity
from tests.corpus.ingesting import PATIENT, ingest, job, long_report, run, vectors
from tests.deciding import version_approve, version_submit
from tests.factories import make_key, make_member, make_personal_key
from tests.isolation.harness import changed, held, outcome, rolled_back, sql, wall_down
from tests.isolation.test_revocation import (
    PART_BYTES,
    WORD,
    api_path,
    assert_download_ends,
    in_the_second_batch,
    key_revoked,
    membership_revoked,
    shown,
    user_deactivated,
    with_key,
)
from tests.isolation.world import World, canary
from tests.visitor import Visitor

PREFIX, SECRET = "f0f0f0f0f0f0", "known-to-the-impostor"
FORGED = f"gbx_{PREFIX}_{SECRET}"
DIGEST = hashlib.sha256(SECRET.encode()).hexdigest()


@pytest.fixture(scope="module", autouse=True)
def _people(world: World) -> None:
    world.people["nia"] = make_member(world.acme, "nia", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    make_member(world.acme, "olivia", Role.COMPLIANCE_OFFICER)
    make_member(world.acme, "olivia", Role.REVIEWER)
    world.people["olivia"] = user_principal(User.objects.get_by_natural_key("olivia"), world.acme.id)
    make_member(world.acme, "rupert", Role.REVIEWER)
    world.people["amy by key"] = make_personal_key(world.acme, "amy", role=Role.TENANT_ADMIN)[0]
    world.people["the tenant's key"] = make_key(world.acme, Role.TENANT_ADMIN)[0]


def id_of(world: World, person: str) -> UUID:
    found = world.people[person].id
    assert found is not None
    return found


def name_behind(plain: str) -> str:
    return key_principal(api_key_authenticate(plain)).label


def insert_key(tenant: UUID, person: UUID, role: str, scope: UUID) -> None:
    [(key,)] = sql(
        "INSERT INTO tenants_apikey (tenant_id, name, prefix, secret_sha256, role, created_at, expires_at, person_id) "
        "VALUES (%s, 'forged', %s, %s, %s, now(), now() + interval '1 day', %s) RETURNING id",
        tenant,
        PREFIX,
        DIGEST,
        role,
        person,
    )
    sql(
        "INSERT INTO tenants_grant (tenant_id, scope_id, api_key_id, valid_from) VALUES (%s, %s, %s, now())",
        tenant,
        scope,
        key,
    )


# --- A key in another's name ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("impostor", "victim", "role"),
    [
        ("ann", "amy", Role.TENANT_ADMIN),
        ("amy", "ann", Role.ANALYST),
        ("nia", "amy", Role.TENANT_ADMIN),
        ("the tenant's key", "amy", Role.TENANT_ADMIN),
        # A key makes no key, not even for its own person: it would outlive its own revocation.
        ("amy by key", "amy", Role.TENANT_ADMIN),
        # Nor does the platform: it signs in no one's name.
        ("", "ann", Role.ANALYST),
    ],
)
def test_no_statement_makes_a_key_in_a_name_that_is_not_signed_in(
    world: World, impostor: str, victim: str, role: Role
) -> None:
    def attack() -> str:
        principal = world.people[impostor] if impostor else None
        with open_scope(tenant=world.acme.id, principal=principal, reason="" if principal else "a test"):
            insert_key(world.acme.id, id_of(world, victim), role.value, world.scope_id("acme", "fund:alpha"))
        return name_behind(FORGED)

    brought = held(attack, loot=f"{victim} (key forged)")
    assert "row-level security" in brought


def test_a_person_makes_one_for_themselves_by_the_same_statement(world: World) -> None:
    """The other control: it is the name that is refused, not the statement."""
    with rolled_back():
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            insert_key(world.acme.id, id_of(world, "ann"), "analyst", world.scope_id("acme", "fund:alpha"))
        assert name_behind(FORGED) == "ann (key forged)"


def test_a_key_of_another_tenant_s_member_is_not_made_from_here(world: World) -> None:
    def attack() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            insert_key(world.bolt.id, id_of(world, "ben"), "analyst", world.scope_id("bolt", "fund:alpha"))
        return name_behind(FORGED)

    held(attack, loot="ben (key forged)")


def test_the_service_below_makes_none_for_another_whoever_calls_it(world: World) -> None:
    def attack() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            _, plain = api_key_insert(
                name="forged",
                role=Role.ANALYST,
                scopes=[world.acme.scopes["fund:alpha"]],
                expires_at=timezone.now() + timedelta(days=1),
                person_id=UserId(id_of(world, "ann")),
            )
        return name_behind(plain)

    held(attack, loot="ann (key forged)")


def key_of_the_page(world: World) -> str:
    """Amy fills in the administrator's page, with fields that it does not have."""
    person = str(id_of(world, "ann"))
    page = Visitor("amy").send(
        "tenants_apikey_add",
        name="forged",
        role="analyst",
        scopes=[str(world.scope_id("acme", "fund:alpha"))],
        life_days="30",
        person=person,
        person_id=person,
    )
    return str(page.tree.xpath("string(//*[@id='secret'])"))


def test_the_administrator_s_page_makes_none_for_another_even_if_it_took_the_field(world: World) -> None:
    def taking_the_field(**typed: Any) -> tuple[ApiKey, str]:
        return api_key_insert(person_id=UserId(id_of(world, "ann")), **typed)

    def attack() -> str:
        with patch("apps.tenants.admin.api_key.api_key_create", taking_the_field):
            return name_behind(key_of_the_page(world))

    held(attack, loot="ann (key forged)")
    with rolled_back():
        assert name_behind(key_of_the_page(world)).startswith("forged (gbx_")


# --- A key of the tenant's, made by a key ---------------------------------------------------------------------------


def key_by_statement(world: World, maker: str, role: Role) -> str:
    """Of the tenant's, which acts for nobody: the role that it opens."""
    with open_scope(tenant=world.acme.id, principal=world.people[maker]):
        [(key,)] = sql(
            "INSERT INTO tenants_apikey (tenant_id, name, prefix, secret_sha256, role) "
            "VALUES (%s, 'forged', %s, %s, %s) RETURNING id",
            world.acme.id,
            PREFIX,
            DIGEST,
            role.value,
        )
        sql(
            "INSERT INTO tenants_grant (tenant_id, scope_id, api_key_id) VALUES (%s, %s, %s)",
            world.acme.id,
            world.scope_id("acme", "fund:alpha"),
            key,
        )
    return f"opens as {next(iter(key_principal(api_key_authenticate(FORGED)).roles))}"


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("maker", ["the tenant's key", "amy by key", "ann"])
def test_no_key_makes_a_key(world: World, maker: str, role: Role) -> None:
    """It would outlive its own revocation, and might make one that may more than itself."""
    brought = held(lambda: key_by_statement(world, maker, role), loot=f"opens as {role.value}")
    assert "row-level security" in brought


def test_an_administrator_who_is_signed_in_makes_one_by_the_same_statement(world: World) -> None:
    with rolled_back():
        assert key_by_statement(world, "amy", Role.ANALYST) == "opens as analyst"


def test_it_is_the_policy_of_its_own_that_stops_the_tenant_s_key(world: World) -> None:
    held(
        lambda: key_by_statement(world, "the tenant's key", Role.DPO),
        loot="opens as dpo",
        without=lambda: changed("DROP POLICY by_who_is_signed_in ON tenants_apikey"),
    )


@pytest.mark.parametrize("way", [api_key_create, api_key_insert])
def test_no_service_makes_one_for_a_key(world: World, way: Callable[..., tuple[ApiKey, str]]) -> None:
    def attack() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["the tenant's key"]):
            _, plain = way(name="forged", role=Role.ANALYST, scopes=[world.acme.scopes["fund:alpha"]])
        return f"opens as {next(iter(key_principal(api_key_authenticate(plain)).roles))}"

    assert "opens as" not in outcome(attack)


# --- A key that becomes another's -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value"),
    [("person_id", "{amy}"), ("secret_sha256", DIGEST), ("role", "reviewer")],
)
def test_neither_person_nor_secret_nor_role_of_a_key_is_ever_changed(world: World, column: str, value: str) -> None:
    """nia is an administrator too; the key whose person she changes is her own, the others are amy's."""
    victim = "nia" if column == "person_id" else "amy"

    def attack() -> str:
        principal, _ = make_personal_key(world.acme, victim, role=Role.TENANT_ADMIN, scopes=["fund:alpha"])
        with open_scope(tenant=world.acme.id, principal=world.people["nia"]):
            [(found,)] = sql(
                f"UPDATE tenants_apikey SET {column} = %s WHERE id = %s RETURNING {column} || ' is changed'",
                value.format(amy=id_of(world, "amy")),
                principal.key_id,
            )
        return str(found)

    held(
        attack,
        loot="is changed",
        without=lambda: changed(f"GRANT UPDATE ({column}) ON tenants_apikey TO glassbox_api"),
    )


# --- More than its person holds -------------------------------------------------------------------------------------


def give(key: UUID, tenant: UUID, scope: UUID) -> str:
    [(given,)] = sql(
        "INSERT INTO tenants_grant (tenant_id, scope_id, api_key_id, valid_from) VALUES (%s, %s, %s, now()) "
        "RETURNING scope_id::text || ' is given'",
        tenant,
        scope,
        key,
    )
    return str(given)


@pytest.mark.parametrize("giver", ["ann", "amy", "the tenant's key", ""])
def test_a_person_s_key_is_given_no_scope_by_another_and_none_that_they_lack(world: World, giver: str) -> None:
    beta = world.scope_id("acme", "fund:beta")

    def attack() -> str:
        principal, _ = make_personal_key(world.acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
        assert principal.key_id is not None
        actor = world.people[giver] if giver else None
        with open_scope(tenant=world.acme.id, principal=actor, reason="" if actor else "a test"):
            return give(principal.key_id, world.acme.id, beta)

    held(attack, loot="is given", without=lambda: wall_down(["tenants_grant"]))


def test_an_ordinary_key_is_given_its_scopes_as_before(world: World) -> None:
    """The other control: an administrator's right over the tenant's own keys is what it was."""
    with rolled_back(), open_scope(tenant=world.acme.id, principal=world.people["amy"]):
        key, _ = api_key_create(name="portal", role=Role.ANALYST, scopes=[world.acme.scopes["fund:alpha"]])
        grants_set(api_key=key, scopes=[world.acme.scopes["fund:beta"]])
        valid = Grant.objects.filter(api_key=key, valid_to__isnull=True)
        assert list(valid.values_list("scope_id", flat=True)) == [world.scope_id("acme", "fund:beta")]


def test_an_administrator_ends_the_grants_of_a_person_s_key(world: World) -> None:
    with rolled_back():
        principal, _ = make_personal_key(world.acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            grants_set(api_key=ApiKey.objects.get(id=principal.key_id), scopes=[])
            assert not Grant.objects.filter(api_key_id=principal.key_id, valid_to__isnull=True).exists()


@contextmanager
def reading_keys_by(reader: Callable[[ApiKey, UserId], Principal]) -> Iterator[None]:
    """An application that makes a principal of a person's key in another way; nothing of it stays."""
    with rolled_back(), patch("apps.tenants.selectors.grants._person_by_key", reader):
        yield


def unbounded(key: ApiKey, person_id: UserId) -> Principal:
    """A reader of keys that forgets to ask what the person reaches now."""
    principal = bounded(key, person_id)
    with open_identity(Identity(directory=principal.tenant_id)):
        return replace(principal, scope_ids=grants._granted(principal.tenant_id, Q(api_key_id=key.id)))


bounded = grants._person_by_key


def test_a_scope_that_the_person_lost_is_not_reached_by_a_key_that_was_given_it(world: World) -> None:
    beta = f"/api/v1/documents/{world.document('acme', 'fund:beta')}/"

    def attack() -> Any:
        make_member(world.acme, "nora", Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
        _, plain = make_personal_key(world.acme, "nora", role=Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership = Membership.objects.get(user__username="nora")
            membership_scopes_set(membership, scopes=[world.acme.scopes["fund:alpha"]])
        return with_key(plain).get(beta)

    held(
        attack,
        loot=canary("acme", "fund:beta"),
        without=lambda: reading_keys_by(unbounded),
    )


def test_a_role_that_the_person_lacks_is_not_gained_by_writing_it_into_a_key(world: World) -> None:
    def unchecked(key: ApiKey, person_id: UserId) -> Principal:
        return replace(world.people["ann"], roles=frozenset({Role(key.role)}), key_id=key.id)

    def attack() -> list[str]:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            insert_key(world.acme.id, id_of(world, "ann"), "tenant_admin", world.scope_id("acme", "fund:alpha"))
        return sorted(key_principal(api_key_authenticate(FORGED)).permissions)

    held(
        attack,
        loot="document.delete",
        without=lambda: reading_keys_by(unchecked),
    )


@pytest.mark.parametrize("life", ["366 days", "10 years"])
def test_the_database_lets_no_key_of_a_person_live_longer_than_a_year(world: World, life: str) -> None:
    def attack() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            insert_key(world.acme.id, id_of(world, "ann"), "analyst", world.scope_id("acme", "fund:alpha"))
            [(until,)] = sql(
                "UPDATE tenants_apikey SET expires_at = created_at + %s::interval WHERE prefix = %s "
                "RETURNING 'lives until ' || expires_at",
                life,
                PREFIX,
            )
        return str(until)

    held(
        attack,
        loot="lives until",
        without=lambda: changed(
            "ALTER TABLE tenants_apikey DROP CONSTRAINT personal_key_ends_within_a_year",
            "ALTER TABLE tenants_apikey DISABLE TRIGGER tenants_apikey_stays_ended",
        ),
        alone=("ALTER TABLE tenants_apikey DISABLE TRIGGER tenants_apikey_stays_ended",),
    )


# --- After its end --------------------------------------------------------------------------------------------------


def own_key_revoked(world: World, plain: str) -> None:
    key_revoked(world.acme, plain)


def own_key_expired(world: World, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        personal_key_rotate(key, expires_at=timezone.now() + timedelta(days=1), overlap=timedelta(0))


def person_left(world: World, plain: str) -> None:
    membership_revoked(world.acme, "ann")


def person_deactivated(world: World, plain: str) -> None:
    user_deactivated(world.acme, "ann")


ENDS = (own_key_revoked, own_key_expired, person_left, person_deactivated)
ends = pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)


@ends
def test_the_next_request_by_a_key_that_ended_is_refused(world: World, end: Callable[[World, str], None]) -> None:
    with rolled_back():
        _, plain = make_personal_key(world.acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
        assert WORD in shown(with_key(plain).get(api_path(world)), 200)
        end(world, plain)
        assert WORD not in shown(with_key(plain).get(api_path(world)), 401)


@ends
def test_a_running_job_stops_with_the_key_by_which_it_was_begun(
    world: World, end: Callable[[World, str], None]
) -> None:
    with rolled_back():
        principal, plain = make_personal_key(world.acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
        undisturbed = ingest(world.acme, long_report(5), principal=principal)
        with in_the_second_batch(lambda: None):
            assert run(world.acme, undisturbed.job) is RunOutcome.SUCCEEDED

        disturbed = ingest(world.acme, long_report(6), principal=principal)
        with in_the_second_batch(lambda: end(world, plain)):
            assert run(world.acme, disturbed.job) is RunOutcome.FAILED
        ended = job(world.acme, disturbed.job.id)
        assert (ended.state, ended.error_code) == (JobState.FAILED, "corpus.actor_revoked")
        assert len(vectors(world.acme, disturbed.document.id)) == PATIENT.batch_chunks


@ends
def test_an_open_download_ends_with_the_key_that_opened_it(
    world: World, end: Callable[[World, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "PART_BYTES", PART_BYTES)
    with rolled_back():
        _, plain = make_personal_key(world.acme, "ann", role=Role.ANALYST, scopes=["fund:alpha"])
        assert_download_ends(
            world, with_key(plain), f"{api_path(world)}content/", lambda: end(world, plain), id_of(world, "ann")
        )


def test_a_key_is_no_session_of_the_admin(world: World) -> None:
    with rolled_back():
        _, plain = make_personal_key(world.acme, "amy", role=Role.TENANT_ADMIN)
        by_key = Client(headers={"authorization": f"Bearer {plain}"})
        assert by_key.get("/admin/tenants/membership/").status_code == 302
        assert Visitor("amy").get("/admin/tenants/membership/").status_code == 200


# --- Four eyes ------------------------------------------------------------------------------------------------------


@contextmanager
def reviewed_by_key(world: World, reviewer: str) -> Iterator[PolicyVersion]:
    """A version of olivia's in review, and the reviewer's own key at work on it."""
    with ExitStack() as stack:
        author, _ = make_personal_key(world.acme, "olivia", role=Role.COMPLIANCE_OFFICER)
        with open_scope(tenant=world.acme.id, principal=author):
            draft = draft_start(reason="A smaller answer.")
            content = replace(version_snapshot(draft), total_cap_chars=14000)
            version = draft_save(draft.id, content=content, reason=draft.reason, revision=1)
            version_submit(version.id)
        principal, _ = make_personal_key(world.acme, reviewer, role=Role.REVIEWER)
        stack.enter_context(open_scope(tenant=world.acme.id, principal=principal))
        yield version


@pytest.mark.slow
def test_another_person_s_key_approves_in_that_person_s_name(world: World) -> None:
    with rolled_back(), reviewed_by_key(world, "rupert") as version:
        active = version_approve(version.id)
        assert active.status == VersionStatus.ACTIVE
        assert (active.author_id, active.author_label) == (id_of(world, "olivia"), "olivia (key script)")
        assert active.approver_id == User.objects.get_by_natural_key("rupert").id


@pytest.mark.slow
def test_nobody_approves_their_own_version_by_a_key_of_their_own(world: World) -> None:
    with rolled_back(), reviewed_by_key(world, "olivia") as version, pytest.raises(OwnVersionError):
        version_approve(version.id)


@pytest.mark.slow
def test_nor_does_the_database_let_them(world: World) -> None:
    def attack() -> str:
        with reviewed_by_key(world, "olivia") as version:
            [(done,)] = sql(
                "UPDATE intents_policyversion SET status = 'approved', approver_id = %s, approver_label = 'olivia', "
                "effective_from = now() + interval '1 day', decided_revision = revision WHERE id = %s "
                "RETURNING status || ' by ' || approver_label",
                id_of(world, "olivia"),
                version.id,
            )
        return str(done)

    held(
        attack,
        loot="approved by olivia",
        without=lambda: changed(
            "ALTER TABLE intents_policyversion DISABLE TRIGGER ab_flow",
            "ALTER TABLE intents_policyversion DISABLE TRIGGER zz_second_person_approver_id",
            "ALTER TABLE intents_policyversion DROP CONSTRAINT policy_version_four_eyes",
        ),
    )
