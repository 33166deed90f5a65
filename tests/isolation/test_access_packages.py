"""Attacks on packages of requests for access, as the roles that run things: each tried again without what stops it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from uuid import UUID

import pytest
from django.utils import timezone

from apps.audit.ids import new_id
from apps.privacy.codes.requests import Purpose
from apps.privacy.models import AccessPackage, ErasureRequest
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import make_member
from tests.isolation.harness import changed, held, outcome, sql
from tests.isolation.world import World

THROUGH = "it was let through"
TABLES = ("audit_accesspackage", "audit_erasurerequest", "audit_inventoryhit")
without_triggers = partial(changed, *(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in TABLES))


class Cast:
    """Of Acme: dora is a DPO, nora one of fund:beta alone, rita reviews, tom administers. dee is Bolt's."""

    def __init__(self, world: World) -> None:
        self.firm = world.acme
        self.dora = make_member(world.acme, "dora-a", Role.DPO)
        self.nora = make_member(world.acme, "nora-a", Role.DPO, scopes=["fund:beta"])
        self.rita = make_member(world.acme, "rita-a", Role.REVIEWER)
        self.tom = make_member(world.acme, "tom-a", Role.TENANT_ADMIN)
        self.dee = world.people["dee"]
        with open_scope(tenant=world.acme.id, reason="a test"):
            self.package: AccessPackage = AccessPackage.objects.get()
            self.request: UUID = self.package.request_id
            self.erasure: UUID = ErasureRequest.objects.filter(purpose=Purpose.ERASURE)[0].id


@pytest.fixture(scope="module")
def cast(world: World) -> Cast:
    return Cast(world)


def as_who(cast: Cast, who: Principal | None, act: Callable[[], object]) -> Callable[[], str]:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=who, reason="" if who else "a test"):
            return THROUGH if act() else "nothing was there"

    return attack


def seen_by(cast: Cast, who: Principal) -> bool:
    with open_scope(tenant=who.tenant_id, principal=who):
        return AccessPackage.objects.filter(id=cast.package.id).exists()


def test_it_is_seen_by_who_manages_privacy_and_holds_all_that_it_quotes(cast: Cast) -> None:
    assert cast.package.scope_ids
    assert seen_by(cast, cast.dora)
    assert not any(seen_by(cast, who) for who in (cast.nora, cast.rita, cast.tom, cast.dee))


@pytest.mark.parametrize("name", ["dora", "tom", "rita"])
def test_nobody_changes_one_or_removes_one_that_is_owed(cast: Cast, name: str) -> None:
    who: Principal = getattr(cast, name)
    for statement in (
        "UPDATE audit_accesspackage SET expires_at = expires_at + interval '1 year'",
        "DELETE FROM audit_accesspackage",
        "TRUNCATE audit_accesspackage",
    ):
        assert THROUGH not in str(outcome(as_who(cast, who, lambda s=statement: sql(s) or True)))


@pytest.mark.parametrize("who", ["dora", None])
def test_the_function_lets_go_of_none_that_is_owed(cast: Cast, who: str | None) -> None:
    person = getattr(cast, who) if who else None
    with open_scope(tenant=cast.firm.id, principal=person, reason="" if person else "a test"):
        assert sql("SELECT audit_remove_packages(ARRAY[%s]::uuid[], 10)", cast.package.id) == [(0,)]
        assert AccessPackage.objects.filter(id=cast.package.id).exists()


@pytest.mark.parametrize("name", ["tom", "rita"])
def test_who_does_not_manage_privacy_calls_neither_function(cast: Cast, name: str) -> None:
    who: Principal = getattr(cast, name)
    for call in ("audit_remove_packages(ARRAY[%s]::uuid[], 10)", "audit_forget_access(%s)"):
        attack = as_who(cast, who, lambda c=call: sql(f"SELECT {c}", cast.request))
        assert "who manages privacy" in str(outcome(attack))


def test_a_request_that_is_open_is_not_forgotten(cast: Cast) -> None:
    attack = as_who(cast, cast.dora, lambda: sql("SELECT audit_forget_access(%s)", cast.request))
    assert "has not ended" in str(outcome(attack))


def test_another_firms_package_is_out_of_reach_of_the_function(cast: Cast) -> None:
    with open_scope(tenant=cast.dee.tenant_id, reason="a test"):
        assert sql("SELECT audit_remove_packages(ARRAY[%s]::uuid[], 10)", cast.package.id) == [(0,)]


def making(cast: Cast, request: UUID, by: Principal) -> Callable[[], object]:
    now = timezone.now()
    return lambda: AccessPackage.objects.create(
        id=new_id(),
        tenant_id=cast.firm.id,
        request_id=request,
        scope_ids=[],
        data_key_id=new_id(),
        ciphertext=b"0" * 40,
        byte_size=12,
        places=0,
        quoted=0,
        hidden=0,
        made_by_id=by.id,
        made_at=now,
        expires_at=now + timedelta(days=30),
    )


def test_one_is_made_in_ones_own_name_and_for_a_request_for_access(cast: Cast) -> None:
    held(as_who(cast, cast.dora, making(cast, cast.erasure, cast.dora)), loot=THROUGH, without=without_triggers)
    held(as_who(cast, cast.dora, making(cast, cast.erasure, cast.nora)), loot=THROUGH, without=without_triggers)


@pytest.mark.parametrize("values", [{"purpose": "access"}, {"state": "completed"}], ids=str)
def test_no_request_for_erasure_is_made_one_for_access_or_answered_like_one(cast: Cast, values: dict[str, str]) -> None:
    more = {"finished_at": timezone.now()} if "state" in values else {}
    rows = ErasureRequest.objects.filter(id=cast.erasure)
    prepare = (
        f"UPDATE audit_erasurerequest SET state = 'inventory_ready' WHERE id = '{cast.erasure}'",
        "ALTER TABLE audit_erasurerequest ENABLE TRIGGER USER",
    )
    with changed("ALTER TABLE audit_erasurerequest DISABLE TRIGGER USER", *prepare):
        assert THROUGH not in outcome(as_who(cast, cast.dora, lambda: rows.update(**values, **more)))


def test_what_a_package_is_made_of_does_not_change_while_it_is_there(cast: Cast) -> None:
    change = "UPDATE audit_inventoryhit SET quoting = 'left_out', hidden = NULL WHERE request_id = %s RETURNING 1"
    held(as_who(cast, cast.dora, lambda: sql(change, cast.request)), loot=THROUGH, without=without_triggers)
