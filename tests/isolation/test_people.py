"""One tenant administrator alone: whatever they write with their own token, nobody they made gets a right to approve.

For each role that approves and each way to a right. The controls take away what stops them: the triggers of the tables
and their policies, or the one trigger that an attack is about.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from uuid import UUID, uuid4

import pytest

from apps.intents.models import PolicyVersion
from apps.intents.services.drafts import draft_start
from apps.intents.services.proofs import proof_store
from apps.tenants.context import open_identity, open_scope
from apps.tenants.errors import UnknownTenantError
from apps.tenants.ids import UserId
from apps.tenants.links import digest_of
from apps.tenants.models import Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import APPROVING_ROLES, Role, approvals
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.services.api_keys import api_key_authenticate
from apps.tenants.services.invitations import invitation_accept, invited_account_create
from apps.tenants.services.members import membership_grant, membership_revoke
from apps.tenants.tokens import Identity
from tests.factories import make_invitation, make_invited, make_member, make_user
from tests.isolation.harness import changed, held, outcome, rolled_back, sql
from tests.isolation.world import World

SECRET = "known-to-the-administrator"
PREFIX = "f1f1f1f1f1f1"
_TABLES = ("tenants_membership", "tenants_invitation", "tenants_grant", "tenants_apikey")
Way = Callable[[World, Role], Principal]
# Of an invitation by amy that waits, by role.
SECRETS: dict[Role, str] = {}


@pytest.fixture(scope="module", autouse=True)
def _people(world: World) -> None:
    world.people["rita"] = make_member(world.acme, "rita", Role.REVIEWER)
    make_invited(world.acme, "amy", Role.COMPLIANCE_OFFICER, by=make_member(world.acme, "alan", Role.TENANT_ADMIN))
    world.people["amy"] = user_principal(User.objects.get_by_natural_key("amy"), world.acme.id)
    # A second account of amy's: invited by her, as anything that approves nothing.
    make_invited(world.acme, "anna", Role.ANALYST, by=world.people["amy"])
    for role in APPROVING_ROLES:
        make_invited(world.acme, f"waiting-{role.value}", role, by=world.people["amy"])
        make_invited(world.acme, f"invited-{role.value}", Role.ANALYST, by=world.people["amy"])
        SECRETS[role] = make_invitation(world.acme, "again@example.com", role, by=world.people["amy"])[1]
        make_member(world.acme, f"former-{role.value}", role)
        make_member(world.acme, f"former-{role.value}", Role.AUDITOR)
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership_revoke(Membership.objects.get(user__username=f"former-{role.value}", role=role))
        make_member(world.acme, f"present-{role.value}", role)


def without_triggers(*tables: str) -> AbstractContextManager[None]:
    return changed(
        *(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in tables or _TABLES),
        *(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY" for table in _TABLES),
        *(f"GRANT UPDATE ON {table} TO glassbox_api" for table in _TABLES),
    )


def as_amy(world: World) -> AbstractContextManager[object]:
    return open_scope(tenant=world.acme.id, principal=world.people["amy"])


def account(name: str) -> UUID:
    found = user_by_name(name)
    assert found is not None
    return UUID(str(found.id))


def principal_of(world: World, name: str) -> Principal:
    return user_principal(User.objects.get_by_natural_key(name), world.acme.id)


def insert(world: World, role: Role, user: UUID, **columns: object) -> None:
    values = {
        "tenant_id": world.acme.id,
        "user_id": user,
        "role": role.value,
        "created_by_id": account("amy"),
        **columns,
    }
    names = ", ".join(values)
    holes = ", ".join(["%s"] * len(values))
    sql(
        f"INSERT INTO tenants_membership ({names}, created_at, accepted_at, confirmed_at) "
        f"VALUES ({holes}, now(), now(), now())",
        *values.values(),
    )


def update(world: World, actor: str, assignment: str, *values: object, username: str, role: Role) -> None:
    """Change a person's membership of a role, with somebody's own token."""
    with open_scope(tenant=world.acme.id, principal=principal_of(world, actor)):
        sql(
            f"UPDATE tenants_membership SET {assignment} WHERE user_id = %s AND role = %s",
            *values,
            account(username),
            role.value,
        )


# --- The ways -------------------------------------------------------------------------------------------------------


def a_membership_for_another_account(world: World, role: Role) -> Principal:
    with as_amy(world):
        insert(world, role, account("anna"))
    return principal_of(world, "anna")


def a_membership_for_oneself(world: World, role: Role) -> Principal:
    with as_amy(world):
        insert(world, role, account("amy"), confirmed_by_id=account("rita"))
    return principal_of(world, "amy")


def a_membership_as_if_by_the_operator(world: World, role: Role) -> Principal:
    with as_amy(world):
        insert(world, role, account("anna"), created_by_id=None)
    return principal_of(world, "anna")


_CONFIRM = "confirmed_at = now(), confirmed_by_id = %s"


def confirming_ones_own_invitation(world: World, role: Role) -> Principal:
    name = f"waiting-{role.value}"
    update(world, "amy", _CONFIRM, account("amy"), username=name, role=role)
    return principal_of(world, name)


def confirming_in_a_reviewers_name(world: World, role: Role) -> Principal:
    name = f"waiting-{role.value}"
    update(world, "amy", _CONFIRM, account("rita"), username=name, role=role)
    return principal_of(world, name)


def confirming_without_a_name(world: World, role: Role) -> Principal:
    name = f"waiting-{role.value}"
    update(world, "amy", "confirmed_at = now()", username=name, role=role)
    return principal_of(world, name)


def confirming_by_a_second_account(world: World, role: Role) -> Principal:
    name = f"waiting-{role.value}"
    update(world, "anna", _CONFIRM, account("anna"), username=name, role=role)
    return principal_of(world, name)


def another_role_in_a_row_that_is_there(world: World, role: Role) -> Principal:
    name = f"invited-{role.value}"
    update(world, "amy", "role = %s", role.value, username=name, role=Role.ANALYST)
    return principal_of(world, name)


def an_old_membership_revived(world: World, role: Role) -> Principal:
    name = f"former-{role.value}"
    update(world, "amy", "revoked_at = NULL", username=name, role=role)
    return principal_of(world, name)


def a_row_given_to_another_account(world: World, role: Role) -> Principal:
    update(world, "amy", "user_id = %s", account("anna"), username=f"present-{role.value}", role=role)
    return principal_of(world, "anna")


def an_invitation_as_if_by_the_operator(world: World, role: Role) -> Principal:
    with as_amy(world):
        sql("UPDATE tenants_invitation SET created_by_id = NULL WHERE token_sha256 = %s", digest_of(SECRETS[role]))
    invitation_accept(secret=SECRETS[role], user=User.objects.get_by_natural_key("anna"))
    return principal_of(world, "anna")


def a_key_of_the_tenant(world: World, role: Role) -> Principal:
    with as_amy(world):
        insert_key(world, role, None)
    return key_principal(api_key_authenticate(f"gbx_{PREFIX}_{SECRET}"))


def a_key_in_a_reviewers_name(world: World, role: Role) -> Principal:
    with as_amy(world):
        insert_key(world, Role.REVIEWER, account("rita"))
    return key_principal(api_key_authenticate(f"gbx_{PREFIX}_{SECRET}"))


def insert_key(world: World, role: Role, person: UUID | None) -> None:
    sql(
        "INSERT INTO tenants_apikey (tenant_id, name, prefix, secret_sha256, role, created_at, expires_at, person_id) "
        "VALUES (%s, 'forged', %s, %s, %s, now(), now() + interval '1 day', %s)",
        world.acme.id,
        PREFIX,
        digest_of(SECRET),
        role.value,
        person,
    )


WAYS: list[Way] = [
    a_membership_for_another_account,
    a_membership_for_oneself,
    a_membership_as_if_by_the_operator,
    confirming_ones_own_invitation,
    confirming_in_a_reviewers_name,
    confirming_without_a_name,
    confirming_by_a_second_account,
    another_role_in_a_row_that_is_there,
    an_old_membership_revived,
    a_row_given_to_another_account,
    an_invitation_as_if_by_the_operator,
    a_key_in_a_reviewers_name,
]


@pytest.mark.parametrize("role", APPROVING_ROLES)
@pytest.mark.parametrize("way", WAYS)
def test_no_way_gives_a_right_to_approve(world: World, way: Way, role: Role) -> None:
    approved = sorted(each.value for each in approvals(role))[0]

    def attack() -> str:
        return f"may: {' '.join(sorted(way(world, role).permissions))}"

    # Accepting needs the membership's own trigger: it is the invitation's that this way is about.
    broken = ("tenants_invitation",) if way is an_invitation_as_if_by_the_operator else ()
    held(attack, loot=approved, without=lambda: without_triggers(*broken))


@pytest.mark.parametrize("role", APPROVING_ROLES)
def test_a_key_of_the_tenant_approves_nothing(world: World, role: Role) -> None:
    with rolled_back():
        assert not {each.value for each in approvals(role)} & a_key_of_the_tenant(world, role).permissions


@pytest.mark.parametrize("role", APPROVING_ROLES)
def test_the_same_is_given_by_two(world: World, role: Role) -> None:
    """The other control: it is who confirms that is refused, not the statement."""
    with rolled_back():
        name = f"waiting-{role.value}"
        update(world, "rita", "confirmed_at = now()", username=name, role=role)
        assert {each.value for each in approvals(role)} <= principal_of(world, name).permissions


# --- The link of an invitation --------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["made", "changed"])
def test_who_invites_does_not_choose_the_secret_of_the_link(world: World, when: str) -> None:
    def attack() -> str:
        with as_amy(world):
            invitation = uuid4()
            sql(
                "INSERT INTO tenants_invitation (id, tenant_id, email, role, scope_ids, created_at, token_sha256, "
                "expires_at) VALUES (%s, %s, 'victim@example.com', 'analyst', %s, now(), %s, now() + interval '1 day')",
                invitation,
                world.acme.id,
                [world.acme.root.id],
                digest_of(SECRET) if when == "made" else None,
            )
            if when == "changed":
                sql(
                    "UPDATE tenants_invitation SET token_sha256 = %s, expires_at = now() + interval '1 day' "
                    "WHERE id = %s",
                    digest_of(SECRET),
                    invitation,
                )
        user = invited_account_create(secret=SECRET, first_name="A", last_name="B", password="a long password 1")
        return f"made {user.username}"

    held(attack, loot="made victim@example.com", without=without_triggers)


def test_a_link_works_once(world: World) -> None:
    """Two at once are told apart by the row itself; here one after the other, with the application's look skipped."""
    _, secret = make_invitation(world.acme, "twice@example.com", Role.ANALYST, by=world.people["amy"])

    def attack() -> str:
        found = []
        for name in ("olga", "root"):
            user = User.objects.get_by_natural_key(name)
            principal = Principal(
                kind=world.people["amy"].kind,
                id=user.id,
                label=name,
                tenant_id=world.acme.id,
                scope_ids=frozenset(),
                roles=frozenset(),
            )
            with (
                open_scope(tenant=world.acme.id, principal=principal),
                open_identity(Identity(user=UserId(user.id), link=digest_of(secret))),
            ):
                sql(
                    "INSERT INTO tenants_membership (tenant_id, user_id, role, created_at, invitation_id, accepted_at, "
                    "confirmed_at) SELECT tenant_id, %s, role, now(), id, now(), now() FROM tenants_invitation "
                    "WHERE token_sha256 = %s",
                    user.id,
                    digest_of(secret),
                )
                found.append(name)
        return " and ".join(found)

    held(attack, loot="olga and root", without=without_triggers)


