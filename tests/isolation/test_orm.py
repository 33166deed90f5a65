"""The wall against the ORM: managers, expressions, relations and lookups that forget, or leave out, the filter."""

from __future__ import annotations

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from tests.isolation.harness import held
from tests.isolation.world import World, canary


def test_a_manager_without_the_tenant_filter_finds_nothing_of_another_tenant(world: World) -> None:
    def attack() -> list[Document]:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            return list(Document._base_manager.all())

    held(attack, loot=canary("bolt", "firm"))


def test_the_ordinary_manager_finds_nothing_of_another_scope(world: World) -> None:
    def attack() -> list[Document]:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return list(Document.objects.all())

    brought = held(attack, loot=canary("acme", "fund:beta"))
    assert canary("acme", "fund:alpha") in brought
