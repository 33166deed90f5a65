"""One person alone, with SQL of the running role and the tokens given to it, becomes no second one."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from apps.intents.models import PolicyVersion
from apps.intents.services.drafts import draft_start
from apps.intents.services.proofs import proof_store
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import UserId
from apps.tenants.links import digest_of
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.second_factor.resets import factor_reset_agree, factor_reset_ask
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.services.account_links import mailbox_confirm
from apps.tenants.services.invitations import invitation_accept, invited_account_create
from apps.tenants.services.members import membership_confirm, membership_grant
from apps.tenants.tokens import Identity
from tests.factories import make_invitation, make_invited, make_member
from tests.isolation.harness import changed, outcome, rolled_back, sql
from tests.isolation.world import World
from tests.raising import raises_code

SECRET = "known-to-the-attacker"


@pytest.fixture(scope="module", autouse=True)
def _people(world: World) -> None:
    world.people["rita"] = make_member(world.acme, "rita", Role.REVIEWER)
    world.people["rob"] = make_member(world.acme, "rob", Role.REVIEWER)
    make_member(world.acme, "amy", Role.COMPLIANCE_OFFICER)
    world.people["amy"] = principal_of(world, "amy")


def account(name: str) -> UUID:
    found = user_by_name(name)
    assert found is not None
    return UUID(str(found.id))


def principal_of(world: World, name: str) -> Principal:
    return user_principal(User.objects.get_by_natural_key(name), world.acme.id)


def approved_by(world: World, name: str) -> str:
    """What becomes of a draft of amy's, in review, that this account approves by SQL."""
    with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
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


def test_an_account_is_in_the_hands_of_who_made_it_though_they_put_their_token_away(world: World) -> None:
    """The scope's token is a setting: for one statement it is emptied, and the account comes from nobody."""

    def attack() -> str:
        with (
            open_scope(tenant=world.acme.id, principal=world.people["amy"]),
            open_identity(Identity(username="amys-second")),
        ):
            (token,) = sql("SELECT current_setting('glassbox.scope')")[0]
            sql("SELECT set_config('glassbox.scope', '', true)")
            sql(
                "INSERT INTO tenants_user (username, password, email, first_name, last_name, is_active, is_staff, "
                "is_superuser, date_joined) "
                "VALUES ('amys-second', '', 'x@example.com', '', '', true, true, false, now())"
            )
            sql("SELECT set_config('glassbox.scope', %s, true)", token)
        with open_scope(tenant=world.acme.id, reason="a test"):
            membership_grant(
                user=User.objects.get_by_natural_key("amys-second"), role=Role.REVIEWER, scopes=[world.acme.root]
            )
        return approved_by(world, "amys-second")

    with rolled_back():
        assert "it is approved" not in outcome(attack)


def test_an_administrator_who_reviews_makes_no_second_reviewer_of_mailboxes_of_theirs(world: World) -> None:
    """Amy administers and reviews. She invites a mailbox as administrator, that one invites another as a reviewer, and
    she confirms it: who confirms has invited whoever invited."""

    def attack() -> str:
        make_member(world.acme, "amy", Role.REVIEWER)
        amy = principal_of(world, "amy")
        _, secret = make_invitation(world.acme, "amy.2@example.com", Role.TENANT_ADMIN, by=amy)
        second = invited_account_create(secret=secret, first_name="A", last_name="2", password="a long password 1")
        invitation_accept(secret=secret, user=second)
        _, secret = make_invitation(
            world.acme, "amy.3@example.com", Role.REVIEWER, by=principal_of(world, "amy.2@example.com")
        )
        third = invited_account_create(secret=secret, first_name="A", last_name="3", password="a long password 1")
        membership = invitation_accept(secret=secret, user=third)
        with open_scope(tenant=world.acme.id, principal=amy):
            membership_confirm(membership)
        return approved_by(world, "amy.3@example.com")

    with rolled_back():
        assert "it is approved" not in outcome(attack)


