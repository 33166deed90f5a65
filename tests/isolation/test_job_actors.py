"""Attacks that bring something home: a job that the worker does with the rights of a key that did not ask for it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from apps.tenants.models import ApiKey
from apps.tenants.selectors.grants import key_principal
from apps.tenants.services.api_keys import api_key_authenticate
from tests.isolation.harness import outcome, rolled_back, sql
from tests.isolation.test_forged_events import THROUGH, as_person
from tests.isolation.world import World


def _key(world: World, name: str) -> ApiKey:
    return api_key_authenticate(world.keys[name])


@pytest.mark.slow
@pytest.mark.parametrize("other", ["acme", "nobody"])
def test_a_key_asks_for_no_job_in_another_keys_name(world: World, other: str) -> None:
    """The worker takes the rights of the actor whom the row names. The token says which key acts (`actor:`)."""
    asking = key_principal(_key(world, "acme-alpha"))
    named = UUID(int=7) if other == "nobody" else _key(world, other).id
    alpha = world.scope_id("acme", "fund:alpha")
    statement = (
        "INSERT INTO corpus_ingestjob SELECT (jsonb_populate_record(j, jsonb_build_object('id', uuidv7(), "
        f"'actor_kind', 'api_key', 'actor_id', '{named}', 'actor_key_id', NULL, 'actor_label', 'forged'))).* "
        f"FROM corpus_ingestjob j WHERE j.scope_id = '{alpha}' LIMIT 1 RETURNING '{THROUGH}'"
    )
    with rolled_back():
        brought = outcome(as_person(asking, lambda: str(sql(statement))))
        assert THROUGH not in brought, brought


def test_a_persons_key_asks_for_no_job_in_another_keys_name(world: World) -> None:
    asking = replace(world.people["ann"], key_id=uuid4())
    alpha = world.scope_id("acme", "fund:alpha")
    statement = (
        "INSERT INTO corpus_ingestjob SELECT (jsonb_populate_record(j, jsonb_build_object('id', uuidv7(), "
        f"'actor_kind', 'api_key', 'actor_id', '{_key(world, 'acme').id}', 'actor_key_id', NULL, "
        "'actor_label', 'forged'))).* "
        f"FROM corpus_ingestjob j WHERE j.scope_id = '{alpha}' LIMIT 1 RETURNING '{THROUGH}'"
    )
    with rolled_back():
        brought = outcome(as_person(asking, lambda: str(sql(statement))))
        assert THROUGH not in brought, brought