# --- An account in the hands of who asked ---------------------------------------------------------------------------

_SECOND_PERSON = "ALTER TABLE intents_policyversion DISABLE TRIGGER zz_second_person_approver_id"


def unconfirmed_account(world: World, name: str) -> User:
    """Made by amy, as any code of the application might within her scope: no mailbox was ever asked."""
    with as_amy(world):
        return make_user(name)


def approved_by(world: World, name: str) -> str:
    """What becomes of a draft of amy's, in review, that this account approves by SQL."""
    with as_amy(world):
        draft = draft_start(reason="a test")
        sql("UPDATE intents_policyversion SET status = 'in_review', submitted_at = now() WHERE id = %s", draft.id)
        proof_store(PolicyVersion.objects.get(id=draft.id))
    approver = principal_of(world, name)
    with open_scope(tenant=world.acme.id, principal=approver):
        sql(
            "UPDATE intents_policyversion SET status = 'approved', approver_id = %s, approver_label = 'x', "
            "decided_at = now(), effective_from = now(), decided_revision = revision WHERE id = %s",
            approver.id,
            draft.id,
        )
        return f"it is {PolicyVersion.objects.get(id=draft.id).status}"


def test_an_unconfirmed_account_approves_nothing_of_who_made_it(world: World) -> None:
    def attack() -> str:
        user = unconfirmed_account(world, "amys-second")
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership_grant(user=user, role=Role.REVIEWER, scopes=[world.acme.root])
        return approved_by(world, "amys-second")

    brought = held(attack, loot="it is approved", without=lambda: changed(_SECOND_PERSON))
    assert "in the same hands" in brought