def test_who_is_signed_in_by_a_password_alone_makes_no_recovery_code(world: World) -> None:
    """A factor is taken away with a code alone; a recovery code, which is as good as one, is just written."""

    def attack() -> str:
        rita = world.people["rita"]
        with open_identity(Identity(user=UserId(account("rita")))):
            sql(
                "INSERT INTO tenants_secondfactor (user_id, sealed, created_at, last_step) VALUES (%s, 'x', now(), 0)",
                rita.id,
            )
            sql("UPDATE tenants_secondfactor SET confirmed_at = now(), last_step = 1 WHERE user_id = %s", rita.id)
        # Somebody has the session of rita, and not the device.
        with (
            open_scope(tenant=world.acme.id, principal=replace(rita, stepped_up=False)),
            open_identity(Identity(user=UserId(account("rita")))),
        ):
            sql(
                "INSERT INTO tenants_recoverycode (user_id, code_sha256) VALUES (%s, %s)",
                rita.id,
                digest_of("0123456789abcdef"),
            )
            used = sql(
                "UPDATE tenants_recoverycode SET used_at = now() WHERE code_sha256 = %s RETURNING 'taken'",
                digest_of("0123456789abcdef"),
            )
            return f"a code of the attacker's is {used}"

    with rolled_back():
        assert "taken" not in outcome(attack)


def test_nobody_but_the_platform_chooses_the_secret_of_an_accounts_link(world: World) -> None:
    """As with an invitation's. Rita's account gets amy's mailbox, by a link that no letter ever held."""

    def attack() -> str:
        with (
            open_scope(tenant=world.acme.id, principal=world.people["amy"]),
            open_identity(Identity(user=UserId(account("rita")))),
        ):
            sql(
                "INSERT INTO tenants_accountlink (user_id, purpose, email, token_sha256, created_at, expires_at) "
                "VALUES (%s, 'email', 'amy@example.com', %s, now(), now())",
                account("rita"),
                digest_of(SECRET),
            )
        mailbox_confirm(secret=SECRET)
        return f"rita is {User.objects.get_by_natural_key('rita').email}"

    with rolled_back():
        assert "rita is amy@example.com" not in outcome(attack)


def test_a_factor_is_not_asked_for_of_somebody_who_is_no_member(world: World) -> None:
    """Two of Acme's take the factor away that guards the decisions of Bolt's data protection officer."""

    def attack() -> str:
        dee = account("dee")
        with open_identity(Identity(user=UserId(dee))):
            sql(
                "INSERT INTO tenants_secondfactor (user_id, sealed, created_at, last_step) VALUES (%s, 'x', now(), 0)",
                dee,
            )
            sql("UPDATE tenants_secondfactor SET confirmed_at = now(), last_step = 1 WHERE user_id = %s", dee)
        reset = uuid4()
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            sql(
                "INSERT INTO tenants_factorreset (id, tenant_id, user_id, reason, asked_by_id, asked_at) "
                "VALUES (%s, %s, %s, 'lost', %s, now())",
                reset,
                world.acme.id,
                dee,
                world.people["amy"].id,
            )
        with open_scope(tenant=world.acme.id, principal=world.people["rita"]):
            sql(
                "UPDATE tenants_factorreset SET agreed_at = now(), agreed_by_id = %s WHERE id = %s",
                world.people["rita"].id,
                reset,
            )
            with open_identity(Identity(user=UserId(dee))):
                return str(sql("DELETE FROM tenants_secondfactor WHERE user_id = %s RETURNING 'gone'", dee))

    with rolled_back():
        assert "gone" not in outcome(attack)


