"""Members: invited, confirmed, given other scopes, ended; and nobody of another tenant is found by it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from apps.tenants.context import open_scope
from apps.tenants.models import Grant, Invitation, Membership, User
from apps.tenants.roles import APPROVING_ROLES, Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.invitations import invitation_of_link, invitations_waiting
from apps.tenants.selectors.people import user_by_name
from apps.tenants.services.invitations import invitation_link
from apps.tenants.services.people import membership_scopes_set
from tests.factories import Firm, as_, make_firm, make_invited, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    return Visitor("alice")


def membership_of(firm: Firm, username: str) -> Membership:
    with open_scope(tenant=firm.id, reason="a test"):
        found: Membership = Membership.objects.get(user__username=username)
        return found


def reached(firm: Firm, username: str) -> set[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        grants = Grant.objects.filter(membership__user__username=username, valid_to__isnull=True)
        return set(grants.values_list("scope__key", flat=True))


def invite(visitor: Visitor, firm: Firm, mailbox: str, **changes: object) -> Page:
    fields = {"email": mailbox, "role": "analyst", "scopes": [str(firm.scopes["fund:alpha"].id)], **changes}
    return visitor.send("tenants_membership_add", **fields)


def waiting(firm: Firm) -> list[Invitation]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(invitations_waiting())


def test_an_invitation_makes_neither_an_account_nor_a_membership(alice: Visitor, acme: Firm) -> None:
    page = invite(alice, acme, "bob@Example.com")
    assert page.status == 302
    assert [(each.email, each.role, each.sent_at) for each in waiting(acme)] == [("bob@example.com", "analyst", None)]
    assert user_by_name("bob@example.com", any_case=True) is None
    assert "bob@example.com" in alice.open("tenants_membership_changelist").text


@pytest.mark.slow
def test_nothing_is_told_of_an_account_that_is_there(alice: Visitor, acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(bolt, "bob", Role.DPO, password="the own password")

    def answers(name: str) -> str:
        address = f"{name}@example.com"
        sent = invite(alice, acme, address)
        body = alice.open("tenants_membership_changelist").response.content.decode()
        body = re.sub(r"[0-9a-f-]{36}|nonce=\S+|value=\"\S{64}\"|csrf\S+", "", body)
        alice.send("tenants_membership_withdraw", waiting(acme)[0].id)
        alice.open("tenants_membership_changelist")
        return f"{sent.status} {sent.response.headers['Location']} {body}".replace(name, "somebody")

    assert answers("bob") == answers("dora")
    assert Client().login(username="bob", password="the own password")


@pytest.mark.parametrize(
    ("field", "typed"), [("email", "nowhere"), ("email", "o'b@example.com"), ("role", "king"), ("scopes", [])]
)
def test_what_is_wrong_stands_beside_its_field(alice: Visitor, acme: Firm, field: str, typed: object) -> None:
    page = invite(alice, acme, "bob@example.com", **{field: typed})
    assert page.errors_of(field)
    assert waiting(acme) == []


def test_an_invitation_is_withdrawn(alice: Visitor, acme: Firm) -> None:
    invite(alice, acme, "bob@example.com")
    [invitation] = waiting(acme)
    secret = invitation_link(acme.id, invitation.id)
    alice.send("tenants_membership_withdraw", invitation.id)
    assert waiting(acme) == []
    assert invitation_of_link(secret) is None


@pytest.mark.slow
@pytest.mark.parametrize("role", APPROVING_ROLES)
def test_a_role_that_approves_waits_for_a_second_person(acme: Firm, role: Role) -> None:
    ann = make_member(acme, "alice", Role.TENANT_ADMIN)
    make_member(acme, "rita", Role.REVIEWER)
    membership = make_invited(acme, "bob", role, by=ann)
    own = Visitor("alice").open("tenants_membership_change", membership.id)
    assert "Awaiting confirmation" in own.text
    assert Visitor("alice").send("tenants_membership_confirm", membership.id).status == 403
    page = Visitor("rita").open("tenants_membership_confirm", membership.id)
    assert "invited by alice" in page.text
    Visitor("rita").send("tenants_membership_confirm", membership.id)
    confirmed = membership_of(acme, "bob")
    assert confirmed.is_in_force
    assert "alice, confirmed by rita" in Visitor("alice").open("tenants_membership_change", membership.id).text


def test_who_invited_does_not_confirm_though_they_hold_the_role(acme: Firm) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    make_member(acme, "alice", Role.REVIEWER)
    alice = user_principal(User.objects.get_by_natural_key("alice"), acme.id)
    membership = make_invited(acme, "bob", Role.REVIEWER, by=alice)
    assert "You can't confirm it" in Visitor("alice").open("tenants_membership_change", membership.id).text
    page = Visitor("alice").send("tenants_membership_confirm", membership.id)
    assert "Somebody else must decide on this" in page.text
    assert membership_of(acme, "bob").awaits_confirmation


@pytest.mark.slow
@pytest.mark.parametrize("step", ["confirm", "decline"])
def test_what_was_changed_since_the_page_was_opened_is_not_decided_on(acme: Firm, step: str) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    make_member(acme, "rita", Role.REVIEWER)
    membership = make_invited(acme, "bob", Role.DPO, by=alice, scopes=["fund:alpha"])
    page = Visitor("rita").open(f"tenants_membership_{step}", membership.id)
    [read] = page.tree.xpath("//input[@name='revision']/@value")
    with as_(alice):
        membership_scopes_set(membership, scopes=[acme.root])
    sent = Visitor("rita").send(f"tenants_membership_{step}", membership.id, revision=read)
    assert "has changed since you read it" in sent.text
    assert membership_of(acme, "bob").awaits_confirmation


def test_who_may_confirm_may_refuse(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    make_member(acme, "rita", Role.REVIEWER)
    membership = make_invited(acme, "bob", Role.DPO, by=alice, scopes=["fund:alpha"])
    assert reached(acme, "bob") == {"fund:alpha"}
    Visitor("rita").send("tenants_membership_decline", membership.id)
    assert membership_of(acme, "bob").revoked_at is not None
    assert reached(acme, "bob") == set(), "she manages no members, and ends what was declined all the same"


def test_what_the_operator_gave_is_told_as_such(alice: Visitor, acme: Firm) -> None:
    page = alice.open("tenants_membership_change", membership_of(acme, "alice").id)
    assert "the operator, without a second person" in page.text


def test_a_scope_of_another_tenant_can_not_be_granted(alice: Visitor, acme: Firm) -> None:
    bolt = make_firm("bolt")
    assert invite(alice, acme, "bob@example.com", scopes=[str(bolt.root.id)]).errors_of("scopes")


@pytest.mark.slow
def test_the_list_holds_this_tenants_people(alice: Visitor, acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(bolt, "charlie", Role.DPO)
    make_member(acme, "bob", Role.REVIEWER, scopes=["fund:beta"])
    rows = alice.open("tenants_membership_changelist").rows()
    assert [row.split()[0] for row in rows] == ["alice", "bob"]
    assert "fund:beta" in rows[1]


def test_other_scopes_replace_the_ones_before(alice: Visitor, acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST, scopes=["fund:alpha"])
    bob = membership_of(acme, "bob")
    alice.send("tenants_membership_scopes", bob.id, scopes=[str(acme.scopes["fund:beta"].id)])
    assert reached(acme, "bob") == {"fund:beta"}


def test_grants_that_the_administrator_may_not_see_stay(acme: Firm) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    make_member(acme, "bob", Role.ANALYST, scopes=["fund:beta"])
    alice = Visitor("alice")
    bob = membership_of(acme, "bob")
    assert "1 more that you may not see" in alice.open("tenants_membership_change", bob.id).text
    alice.send("tenants_membership_scopes", bob.id, scopes=[str(acme.scopes["fund:alpha"].id)])
    assert reached(acme, "bob") == {"fund:alpha", "fund:beta"}


def test_the_decision_to_end_a_membership_says_what_happens_and_waits(alice: Visitor, acme: Firm) -> None:
    make_member(acme, "bob", Role.REVIEWER)
    page = alice.open("tenants_membership_end", membership_of(acme, "bob").id)
    assert "loses the role Reviewer" in page.text
    assert membership_of(acme, "bob").revoked_at is None


def test_an_ended_membership_is_kept_and_offers_nothing_more(alice: Visitor, acme: Firm) -> None:
    make_member(acme, "bob", Role.REVIEWER)
    bob = membership_of(acme, "bob")
    alice.send("tenants_membership_end", bob.id)
    assert membership_of(acme, "bob").revoked_at is not None
    assert not [link for link in alice.open("tenants_membership_change", bob.id).links if "end" in link]


def test_ending_the_last_administrator_is_warned_of(alice: Visitor, acme: Firm) -> None:
    page = alice.open("tenants_membership_end", membership_of(acme, "alice").id)
    assert "last tenant administrator" in page.text


def test_nothing_of_a_membership_is_edited_or_deleted_by_hand(alice: Visitor, acme: Firm) -> None:
    own = membership_of(acme, "alice")
    alice.send("tenants_membership_change", own.id, role="auditor")
    assert membership_of(acme, "alice").role == Role.TENANT_ADMIN
    assert alice.send("tenants_membership_delete", own.id, post="yes").status == 403
