"""The sealed payloads of the log under attack: read, removed, rewritten, put elsewhere.

The world's bolt has events of its own; ann holds Acme's fund:alpha alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.audit.ids import new_id
from apps.audit.models import Event, Payload
from apps.audit.selectors import payloads_of, readings_of
from apps.audit.services import record
from apps.tenants.context import open_scope
from tests.audit.forging import add_group
from tests.isolation.harness import changed, forgetful, held, rolled_back, sql
from tests.isolation.world import World

ACTION = "corpus.document.received"
COUNT = "SELECT count(*) || ' rows of others' FROM {table} WHERE {condition} HAVING count(*) > 0"


def as_ann(world: World, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return act()

    return attack


def event_of(world: World, slug: str, scope: str) -> Event:
    """The event of a document's arrival in that scope."""
    firm = world.firm(slug)
    with open_scope(tenant=firm.id, reason="a test"):
        event: Event = Event.objects.get(action=ACTION, subject_id=world.document(slug, scope))
        return event


@pytest.mark.slow
@pytest.mark.parametrize("table", ["audit_payload", "audit_datakey"])
def test_another_tenants_rows_are_not_there(world: World, table: str) -> None:
    statement = COUNT.format(table=table, condition=f"tenant_id = '{world.bolt.id}'")
    held(as_ann(world, lambda: sql(statement)), loot="rows of others")


def test_the_payload_of_an_event_in_another_scope_is_not_there(world: World) -> None:
    event = event_of(world, "acme", "fund:beta")
    statement = COUNT.format(table="audit_payload", condition=f"event_id = '{event.id}'")
    held(as_ann(world, lambda: sql(statement)), loot="rows of others")


@pytest.mark.parametrize("place", [("acme", "fund:beta"), ("bolt", "firm")])
def test_the_selector_decrypts_nothing_hidden_not_even_for_an_event_that_is_held(
    world: World, place: tuple[str, str]
) -> None:
    """As code that kept an event from an earlier scope, in an application that forgets the tenant."""
    event = event_of(world, *place)

    def attack() -> Any:
        with forgetful():
            return payloads_of([event])

    held(as_ann(world, attack), loot="content_sha256")


@pytest.mark.parametrize(
    ("statement", "right"),
    [
        ("DELETE FROM audit_payload", "GRANT DELETE ON audit_payload TO glassbox_api"),
        ("UPDATE audit_payload SET terms = '{}'", "GRANT UPDATE ON audit_payload TO glassbox_api"),
        ("DELETE FROM audit_datakey", "GRANT DELETE ON audit_datakey TO glassbox_api"),
        ("UPDATE audit_datakey SET wrapped_key = ''", "GRANT UPDATE ON audit_datakey TO glassbox_api"),
    ],
)
def test_nothing_of_it_is_removed_or_rewritten(world: World, statement: str, right: str) -> None:
    def attack() -> Any:
        sql(statement)
        return "it was let through"

    def allowed() -> Any:
        return changed(
            right,
            "ALTER TABLE audit_payload DISABLE TRIGGER USER",
            "ALTER TABLE audit_datakey DISABLE TRIGGER USER",
            "ALTER TABLE audit_payload DROP CONSTRAINT audit_payload_data_key_id_fk",
        )

    assert "permission denied" in held(as_ann(world, attack), loot="it was let through", without=allowed)


@pytest.mark.parametrize("statement", ["DELETE FROM audit_payload", "UPDATE audit_payload SET terms = '{}'"])
def test_the_trigger_stands_where_the_right_was_given(world: World, statement: str) -> None:
    right = "GRANT UPDATE, DELETE ON audit_payload TO glassbox_api"
    with changed(right), pytest.raises(Exception, match="append-only"), transaction.atomic():
        as_ann(world, lambda: sql(statement))()


def test_two_ciphertexts_that_were_swapped_are_both_damaged(world: World) -> None:
    """By a superuser, past rights and triggers, between two events that the reader may see."""
    one, two = (event_of(world, "acme", scope) for scope in ("fund:alpha", "fund:beta"))
    swap = f"""
        UPDATE audit_payload p SET ciphertext = o.ciphertext FROM audit_payload o
         WHERE p.field_group = 'core' AND o.field_group = 'core'
           AND (p.event_id, o.event_id) IN (('{one.id}', '{two.id}'), ('{two.id}', '{one.id}'))
    """
    with (
        changed("ALTER TABLE audit_payload DISABLE TRIGGER USER", swap),
        open_scope(tenant=world.acme.id, reason="a test"),
    ):
        found = readings_of([one, two])
        assert [set(found[event.id].problems) for event in (one, two)] == [{"core"}, {"core"}]
        assert not any("core" in found[event.id].payload for event in (one, two))
        with pytest.raises(PayloadDamagedError):
            payloads_of([one])
    with open_scope(tenant=world.acme.id, reason="a test"):
        assert payloads_of([one])[one.id]["core"]["kind"] == "run"


def test_a_payload_is_no_easier_to_read_than_its_event(world: World) -> None:
    """Even who may insert can't hang a payload on an event under fewer scopes than the event's own."""
    beta = world.scope_id("acme", "fund:beta")

    def hang(scopes: list[Any]) -> Any:
        with open_scope(tenant=world.acme.id, reason="a test"):
            event = record(action="retrieval.question.answered", core={"intent": "x"}, scopes=[beta])
            row = Payload.objects.filter(event_id=event.id, group="core").get()
            add_group(event, "answer", bytes(row.ciphertext), scope_ids=scopes)

    with rolled_back():
        hang([beta])
    with rolled_back(), pytest.raises(IntegrityError, match="audit_payload_event_fk"), transaction.atomic():
        hang([])


def test_whether_a_hidden_event_exists_is_not_told(world: World) -> None:
    """A payload hung on an id fails alike for a hidden event and for none at all; so does an event of its id."""
    hidden = event_of(world, "acme", "fund:beta")
    alpha = world.scope_id("acme", "fund:alpha")

    def told(event_id: Any) -> str:
        with rolled_back(), open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            own = Payload.objects.filter(group="core").first()
            assert own is not None
            unseen = Event(id=event_id, tenant_id=world.acme.id, scope_ids=[alpha], occurred_at=timezone.now())
            with pytest.raises(IntegrityError) as caught, transaction.atomic():
                add_group(unseen, "answer", bytes(own.ciphertext))
            return str(caught.value).replace(str(event_id), "")

    assert told(hidden.id) == told(new_id())


def test_the_worker_alone_may_wrap_keys_anew_and_change_nothing_else_of_them(committed_ground: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.name, a.attname FROM unnest(ARRAY['glassbox_api', 'glassbox_worker', 'glassbox_auditor', "
            "'glassbox_eraser']) AS r (name), pg_attribute a WHERE a.attrelid = 'audit_datakey'::regclass "
            "AND a.attnum > 0 AND has_column_privilege(r.name, a.attrelid, a.attnum, 'UPDATE') ORDER BY 1, 2"
        )
        assert cursor.fetchall() == [("glassbox_worker", "kek_id"), ("glassbox_worker", "wrapped_key")]
