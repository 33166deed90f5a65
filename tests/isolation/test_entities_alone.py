"""The application alone keeps entities of other scopes and tenants from who asks: with the database's policies gone."""

from __future__ import annotations

import pytest

from apps.filings.selectors import entities
from apps.tenants.context import open_scope
from tests.isolation.harness import sql, wall_down
from tests.isolation.world import World, canary

pytestmark = pytest.mark.django_db

OTHERS = (("acme", "fund:beta"), ("bolt", "fund:alpha"))


def names(firm: str, scope: str) -> tuple[str, str]:
    """Return the keys of the company that this scope's documents name alone, and of its parent."""
    word = canary(firm, scope)
    return f"organisation:{word}", f"organisation:{word}-holding"


def test_own_entities_are_found_with_and_without_the_policies(world: World) -> None:
    own, parent = names("acme", "fund:alpha")
    with open_scope(tenant=world.acme.id, principal=world.people["ann"], reason="a test"):
        before = entities.entity_of_key(own)
    assert before is not None
    with wall_down(), open_scope(tenant=world.acme.id, principal=world.people["ann"], reason="a test"):
        assert entities.entity_of_key(own) == before
        assert {each.object.key for each in entities.relations_of([own])} == {parent}


@pytest.mark.parametrize("place", OTHERS)
def test_no_selector_asks_for_a_row_of_elsewhere(world: World, place: tuple[str, str]) -> None:
    key, parent = names(*place)
    with wall_down(), open_scope(tenant=world.acme.id, principal=world.people["ann"], reason="a test"):
        held = sql("SELECT count(*) FROM filings_entitymention WHERE key = %s", key)
        assert held[0][0] > 0, "the policies are gone"
        assert entities.entity_of_key(key) is None
        assert entities.find_of_all_types(canary(*place)) == []
        assert entities.mentions_of_entity(key) == []
        assert entities.relations_of([key, parent]) == []
        assert entities.beside(key) == []
