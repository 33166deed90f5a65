"""My keys: everybody's own page; and what the administrator's list shows of people's own keys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import key_principal
from apps.tenants.services.api_keys import api_key_authenticate
from apps.tenants.services.members import membership_revoke
from apps.tenants.services.people import membership_scopes_set
from tests.factories import Firm, make_key, make_member, make_personal_key
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.ANALYST)
    return Visitor("alice")


@pytest.fixture
def amy(acme: Firm) -> Visitor:
    make_member(acme, "amy", Role.TENANT_ADMIN)
    return Visitor("amy")


def secret(page: Page) -> str:
    return str(page.tree.xpath("string(//*[@id='secret'])"))


def create(visitor: Visitor, firm: Firm, **changes: Any) -> Page:
    fields = {
        "name": "Policy script",
        "role": "analyst",
        "scopes": [str(firm.scopes["fund:alpha"].id)],
        "life_days": "90",
    }
    return visitor.send("my_keys_add", **{**fields, **changes})


def only_key(firm: Firm) -> ApiKey:
    with open_scope(tenant=firm.id, reason="a test"):
        key: ApiKey = ApiKey.objects.get(rotated_from__isnull=True)
        return key


# --- My keys --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_key_is_shown_once_and_acts_for_who_made_it(alice: Visitor, acme: Firm) -> None:
    shown = create(alice, acme)
    plain = secret(shown)
    principal = key_principal(api_key_authenticate(plain))
    assert principal.label == "alice (key Policy script)"
    assert principal.scope_ids == frozenset(acme.scope_ids("fund:alpha"))
    assert "no-store" in shown.response["Cache-Control"]
    listed = alice.open("my_keys")
    assert plain.split("_", 2)[2] not in listed.response.content.decode()
    assert "Policy script" in listed.text


@pytest.mark.parametrize("role", list(Role))
def test_everybody_who_may_enter_finds_the_page_in_the_sidebar(acme: Firm, role: Role) -> None:
    make_member(acme, "alice", role)
    visitor = Visitor("alice")
    page = visitor.open("my_keys")
    assert page.status == 200
    assert reverse("admin:my_keys") in page.sidebar
    assert "You have no key here yet." in page.text
    assert secret(create(visitor, acme, role=role.value))


def test_the_page_says_what_such_a_key_may_not_do(alice: Visitor) -> None:
    for name in ("my_keys", "my_keys_add"):
        assert "can't make or change keys, members or the tenant's settings" in alice.open(name).text


def test_a_visitor_who_is_not_signed_in_is_sent_to_the_door(acme: Firm) -> None:
    assert "/login/" in Visitor().open("my_keys").location


def test_the_form_offers_my_roles_alone(alice: Visitor, acme: Firm) -> None:
    page = alice.open("my_keys_add")
    assert [str(each) for each in page.tree.xpath("//input[@name='role']/@value")] == ["analyst"]
    assert "analyst" in [str(each) for each in page.tree.xpath("//input[@name='role'][@checked]/@value")]
    assert create(alice, acme, role="tenant_admin").errors_of("role")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not ApiKey.objects.exists()


def test_the_form_offers_my_scopes_alone(acme: Firm) -> None:
    make_member(acme, "nia", Role.ANALYST, scopes=["fund:alpha"])
    nia = Visitor("nia")
    offered = nia.open("my_keys_add").tree.xpath("//input[@name='scopes']/@value")
    assert [str(each) for each in offered] == [str(acme.scopes["fund:alpha"].id)]
    assert create(nia, acme, scopes=[str(acme.scopes["fund:beta"].id)]).errors_of("scopes")
    assert "at least one scope" in create(nia, acme, scopes=[]).errors_of("scopes")


@pytest.mark.parametrize("life", ["", "0", "366", "never"])
def test_an_end_must_be_chosen(alice: Visitor, acme: Firm, life: str) -> None:
    assert create(alice, acme, life_days=life).errors_of("life_days")


def test_ninety_days_are_offered_first(alice: Visitor, acme: Firm) -> None:
    page = alice.open("my_keys_add")
    assert page.tree.xpath("//select[@name='life_days']/option[@selected]/@value") == ["90"]
    create(alice, acme)
    expires_at = only_key(acme).expires_at
    assert expires_at is not None
    assert abs(expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)


def test_whoever_is_named_in_the_form_it_is_mine(amy: Visitor, alice: Visitor, acme: Firm) -> None:
    victim = str(User.objects.get_by_natural_key("alice").id)
    plain = secret(create(amy, acme, role="tenant_admin", person=victim, person_id=victim, user=victim))
    assert key_principal(api_key_authenticate(plain)).label == "amy (key Policy script)"


def test_i_see_and_revoke_my_own_alone(alice: Visitor, acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST)
    _, plain = make_personal_key(acme, "bob", role=Role.ANALYST)
    key = only_key(acme)
    assert "script" not in "".join(alice.open("my_keys").tree.xpath("//table//text()"))
    for name, fields in (("my_keys_revoke", {}), ("my_keys_rotate", {"overlap_hours": "0", "life_days": "30"})):
        assert alice.open(name, key.id).status == 404
        assert alice.send(name, key.id, **fields).status == 404
    assert api_key_authenticate(plain)
    assert "script" in "".join(Visitor("bob").open("my_keys").tree.xpath("//table//text()"))


def test_revoking_asks_first(alice: Visitor, acme: Firm) -> None:
    plain = secret(create(alice, acme))
    assert "A revoked key can't be restored." in alice.open("my_keys_revoke", only_key(acme).id).text
    assert api_key_authenticate(plain)
    assert alice.send("my_keys_revoke", only_key(acme).id).location == reverse("admin:my_keys")
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)
    page = alice.open("my_keys")
    assert "Revoked" in page.text
    assert not [link for link in page.links if "rotate" in link or "revoke" in link]


def test_rotating_gives_a_successor_and_an_end_to_the_old(alice: Visitor, acme: Firm) -> None:
    old = secret(create(alice, acme))
    new = secret(alice.send("my_keys_rotate", only_key(acme).id, overlap_hours="0", life_days="30"))
    assert key_principal(api_key_authenticate(new)).label == "alice (key Policy script)"
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(old)


def end_the_role(firm: Firm) -> None:
    make_member(firm, "alice", Role.AUDITOR)
    with open_scope(tenant=firm.id, reason="a test"):
        membership_revoke(Membership.objects.get(user__username="alice", role=Role.ANALYST))


def narrow(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        membership_scopes_set(Membership.objects.get(), scopes=[firm.scopes["fund:beta"]])


@pytest.mark.parametrize(
    ("lose", "told"),
    [
        (end_the_role, "Revoked"),
        (narrow, "1 that you can no longer reach"),
    ],
)
def test_what_i_lost_stands_beside_the_key(alice: Visitor, acme: Firm, lose: Callable[[Firm], None], told: str) -> None:
    create(alice, acme)
    assert told not in alice.open("my_keys").text
    lose(acme)
    assert told in alice.open("my_keys").text


def test_a_refusal_of_the_service_stands_beside_the_form(alice: Visitor, acme: Firm) -> None:
    create(alice, acme)
    narrow(acme)
    page = alice.send("my_keys_rotate", only_key(acme).id, overlap_hours="0", life_days="30")
    assert "You can no longer reach any scope of the key" in page.text


# --- The administrator's list ---------------------------------------------------------------------------------------


def test_the_administrator_sees_whom_a_key_acts_for(amy: Visitor, alice: Visitor, acme: Firm) -> None:
    make_key(acme)
    create(alice, acme)
    rows = amy.open("tenants_apikey_changelist").rows()
    assert ["alice" in row for row in rows if "Policy script" in row] == [True]
    assert ["the tenant" in row for row in rows if "analyst key" in row] == [True]
    assert amy.open("tenants_apikey_changelist", q="alice").rows() == [row for row in rows if "alice" in row]


def test_the_administrator_s_list_tells_a_key_that_ended_with_its_role(
    amy: Visitor, alice: Visitor, acme: Firm
) -> None:
    create(alice, acme)
    assert "Valid" in amy.open("tenants_apikey_changelist").rows()[0]
    end_the_role(acme)
    assert "Revoked" in amy.open("tenants_apikey_changelist").rows()[0]


def test_the_administrator_revokes_it(amy: Visitor, alice: Visitor, acme: Firm) -> None:
    plain = secret(create(alice, acme))
    key = only_key(acme)
    assert "It acts for alice" in amy.open("tenants_apikey_revoke", key.id).text
    amy.send("tenants_apikey_revoke", key.id)
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)


def test_the_administrator_does_not_rotate_it(amy: Visitor, alice: Visitor, acme: Firm) -> None:
    plain = secret(create(alice, acme))
    key = only_key(acme)
    links = amy.open("tenants_apikey_change", key.id).links
    assert [link for link in links if "revoke" in link]
    assert not [link for link in links if "rotate" in link]
    for page in (amy.open("tenants_apikey_rotate", key.id), amy.send("tenants_apikey_rotate", key.id, overlap_hours=0)):
        assert (page.status, "Only the person themselves" in page.text) == (403, True)
    assert api_key_authenticate(plain)


def test_the_administrator_s_form_makes_a_key_of_the_tenant(amy: Visitor, acme: Firm) -> None:
    victim = str(User.objects.get_by_natural_key("amy").id)
    amy.send(
        "tenants_apikey_add",
        name="Portal",
        role="analyst",
        scopes=[str(acme.root.id)],
        life_days="",
        person=victim,
    )
    assert only_key(acme).person_id is None


# --- Before they end ------------------------------------------------------------------------------------------------


def key_of(firm: Firm, username: str, *, days: int, role: Role = Role.ANALYST) -> ApiKey:
    """One that ends in so many days; its secret is nobody's business here."""
    make_personal_key(firm, username, role=role, days=days)
    with open_scope(tenant=firm.id, reason="a test"):
        key: ApiKey = ApiKey.objects.order_by("-created_at")[:1].get()
        return key


