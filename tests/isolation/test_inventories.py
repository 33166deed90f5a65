"""Attacks on inventories, as the roles that run things: each tried again with what stops it taken away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit, InventoryTreatment
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
        self.redacted = uuid4()


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


def finding(cast: Cast, **values: Any) -> Callable[[], str]:
    """The platform finds a place in a redacted version, beside one that dora cleared in the version before."""

    def attack() -> str:
        at = timezone.now()
        with open_scope(tenant=cast.firm.id, principal=cast.dora):
            InventoryHit.objects.filter(id=cast.hit).update(
                decision=Decision.CLEARED, reason=Reason.NO_PERSON, decided_by_id=cast.dora.id, decided_at=at
            )
            # With the time at which the server says that it was decided.
            old = InventoryHit.objects.get(id=cast.hit)
            treated, _ = InventoryTreatment.objects.get_or_create(
                tenant_id=cast.firm.id,
                request_id=old.request_id,
                document_id=old.target_id,
                defaults={
                    "treatment": Treatment.REDACT,
                    "chosen_by_id": cast.dora.id,
                    "chosen_at": at,
                    "scope_ids": old.scope_ids,
                },
            )
            InventoryTreatment.objects.filter(id=treated.id).update(
                treatment=Treatment.REDACT, chosen_by_id=cast.dora.id
            )
        with open_scope(tenant=cast.firm.id, reason="a test"):
            InventoryTreatment.objects.filter(id=treated.id).update(redacted_id=cast.redacted)
            found = {
                "tenant_id": old.tenant_id,
                "request_id": old.request_id,
                "inventory_id": old.inventory_id,
                "scope_ids": old.scope_ids,
                "store": old.store,
                "item_id": cast.redacted,
                "part": old.part,
                "page": old.page,
                "target_type": old.target_type,
                "target_id": cast.redacted,
                "char_start": old.char_start + 3,
                "char_end": old.char_end + 3,
                "how": old.how,
                "matched": old.matched,
                "confidence": old.confidence,
                "is_certain": old.is_certain,
                "decision": Decision.CLEARED,
                "reason": Reason.NO_PERSON,
                "decided_by_id": cast.dora.id,
                "decided_at": old.decided_at,
                "carried_from_id": old.id,
            }
            InventoryHit.objects.create(**found | values)
        return THROUGH

    return attack


def test_what_was_cleared_before_goes_along_to_the_redacted_version_and_so_the_attacks_below_fail_for_what_they_change(
    cast: Cast,
) -> None:
    with rolled_back():
        assert outcome(finding(cast)) == THROUGH


@pytest.mark.parametrize(
    "values",
    [
        {"carried_from_id": None},
        {"carried_from_id": uuid4()},
        {"reason": Reason.SOMEBODY_ELSE},
        {"decided_by_id": uuid4()},
        {"decided_at": timezone.now()},
        {"decision": Decision.CONFIRMED, "reason": Reason.NAMED, "carried_from_id": None},
        {"target_id": uuid4()},
        {"store": "corpus.documents"},
        {"part": "title"},
        {"page": 77},
        {"char_end": 999},
        {"words": b"because"},
    ],
    ids=lambda values: ", ".join(values),
)
def test_the_platform_says_of_a_place_nothing_that_nobody_said_of_it_before(cast: Cast, values: dict[str, Any]) -> None:
    held(finding(cast, **values), loot=THROUGH, without=without_triggers)


def test_the_platform_carries_over_nothing_from_another_request(cast: Cast) -> None:
    with open_scope(tenant=cast.firm.id, reason="a test"):
        mine = InventoryHit.objects.values_list("request_id", flat=True).get(id=cast.hit)
        other = Inventory.objects.exclude(request_id=mine)[0]
    values = {"request_id": other.request_id, "inventory_id": other.id}
    held(finding(cast, **values), loot=THROUGH, without=without_triggers)


def test_a_person_says_of_no_place_that_it_was_decided_before(cast: Cast) -> None:
    values = {**decided(cast.dora), "decision": Decision.CLEARED, "reason": Reason.NO_PERSON}
    held(deciding(cast, cast.dora, {**values, "carried_from_id": cast.hit}), loot=THROUGH, without=without_triggers)
    with rolled_back():
        assert outcome(deciding(cast, cast.dora, values)) == THROUGH


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
