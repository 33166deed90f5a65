"""Two signing keys at once: old and new processes serve side by side, and a key that is removed opens nothing."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.test import override_settings

from apps.tenants.context import open_scope
from apps.tenants.tokens import pads
from config.secrets import SigningKey
from tests.isolation.harness import changed, held, outcome, sql
from tests.isolation.world import World, canary

NEW = SigningKey(kid="k-new", key=bytes(range(32)))
ALPHA = canary("acme", "fund:alpha")


def _accepting_the_new_key() -> Any:
    inner, outer = (f"'\\x{pad.hex()}'::bytea" for pad in pads(NEW.key))
    return changed(f"INSERT INTO authz.signing_key (kid, inner_pad, outer_pad) VALUES ('{NEW.kid}', {inner}, {outer})")


def test_a_new_key_opens_a_scope_once_the_database_accepts_it_and_not_before(world: World) -> None:
    def attack() -> Any:
        with (
            override_settings(GLASSBOX_SCOPE_KEYS=(NEW, *settings.GLASSBOX_SCOPE_KEYS)),
            open_scope(tenant=world.acme.id, principal=world.people["ann"]),
        ):
            return sql("SELECT title FROM corpus_document")

    assert "not signed by a known key" in held(attack, loot=ALPHA, without=_accepting_the_new_key)


def test_the_old_key_is_good_beside_the_new_one_until_it_is_removed(world: World) -> None:
    def read() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return sql("SELECT title FROM corpus_document")

    with _accepting_the_new_key():
        assert ALPHA in outcome(read)
    with changed(f"DELETE FROM authz.signing_key WHERE kid = '{settings.GLASSBOX_SCOPE_KEYS[0].kid}'"):
        refused = outcome(read)
    assert "not signed by a known key" in refused
    assert ALPHA not in refused