def warned(visitor: Visitor) -> list[str]:
    """The words on the page of one's own keys, and what the start page says waits."""
    page, start = visitor.open("my_keys"), visitor.open("index")
    pills = page.tree.xpath("//td[@data-label='Expires']//*[contains(@class, 'gb-pill')]/text()")
    return [*map(str, pills), *(line for line in [OWN_WAIT] if line in start.text)]


OWN_WAIT = "Your keys that expire within 14 days"


@pytest.mark.parametrize(
    ("days", "expected"),
    [(15, []), (14, ["Expires in 14 days", OWN_WAIT]), (2, ["Expires in 2 days", OWN_WAIT])],
)
def test_two_weeks_before_a_key_ends_its_owner_is_told_on_both_pages(
    alice: Visitor, acme: Firm, days: int, expected: list[str]
) -> None:
    key_of(acme, "alice", days=days)
    assert warned(alice) == expected
    if expected:
        assert reverse("admin:my_keys") in alice.open("index").links


def test_the_last_day_is_called_so(alice: Visitor, acme: Firm) -> None:
    key_of(acme, "alice", days=1)
    assert warned(alice) == ["Expires within a day", OWN_WAIT]


def test_nobody_else_is_told_of_it_and_an_administrator_neither(alice: Visitor, amy: Visitor, acme: Firm) -> None:
    key_of(acme, "alice", days=3)
    assert warned(amy) == []
    assert "API keys that expire" not in amy.open("index").text


@pytest.mark.slow
def test_a_key_that_was_rotated_or_revoked_or_opens_nothing_is_no_reason_to_warn(alice: Visitor, acme: Firm) -> None:
    rotated = key_of(acme, "alice", days=3)
    alice.send("my_keys_rotate", rotated.id, life_days="90", overlap_hours="24")
    assert warned(alice) == []
    revoked = key_of(acme, "alice", days=3)
    alice.send("my_keys_revoke", revoked.id)
    assert warned(alice) == []
    make_member(acme, "alice", Role.AUDITOR)
    key_of(acme, "alice", days=3, role=Role.AUDITOR)
    assert warned(alice) == ["Expires in 3 days", OWN_WAIT]
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(role=Role.AUDITOR))
    assert warned(alice) == []