def test_nor_one_that_was_made_by_an_unconfirmed_account_of_theirs(world: World) -> None:
    def attack() -> str:
        second = unconfirmed_account(world, "amys-second")
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership_grant(user=second, role=Role.TENANT_ADMIN, scopes=[world.acme.root])
        with open_scope(tenant=world.acme.id, principal=principal_of(world, "amys-second")):
            third = make_user("amys-third")
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership_grant(user=third, role=Role.REVIEWER, scopes=[world.acme.root])
        return approved_by(world, "amys-third")

    held(attack, loot="it is approved", without=lambda: changed(_SECOND_PERSON))


def test_an_account_with_a_mailbox_of_its_own_approves(world: World) -> None:
    """The control: made by amy's invitation, used by whoever reads the mailbox, confirmed by rita."""
    with rolled_back():
        _, secret = make_invitation(world.acme, "rob@example.com", Role.REVIEWER, by=world.people["amy"])
        user = invited_account_create(secret=secret, first_name="R", last_name="B", password="a long password 1")
        membership = invitation_accept(secret=secret, user=user)
        with open_scope(tenant=world.acme.id, principal=world.people["rita"]):
            sql("UPDATE tenants_membership SET confirmed_at = now() WHERE id = %s", membership.id)
        assert approved_by(world, "rob@example.com") == "it is approved"


