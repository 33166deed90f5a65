from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError
from apps.tenants.models import ApiKey
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import key_principal
from apps.tenants.services.api_keys import (
    api_key_authenticate,
    api_key_create,
    api_key_revoke,
    api_key_rotate,
    api_key_used,
)
from tests.factories import Firm, make_key

pytestmark = pytest.mark.django_db


def test_a_key_opens_its_own_scopes(acme: Firm) -> None:
    _, plain = make_key(acme, scopes=["fund:alpha"])
    principal = key_principal(api_key_authenticate(plain))
    assert principal.scope_ids == frozenset(acme.scope_ids("fund:alpha"))
    assert principal.roles == {Role.ANALYST}


def test_the_table_holds_no_secret(acme: Firm) -> None:
    _, plain = make_key(acme)
    secret = plain.split("_", 2)[2]
    with open_scope(tenant=acme.id, reason="a test"):
        row = ApiKey.objects.values().get()
    assert secret not in repr(row)


@pytest.mark.parametrize("plain", ["", "gbx_", "gbx_000000000000_wrong", "nonsense", "gbx_\x00_a", "gbx_" + "a" * 9999])
def test_a_key_that_nobody_made_is_refused(acme: Firm, plain: str) -> None:
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)


def test_the_right_prefix_with_a_wrong_secret_is_refused(acme: Firm) -> None:
    _, plain = make_key(acme)
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain[:-1] + ("a" if plain[-1] != "a" else "b"))


def test_an_expired_key_is_refused(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        _, plain = api_key_create(
            name="old", role=Role.ANALYST, scopes=[acme.root], expires_at=timezone.now() - timedelta(seconds=1)
        )
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)


def test_a_revoked_key_is_refused(acme: Firm) -> None:
    _, plain = make_key(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        api_key_revoke(ApiKey.objects.get())
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)


def test_a_rotated_key_has_a_successor_with_its_scopes_and_ends_after_the_overlap(acme: Firm) -> None:
    _, plain = make_key(acme, scopes=["fund:beta"])
    with open_scope(tenant=acme.id, reason="a test"):
        old = ApiKey.objects.get()
        _, successor = api_key_rotate(old, overlap=timedelta(hours=1))
    assert key_principal(api_key_authenticate(successor)).scope_ids == frozenset(acme.scope_ids("fund:beta"))
    api_key_authenticate(plain)
    with open_scope(tenant=acme.id, reason="a test"):
        old.refresh_from_db()
    assert old.expires_at is not None
    assert old.expires_at <= timezone.now() + timedelta(hours=1)


def test_the_last_use_is_noted_once_a_minute(acme: Firm) -> None:
    principal, plain = make_key(acme)
    api_key_used(principal, api_key_authenticate(plain))
    first = api_key_authenticate(plain).last_used_at
    assert first is not None
    api_key_used(principal, api_key_authenticate(plain))
    assert api_key_authenticate(plain).last_used_at == first


def test_each_step_of_a_key_is_an_event(acme: Firm) -> None:
    make_key(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        api_key_rotate(ApiKey.objects.get())
        for key in ApiKey.objects.all():
            api_key_revoke(key)
        actions = list(
            Event.objects.filter(action__startswith="tenants.api_key").order_by("id").values_list("action", flat=True)
        )
    assert actions == [
        "tenants.api_key.created",
        "tenants.api_key.rotated",
        "tenants.api_key.revoked",
        "tenants.api_key.revoked",
    ]
