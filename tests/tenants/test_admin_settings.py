"""The tenant's settings, its scopes, and the platform's accounts."""

from __future__ import annotations

import pytest
from django.test import Client

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.models import Scope, Tenant, User
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_member, make_user
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    return Visitor("alice")


def tenant(firm: Firm) -> Tenant:
    with open_scope(tenant=firm.id, reason="a test"):
        return Tenant.objects.get(id=firm.id)


def recorded(firm: Firm, action: str) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        return Event.objects.filter(action=action).count()


def configure(visitor: Visitor, firm: Firm, **changes: str) -> Page:
    fields = {
        "name": "Acme",
        "residency_region": "eu",
        "residency_strict": "on",
        "embedding_profile": "local",
        "generation_profile": "extractive",
    }
    return visitor.send("tenants_tenant_change", firm.id, **{**fields, **changes})


# --- The tenant ---


def test_the_list_of_tenants_is_the_active_one(alice: Visitor, acme: Firm) -> None:
    make_firm("bolt")
    assert alice.open("tenants_tenant_changelist").location == f"/admin/tenants/tenant/{acme.id}/change/"


def test_settings_are_saved_and_recorded(alice: Visitor, acme: Firm) -> None:
    assert configure(alice, acme, name="Acme Limited").status == 302
    assert (tenant(acme).name, tenant(acme).residency_strict) == ("Acme Limited", True)
    assert recorded(acme, "tenants.tenant.configured") == 1


@pytest.mark.parametrize("field", ["embedding_profile", "generation_profile"])
def test_a_provider_of_another_region_is_refused_beside_its_field(alice: Visitor, acme: Firm, field: str) -> None:
    page = configure(alice, acme, **{field: "openai"})
    assert "the provider openai is in us" in page.errors_of(field)
    assert getattr(tenant(acme), field) != "openai"
    assert recorded(acme, "tenants.tenant.configured") == 0


def test_what_was_typed_is_still_there_after_a_refusal(alice: Visitor, acme: Firm) -> None:
    page = configure(alice, acme, name="Typed", embedding_profile="openai")
    assert page.tree.xpath("//input[@name='name']/@value") == ["Typed"]


def test_the_short_name_can_not_be_posted(alice: Visitor, acme: Firm) -> None:
    configure(alice, acme, slug="other", status="suspended")
    assert (tenant(acme).slug, tenant(acme).status) == ("acme", "active")


def test_an_auditor_reads_the_settings_and_saves_none(acme: Firm) -> None:
    make_member(acme, "bob", Role.AUDITOR)
    bob = Visitor("bob")
    assert bob.open("tenants_tenant_change", acme.id).status == 200
    assert configure(bob, acme, name="Bob's").status == 403
    assert tenant(acme).name == "Acme"


# --- Scopes ---


def test_scopes_are_shown_as_the_tree_that_they_are(alice: Visitor) -> None:
    cells = alice.open("tenants_scope_changelist").tree.xpath("//tbody/tr/td[1]")
    assert [(cell.get("class"), cell.text_content().strip("└ ")) for cell in cells] == [
        ("gb-depth-0", "Acme"),
        ("gb-depth-1", "Alpha"),
        ("gb-depth-1", "Beta"),
    ]


def test_a_scope_is_added_below_its_parent(alice: Visitor, acme: Firm) -> None:
    fields = {"name": "Alpha Two", "key": "fund:alpha-two", "parent": str(acme.scopes["fund:alpha"].id)}
    assert alice.send("tenants_scope_add", **fields).status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        assert Scope.objects.get(key="fund:alpha-two").parent.key == "fund:alpha"


@pytest.mark.parametrize("key", ["Fund Alpha", "alpha", "fund:alpha"])
def test_a_key_that_can_not_be_is_refused_beside_its_field(alice: Visitor, acme: Firm, key: str) -> None:
    page = alice.send("tenants_scope_add", name="X", key=key, parent=str(acme.root.id))
    assert page.errors_of("key")


def test_a_member_of_one_fund_sees_one_scope(acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST, scopes=["fund:beta"])
    bob = Visitor("bob")
    page = bob.open("tenants_scope_changelist")
    assert "Beta" in page.text
    assert "Alpha" not in page.text
    assert bob.open("tenants_scope_change", acme.root.id).status == 404


# --- Accounts ---


@pytest.fixture
def root(acme: Firm) -> Visitor:
    make_user("root", superuser=True)
    make_member(acme, "root", Role.ANALYST)
    return Visitor("root")


def test_a_tenant_administrator_manages_no_accounts(alice: Visitor) -> None:
    alice_id = User.objects.get_by_natural_key("alice").id
    assert alice.open("tenants_user_change", alice_id).status == 403
    assert alice.send("tenants_user_new_password", alice_id).status == 403


def test_a_link_for_a_new_password_is_recorded_in_every_tenant_of_the_person(root: Visitor, acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(acme, "bob", Role.ANALYST, password="the old password")
    make_member(bolt, "bob", Role.DPO)
    root.send("tenants_user_new_password", User.objects.get_by_natural_key("bob").id)
    assert Client().login(username="bob", password="the old password")
    action = "tenants.user.configured"
    assert (recorded(acme, action), recorded(bolt, action)) == (1, 1)


@pytest.mark.slow
def test_a_deactivated_account_is_shut_out(root: Visitor, acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST)
    bob = Visitor("bob")
    fields = {"first_name": "Bob", "last_name": "", "email": "bob@example.com"}
    assert root.send("tenants_user_change", User.objects.get_by_natural_key("bob").id, **fields).status == 302
    assert bob.open("index").status == 302


def test_nobody_becomes_a_superuser_by_a_form(root: Visitor, acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST)
    bob_id = User.objects.get_by_natural_key("bob").id
    root.send("tenants_user_change", bob_id, is_superuser="on", is_staff="", username="boss", is_active="on")
    bob = User.objects.get_by_id(bob_id)
    assert (bob.is_superuser, bob.username) == (False, "bob")
