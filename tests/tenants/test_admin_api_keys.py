"""API keys: shown once, rotated, revoked."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import key_principal
from apps.tenants.services.api_keys import api_key_authenticate, api_key_create, api_key_revoke
from tests.factories import Firm, make_firm, make_key, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    return Visitor("alice")


def secret(page: Page) -> str:
    return str(page.tree.xpath("string(//*[@id='secret'])"))


def only_key(firm: Firm) -> ApiKey:
    with open_scope(tenant=firm.id, reason="a test"):
        key: ApiKey = ApiKey.objects.get(rotated_from__isnull=True)
        return key


def create(visitor: Visitor, firm: Firm, **changes: object) -> Page:
    fields = {"name": "Portal", "role": "analyst", "scopes": [str(firm.scopes["fund:alpha"].id)], "life_days": "90"}
    return visitor.send("tenants_apikey_add", **{**fields, **changes})


def test_a_key_is_shown_once_and_works(alice: Visitor, acme: Firm) -> None:
    plain = secret(create(alice, acme))
    key = api_key_authenticate(plain)
    assert key_principal(key).scope_ids == frozenset(acme.scope_ids("fund:alpha"))
    later = alice.open("tenants_apikey_change", key.id).response.content.decode()
    assert plain.split("_", 2)[2] not in later


def test_a_life_becomes_an_expiry(alice: Visitor, acme: Firm) -> None:
    create(alice, acme)
    expires_at = only_key(acme).expires_at
    assert expires_at is not None
    assert abs(expires_at - timezone.now() - timedelta(days=90)) < timedelta(minutes=1)


def test_a_key_without_an_end_says_never(alice: Visitor, acme: Firm) -> None:
    create(alice, acme, life_days="")
    page = alice.open("tenants_apikey_change", only_key(acme).id)
    assert page.tree.xpath("string(//dt[.='Expires']/following-sibling::dd[1])") == "never"


def test_a_key_without_a_scope_is_refused_beside_the_field(alice: Visitor, acme: Firm) -> None:
    assert "at least one scope" in create(alice, acme, scopes=[]).errors_of("scopes")


def test_rotating_gives_a_successor_and_an_end_to_the_old(alice: Visitor, acme: Firm) -> None:
    _, old = make_key(acme)
    new = secret(alice.send("tenants_apikey_rotate", only_key(acme).id, overlap_hours="0"))
    assert api_key_authenticate(new).rotated_from_id == only_key(acme).id
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(old)


def test_rotating_with_an_overlap_leaves_both(alice: Visitor, acme: Firm) -> None:
    _, old = make_key(acme)
    new = secret(alice.send("tenants_apikey_rotate", only_key(acme).id, overlap_hours="24"))
    assert api_key_authenticate(old).id != api_key_authenticate(new).id


def test_opening_the_decision_revokes_nothing(alice: Visitor, acme: Firm) -> None:
    _, plain = make_key(acme)
    page = alice.open("tenants_apikey_revoke", only_key(acme).id)
    assert "A revoked key can't be restored." in page.text
    assert api_key_authenticate(plain)


def test_a_revoked_key_opens_nothing_and_offers_nothing(alice: Visitor, acme: Firm) -> None:
    _, plain = make_key(acme)
    alice.send("tenants_apikey_revoke", only_key(acme).id)
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)
    page = alice.open("tenants_apikey_change", only_key(acme).id)
    assert not [link for link in page.links if "rotate" in link or "revoke" in link]


def test_a_key_of_another_tenant_can_not_be_revoked(alice: Visitor) -> None:
    bolt = make_firm("bolt")
    _, plain = make_key(bolt)
    assert alice.send("tenants_apikey_revoke", only_key(bolt).id).status == 404
    assert api_key_authenticate(plain)


@pytest.mark.parametrize(("state", "shown"), [("valid", ["Portal"]), ("ended", ["Old", "Revoked"])])
def test_the_list_filters_and_counts_by_state(alice: Visitor, acme: Firm, state: str, shown: list[str]) -> None:
    ended = timezone.now() - timedelta(minutes=1)
    with open_scope(tenant=acme.id, reason="a test"):
        for name, expires_at in (("Portal", None), ("Old", ended), ("Revoked", None)):
            key, _ = api_key_create(name=name, role=Role.ANALYST, scopes=[acme.root], expires_at=expires_at)
        api_key_revoke(key)
    page = alice.open("tenants_apikey_changelist", state=state, _facets="True")
    assert page.status == 200
    assert sorted(name for name in ("Portal", "Old", "Revoked") if any(name in row for row in page.rows())) == shown
    assert f"({len(shown)})" in page.text