def test_nobody_says_of_an_account_that_its_mailbox_was_confirmed(world: World) -> None:
    def attack() -> str:
        user = unconfirmed_account(world, "amys-second")
        with as_amy(world), open_identity(Identity(user=UserId(user.id))):
            sql("UPDATE tenants_accountorigin SET mailbox_confirmed_at = now() WHERE user_id = %s", user.id)
            found = sql(
                "SELECT mailbox_confirmed_at IS NOT NULL FROM tenants_accountorigin WHERE user_id = %s", user.id
            )
            return f"confirmed {found}"

    held(
        attack,
        loot="confirmed [(True,)]",
        without=lambda: changed(
            "ALTER TABLE tenants_accountorigin DISABLE TRIGGER USER",
            "ALTER TABLE tenants_accountorigin DISABLE ROW LEVEL SECURITY",
        ),
    )


def test_nobody_gives_an_account_another_mailbox(world: World) -> None:
    def attack() -> str:
        with as_amy(world), open_identity(Identity(user=UserId(account("rita")))):
            sql("UPDATE tenants_user SET email = 'amy@example.com' WHERE username = 'rita'")
            return str(sql("SELECT tenants_of_account(%s, 'rita', 'email')", account("rita")))

    held(
        attack,
        loot="amy@example.com",
        without=lambda: changed("ALTER TABLE tenants_user DISABLE TRIGGER tenants_user_address"),
    )


def test_whose_hands_an_account_is_in_is_told_of_nobody_else(world: World) -> None:
    def attack() -> object:
        with as_amy(world):
            return sql("SELECT invited_by_id FROM tenants_accountorigin")

    with rolled_back():
        assert "permission denied" in outcome(attack)


def test_who_awaits_confirmation_reaches_nothing(world: World) -> None:
    with pytest.raises(UnknownTenantError):
        principal_of(world, "waiting-reviewer")