@pytest.mark.parametrize("in_bolt", [False, True])
def test_two_of_one_tenant_do_not_take_away_what_guards_another(world: World, in_bolt: bool) -> None:
    """By the pages' own services: dee decides in Bolt, and is an analyst in Acme. It goes once two of Bolt agree."""

    def attack() -> str:
        make_member(world.acme, "dee", Role.ANALYST)
        dee = User.objects.get_by_natural_key("dee")
        with open_identity(Identity(user=UserId(dee.id))):
            sql(
                "INSERT INTO tenants_secondfactor (user_id, sealed, created_at, last_step) VALUES (%s, 'x', now(), 0)",
                dee.id,
            )
            sql("UPDATE tenants_secondfactor SET confirmed_at = now(), last_step = 1 WHERE user_id = %s", dee.id)
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            reset = factor_reset_ask(dee, reason="lost")
        with open_scope(tenant=world.acme.id, principal=world.people["rita"]):
            factor_reset_agree(reset)
        if in_bolt:
            make_member(world.bolt, "bea", Role.TENANT_ADMIN)
            with open_scope(
                tenant=world.bolt.id, principal=user_principal(User.objects.get_by_natural_key("bea"), world.bolt.id)
            ):
                reset = factor_reset_ask(dee, reason="lost")
            with open_scope(tenant=world.bolt.id, principal=make_member(world.bolt, "bo", Role.REVIEWER)):
                factor_reset_agree(reset)
        with open_identity(Identity(user=UserId(dee.id))):
            left = sql("SELECT 1 FROM tenants_secondfactor WHERE user_id = %s", dee.id)
        return "stays" if left else "gone"

    with rolled_back():
        assert outcome(attack) == ("gone" if in_bolt else "stays")


def test_an_operator_confirms_where_everybody_else_invited(world: World) -> None:
    """What a small firm does whose one reviewer is its one administrator. Asking for it again changes nothing."""
    with rolled_back():
        make_member(world.acme, "amy", Role.REVIEWER)
        amy = principal_of(world, "amy")
        waiting = make_invited(world.acme, "first-reviewer", Role.REVIEWER, by=amy)
        with raises_code("tenants.same_hands"), open_scope(tenant=world.acme.id, principal=amy):
            membership_confirm(waiting)
        confirmed = make_member(world.acme, "first-reviewer", Role.REVIEWER)
        assert Role.REVIEWER in confirmed.roles
        assert make_member(world.acme, "first-reviewer", Role.REVIEWER) == confirmed


def test_who_stands_outside_of_the_chain_confirms(world: World) -> None:
    """The control of the chain: rita was invited by nobody in it."""
    with rolled_back():
        make_member(world.acme, "amy", Role.REVIEWER)
        make_invited(world.acme, "second-admin", Role.TENANT_ADMIN, by=principal_of(world, "amy"))
        waiting = make_invited(world.acme, "third", Role.REVIEWER, by=principal_of(world, "second-admin"))
        with (
            raises_code("tenants.invited_by_themselves"),
            open_scope(tenant=world.acme.id, principal=principal_of(world, "amy")),
        ):
            membership_confirm(waiting)
        with open_scope(tenant=world.acme.id, principal=world.people["rita"]):
            membership_confirm(waiting)
        assert Role.REVIEWER in principal_of(world, "third").roles


def test_two_names_that_read_alike_are_not_both_made(world: World) -> None:
    """By SQL too: the database folds them."""

    def made(name: str) -> str:
        with open_identity(Identity(username=name, founds=True)):
            sql(
                "INSERT INTO tenants_user (username, password, email, first_name, last_name, is_active, is_staff, "
                "is_superuser, date_joined) VALUES (%s, '', '', '', '', true, true, false, now())",
                name,
            )
        return "it is made"

    # By the constraint alone: the policy of new accounts is away.
    with changed("ALTER TABLE tenants_user DISABLE ROW LEVEL SECURITY"):
        assert made("rosa@example.com") == "it is made"
        for alike in (
            "Rosa@example.com",
            "ROSA@\N{FULLWIDTH LATIN SMALL LETTER E}xample.com",
            "r\N{CYRILLIC SMALL LETTER O}sa@example.com",
            "R\N{CYRILLIC CAPITAL LETTER O}SA@example.com",
            "ros\N{GREEK SMALL LETTER ALPHA}@example.com",
            "ROSA@EXA\N{CYRILLIC CAPITAL LETTER EM}PLE.CO\N{GREEK CAPITAL LETTER MU}",
            "rosa\N{ZERO WIDTH SPACE}@example.com",
        ):
            assert "tenants_user_name_folded" in outcome(lambda name=alike: made(name))  # type: ignore[misc]
        assert made("rosa@example.org") == "it is made"
        assert made("\N{CYRILLIC SMALL LETTER ER}\N{CYRILLIC SMALL LETTER YA}@example.org") == "it is made"
