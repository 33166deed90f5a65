"""Attacks on inventories, as the roles that run things: each tried again with what stops it taken away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from apps.audit.inventory.codes import Decision, Reason
from apps.audit.models import ErasureRequest, Inventory, InventoryHit, InventoryTreatment
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import make_member
from tests.isolation.harness import changed, held, outcome, rolled_back, sql
from tests.isolation.world import World

THROUGH = "it was let through"
TABLES = ("audit_inventory", "audit_inventoryhit", "audit_inventorytreatment")
without_triggers = partial(changed, *(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in TABLES))


class Cast:
    """Of Acme: dora is a DPO, nora one of fund:beta alone, rita reviews, tom administers. One place is open."""

    def __init__(self, world: World) -> None:
        self.firm = world.acme
        self.dora = make_member(world.acme, "dora-i", Role.DPO)
        self.nora = make_member(world.acme, "nora-i", Role.DPO, scopes=["fund:beta"])
        self.rita = make_member(world.acme, "rita-i", Role.REVIEWER)
        self.tom = make_member(world.acme, "tom-i", Role.TENANT_ADMIN)
        self.dee = world.people["dee"]
        with open_scope(tenant=world.acme.id, reason="a test"):
            self.hit = InventoryHit.objects.filter(decision=Decision.OPEN, target_type="document")[0].id
            self.inventory: Inventory = Inventory.objects.all()[0]


@pytest.fixture(scope="module")
def cast(world: World) -> Cast:
    return Cast(world)


def decided(by: Principal) -> dict[str, Any]:
    return {
        "decision": Decision.CONFIRMED,
        "reason": Reason.NAMED,
        "decided_by_id": by.id,
        "decided_at": timezone.now(),
    }


def deciding(cast: Cast, who: Principal | None, values: dict[str, Any]) -> Callable[[], str]:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=who, reason="" if who else "a test"):
            return THROUGH if InventoryHit.objects.filter(id=cast.hit).update(**values) else "nothing was there"

    return attack


def test_nobody_decides_in_anothers_name_and_not_the_platform(cast: Cast) -> None:
    held(deciding(cast, cast.dora, decided(cast.nora)), loot=THROUGH, without=without_triggers)
    held(deciding(cast, None, decided(cast.dora)), loot=THROUGH, without=without_triggers)


def test_in_ones_own_name_it_goes_and_so_the_attacks_fail_for_their_names_alone(cast: Cast) -> None:
    with rolled_back():
        assert outcome(deciding(cast, cast.dora, decided(cast.dora))) == THROUGH


@pytest.mark.parametrize("name", ["rita", "tom"])
def test_who_does_not_manage_privacy_decides_nothing(cast: Cast, name: str) -> None:
    who: Principal = getattr(cast, name)
    assert outcome(deciding(cast, who, decided(who))) != THROUGH


def test_a_place_is_not_moved_by_who_decides_about_it(cast: Cast) -> None:
    held(deciding(cast, cast.dora, {"char_end": 1}), loot=THROUGH, without=without_triggers)


def test_places_are_found_by_the_platform_alone(cast: Cast) -> None:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=cast.dora):
            InventoryHit.objects.create(
                tenant_id=cast.firm.id,
                request_id=cast.inventory.request_id,
                inventory=cast.inventory,
                store="corpus.pages",
                item_id=cast.hit,
                char_start=0,
                char_end=5,
                how="exact",
                matched="name",
                confidence=1.0,
                is_certain=True,
            )
        return THROUGH

    assert THROUGH not in str(outcome(attack))


@pytest.mark.parametrize("model", [Inventory, InventoryHit, InventoryTreatment])
def test_places_are_read_by_who_works_on_requests_or_decides(cast: Cast, model: Any) -> None:
    def seen_by(who: Principal) -> int:
        with open_scope(tenant=cast.firm.id, principal=who):
            return int(model.objects.count())

    assert seen_by(cast.dora) > 0
    assert seen_by(cast.rita) > 0
    assert seen_by(cast.tom) == 0


def test_places_beyond_ones_scopes_and_in_another_firm_are_not_there(cast: Cast) -> None:
    with open_scope(tenant=cast.firm.id, principal=cast.nora):
        assert not InventoryHit.objects.filter(id=cast.hit).exists()
    with open_scope(tenant=cast.dee.tenant_id, principal=cast.dee):
        assert not InventoryHit.objects.filter(id=cast.hit).exists()
        assert set(sql("SELECT tenant_id FROM audit_inventoryhit")) == {(cast.dee.tenant_id,)}


def test_a_request_that_goes_on_is_not_forgotten(cast: Cast) -> None:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=cast.dora):
            request = ErasureRequest.objects.get(id=cast.inventory.request_id)
            sql("SELECT audit_forget_request(%s)", request.id)
        return THROUGH

    assert THROUGH not in str(outcome(attack))


@pytest.mark.parametrize("table", TABLES)
def test_what_was_found_and_decided_is_removed_by_nobody(cast: Cast, table: str) -> None:
    def attack() -> str:
        with open_scope(tenant=cast.firm.id, principal=cast.dora):
            sql(f"DELETE FROM {table}")
        return THROUGH

    assert THROUGH not in str(outcome(attack))
    with changed(f"GRANT DELETE ON {table} TO glassbox_api", f"CREATE POLICY d ON {table} FOR DELETE USING (true)"):
        assert THROUGH not in str(outcome(attack))
