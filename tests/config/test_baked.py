"""The suite's own worlds: what is put back is what was built, and nothing else that the suite knows of its tenants."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import transaction

from apps.audit.keys import data_keys
from apps.erasure.personal_data.places import memories
from apps.tenants.context import open_scope
from apps.tenants.models import Scope, Tenant
from apps.tenants.roles import Role
from tests import rows
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member

# At the level of a module, by the ids of tenants or of their things.
FORGOTTEN = {
    "apps.audit.log.attesting._waited",
    "apps.intents.selectors._snapshots",
}
# By the texts of the examples too, and so never another's.
BY_CONTENT = {"apps.intents.services.golden._matrices"}

committed = pytest.mark.django_db(transaction=True)


def make_named(firm: Firm, *, name: str) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        Scope.objects.filter(key="fund:alpha").update(name=name)
    return name


def name_of(firm: Firm) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return str(Scope.objects.values_list("name", flat=True).get(key="fund:alpha"))


@committed
def test_every_row_and_sequence_is_put_back() -> None:
    baked(make_firm, "acme")
    built = rows.remember_rows()
    assert len(built.tables) > 10
    rows.empty_database()
    assert rows.filled_tables() == []
    baked(make_firm, "acme")
    assert rows.remember_rows() == built


@committed
def test_what_a_test_does_to_it_the_next_one_does_not_see() -> None:
    first = baked(make_firm, "acme")
    first.tenant.name, first.scopes["fund:alpha"].name = "Spoilt", "Spoilt"
    make_named(first, name="Spoilt")
    make_member(first, "ann", Role.ANALYST)
    rows.empty_database()
    second = baked(make_firm, "acme")
    assert (second.id, second.tenant.name, second.scopes["fund:alpha"].name) == (first.id, "Acme", "Alpha")
    assert name_of(second) == "Alpha"
    make_member(second, "ann", Role.ANALYST)


@committed
def test_worlds_of_other_arguments_are_others() -> None:
    acme = baked(make_firm, "acme")
    rows.empty_database()
    bolt = baked(make_firm, "bolt")
    assert (acme.tenant.slug, bolt.tenant.slug) == ("acme", "bolt")
    rows.empty_database()
    assert list(baked(make_firm, "acme", funds=()).scopes) == ["firm:acme"]


@committed
def test_one_is_built_upon_another() -> None:
    for name in ("One", "Two", "One"):
        firm = baked(make_firm, "acme")
        assert baked(make_named, name=name, on=firm) == name
        assert name_of(firm) == name
        assert len(rows.filled_tables()) > 10
        rows.empty_database()


@committed
def test_what_was_written_since_stays_below_what_is_built_upon_it() -> None:
    for _ in range(2):
        firm = baked(make_firm, "acme")
        assert baked(make_named, name="Three", on=firm) == "Three"
        make_member(firm, "ann", Role.ANALYST)
        assert baked(make_named, name="Four", on=firm) == "Four"
        with open_scope(tenant=firm.id, reason="a test") as context:
            assert context.tenant_id == firm.id
            assert "tenants_membership" in rows.filled_tables()
        rows.empty_database()


@committed
def test_it_is_mixed_with_nothing() -> None:
    make_firm("bolt")
    with pytest.raises(AssertionError, match="committed already"):
        baked(make_firm, "acme")
    rows.empty_database()
    with transaction.atomic(), pytest.raises(AssertionError, match="is committed"):
        baked(make_firm, "acme")
    assert not Tenant.objects.exists()


@committed
def test_nothing_outside_the_database_remembers_it() -> None:
    firm = baked(make_firm, "acme")
    known = list(data_keys.cache._entries)
    make_member(firm, "ann", Role.ANALYST)
    cache.set("first", True)
    place = Path(settings.GLASSBOX_CHECKPOINT_URL)
    (place / "first").mkdir(parents=True)
    make_firm("bolt")
    assert len(data_keys.cache._entries) > len(known) > 0
    rows.empty_database()
    baked(make_firm, "acme")
    assert cache.get("first") is None
    assert not place.exists()
    assert list(data_keys.cache._entries) == known


def test_every_memory_of_a_process_is_forgotten_that_goes_by_ids() -> None:
    """Dictionaries of modules. (What remembers by a decorator goes by words, and KeyCache is named.)"""
    found = set()
    for path in Path(settings.BASE_DIR, "apps").rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and _is_by_id(node.annotation):
                module = ".".join(path.relative_to(settings.BASE_DIR).with_suffix("").parts)
                found.add(f"{module}.{node.target.id}")
    assert found == FORGOTTEN | BY_CONTENT
    assert {each for each in memories() if each.endswith("data_keys")} == {"memory:apps.audit.keys.data_keys"}


def _is_by_id(annotation: ast.expr) -> bool:
    """A dictionary whose keys name an id."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return False
    key = ast.unparse(annotation.slice.elts[0])
    return ast.unparse(annotation.value) in ("dict", "OrderedDict") and ("UUID" in key or key.endswith("Id"))
