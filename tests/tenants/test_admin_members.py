"""Members: added, given other scopes, ended; and nobody of another tenant is found by it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from apps.tenants.context import open_identity, open_scope
from apps.tenants.models import Grant, Membership, User
from apps.tenants.roles import Role
from apps.tenants.selectors.people import user_by_name
from apps.tenants.tokens import Identity
from tests.factories import Firm, make_firm, make_member, make_user
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


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


def add(visitor: Visitor, firm: Firm, who: str, **changes: object) -> Page:
    fields = {"username": who, "role": "analyst", "scopes": [str(firm.scopes["fund:alpha"].id)], **changes}
    return visitor.send("tenants_membership_add", **fields)


def first_password(page: Page) -> str:
    return str(page.tree.xpath("string(//*[@id='secret'])"))


def test_a_new_person_gets_an_account_and_signs_in_with_the_password_shown(alice: Visitor, acme: Firm) -> None:
    page = add(alice, acme, "bob", first_name="Bob", last_name="Baker", email="bob@Example.com")
    assert page.status == 200
    bob = User.objects.get_by_natural_key("bob")
    assert (bob.get_full_name(), bob.email, bob.is_superuser) == ("Bob Baker", "bob@example.com", False)
    assert reached(acme, "bob") == {"fund:alpha"}
    assert Client().login(username="bob", password=first_password(page))


def test_the_password_is_not_kept_by_any_cache(alice: Visitor, acme: Firm) -> None:
    assert "no-store" in add(alice, acme, "bob").response.headers["Cache-Control"]


def test_an_account_of_another_tenant_is_granted_and_nothing_is_told(alice: Visitor, acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(bolt, "bob", Role.DPO, password="the own password")
    known, unknown = add(alice, acme, "bob"), add(alice, acme, "dora")

    def without_names(page: Page) -> str:
        return re.sub(r"bob|dora", "somebody", page.text).replace(first_password(page), "")

    assert without_names(known) == without_names(unknown)
    assert Client().login(username="bob", password="the own password")
    assert not Client().login(username="bob", password=first_password(known))


def test_a_username_is_one_person_however_it_is_capitalised(alice: Visitor, acme: Firm) -> None:
    make_user("bob")
    add(alice, acme, "BOB")
    with open_identity(Identity(username="bob")):
        assert User.objects.filter(username__iexact="bob").count() == 1
    assert membership_of(acme, "bob").role == Role.ANALYST


def test_adding_twice_adds_nothing(alice: Visitor, acme: Firm) -> None:
    add(alice, acme, "bob")
    add(alice, acme, "bob")
    assert membership_of(acme, "bob").revoked_at is None


@pytest.mark.parametrize(
    ("field", "typed"), [("username", "not a name!"), ("role", "king"), ("scopes", []), ("email", "nowhere")]
)
def test_what_is_wrong_stands_beside_its_field(alice: Visitor, acme: Firm, field: str, typed: object) -> None:
    page = add(alice, acme, "bob", **{field: typed})
    assert page.errors_of(field)
    assert user_by_name("bob") is None


def test_a_scope_of_another_tenant_can_not_be_granted(alice: Visitor, acme: Firm) -> None:
    bolt = make_firm("bolt")
    assert add(alice, acme, "bob", scopes=[str(bolt.root.id)]).errors_of("scopes")


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
