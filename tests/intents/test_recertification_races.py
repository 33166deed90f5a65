"""The end of a key's grant, while somebody else changes the same key: on connections and rows of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from apps.intents.models import CertifiedGrant, GrantDecision
from apps.intents.services.recertification import grant_decide, recertification_begin
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey, Grant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_rotate
from apps.tenants.services.personal_keys import personal_key_rotate
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_key, make_member, make_personal_key

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(transactional_db: None) -> Firm:
    return baked(make_firm, "acme")


@pytest.fixture
def olga(acme: Firm) -> Principal:
    return make_member(acme, "olga", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def wanda(acme: Firm) -> Principal:
    return make_member(acme, "wanda", Role.AUDITOR)


@pytest.fixture
def key(acme: Firm, olga: Principal, wanda: Principal) -> ApiKey:
    """A key of two scopes, each of whose grants waits for Wanda's decision."""
    made, _ = make_key(acme, Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    begin(olga, wanda)
    return row(acme, made)


def begin(olga: Principal, wanda: Principal) -> None:
    with as_(olga):
        recertification_begin(
            owner_ids=[each.id for each in (wanda, olga) if each.id],
            due_at=timezone.now() + timedelta(days=7),
            roles=[Role.ANALYST],
        )


def row(acme: Firm, principal: Principal) -> ApiKey:
    with open_scope(tenant=acme.id, reason="a test"):
        found: ApiKey = ApiKey.objects.get(id=principal.key_id or principal.id)
        return found


def reaches(acme: Firm, key_id: object) -> set[str]:
    """Return the scopes of the key's valid grants."""
    with open_scope(tenant=acme.id, reason="a test"):
        found = Grant.objects.filter(api_key_id=key_id, valid_to__isnull=True)
        return set(found.values_list("scope__key", flat=True))


def meanwhile(person: Principal, act: Callable[[], None], other: Callable[[], object]) -> None:
    """Do `act` in a transaction that ends only once `other`, on another connection, waits for it or has ended."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            other()
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with as_(person), transaction.atomic():
        act()
        thread.start()
        thread.join(1.5)
    thread.join(60)
    assert not thread.is_alive()
    assert failed == []


def end(acme: Firm, wanda: Principal, key: ApiKey, scope: str) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        certified = CertifiedGrant.objects.get(api_key_id=key.id, scope_id=acme.scopes[scope].id)
    with as_(wanda):
        grant_decide(certified_id=certified.id, decision=GrantDecision.ENDED, reason="Not needed.")


def test_a_rotation_hands_on_no_grant_that_ends_meanwhile(
    acme: Firm, olga: Principal, wanda: Principal, key: ApiKey
) -> None:
    made: list[ApiKey] = []

    def rotate() -> None:
        with open_scope(tenant=acme.id, reason="a test"):
            made.append(api_key_rotate(key)[0])

    meanwhile(wanda, lambda: end(acme, wanda, key, "fund:alpha"), rotate)
    (successor,) = made
    assert reaches(acme, key.id) == reaches(acme, successor.id) == {"fund:beta"}


def test_a_persons_own_rotation_hands_on_no_grant_that_ends_meanwhile(
    acme: Firm, olga: Principal, wanda: Principal
) -> None:
    ann = make_member(acme, "ann", Role.ANALYST)
    principal, _ = make_personal_key(acme, "ann", role=Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    begin(olga, wanda)
    key, made = row(acme, principal), list[ApiKey]()

    def rotate() -> None:
        with as_(ann):
            made.append(personal_key_rotate(key, expires_at=timezone.now() + timedelta(days=30))[0])

    meanwhile(wanda, lambda: end(acme, wanda, key, "fund:alpha"), rotate)
    (successor,) = made
    assert reaches(acme, key.id) == reaches(acme, successor.id) == {"fund:beta"}
