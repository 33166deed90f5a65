"""The one way to remove from the log, and every other way that somebody might try.

Who runs anything may not DELETE, UPDATE or TRUNCATE, not even the owner of the tables; audit_erase removes what a
sealed event of the same tenant names, for glassbox_eraser alone. Each attack is tried once more with what stops it
taken away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection

from apps.audit.models import Event, Payload
from apps.audit.registry import Group
from apps.audit.services import record
from apps.erasure.log_removal import ERASED, Removal, removals_execute
from apps.tenants.context import open_scope
from tests.audit.acting import authorised, checkpointed, sealed
from tests.audit.mutations import acting_as
from tests.factories import Firm
from tests.isolation.harness import changed, held, outcome, rolled_back, sql
from tests.isolation.world import World
from tests.raising import raises_code

ROLES = ("glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser", "glassbox_owner")
TABLES = {
    "audit_event": "actor_label = 'nobody'",
    "audit_payload": "terms = '{}'",
    "audit_leaf": "index = index + 1000000",
    "audit_subtree": "index = index + 1000000",
    "audit_checkpoint": "note = 'x'",
}
THROUGH = "it was let through"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Acme's log, sealed: an event whose question may go (named), one whose question may not, and who says so."""

    named: Event
    other: Event
    authorising: Event
    of_bolt: Event


@pytest.fixture(scope="module")
def ground(world: World) -> Ground:
    def asked(firm: Firm) -> Event:
        with open_scope(tenant=firm.id, reason="a test"):
            return record(
                action="retrieval.question.answered", core={"intent": "performance"}, question={"text": "Who is ill?"}
            )

    def erased(firm: Firm, event: Event) -> Event:
        sealed(firm)
        found = authorised(
            firm.id, [Removal(event_id=event.id, group=group) for group in (Group.QUESTION, Group.ACTOR)]
        )
        sealed(firm)
        return found

    named, other, of_bolt = asked(world.acme), asked(world.acme), asked(world.bolt)
    made = Ground(named=named, other=other, authorising=erased(world.acme, named), of_bolt=erased(world.bolt, of_bolt))
    # A stored subtree and a checkpoint are attacked, too.
    sealed(world.acme, 256)
    checkpointed(world.acme)
    return made


def in_acme(world: World, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, reason="a test"):
            return act()

    return attack


def erase(event: UUID, group: str, authorising: UUID) -> Any:
    return sql("SELECT 'removed: ' || audit_erase(%s, %s, %s)", event, group, authorising)


# --- Every other way --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("command", ["DELETE FROM {}", "UPDATE {} SET {change}", "TRUNCATE {} CASCADE"])
def test_no_role_deletes_changes_or_empties(world: World, ground: Ground, role: str, table: str, command: str) -> None:
    statement = command.format(table, change=TABLES[table])

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, reason="a test"):
            assert sql(f"SELECT count(*) FROM {table}")[0][0]
            sql(statement)
            return THROUGH

    def as_role() -> Any:
        # The owner owns, and needs no right: what stops it is the trigger.
        return acting_as(role)

    def without() -> Any:
        return _as_role_after(
            role,
            f"GRANT SELECT, DELETE, UPDATE, TRUNCATE ON {table}, audit_payload TO {role}",
            f"GRANT TRUNCATE ON audit_webhookdelivery, audit_webhookattempt TO {role}",
            f"GRANT SELECT ON tenants_scope TO {role}",
            f"ALTER TABLE {table} DISABLE TRIGGER USER",
            "ALTER TABLE audit_webhookdelivery DROP CONSTRAINT audit_webhookdelivery_event_fk",
            *(
                f"ALTER TABLE audit_payload {each}"
                for each in ("DISABLE TRIGGER USER", "DROP CONSTRAINT audit_payload_event_fk")
            ),
        )

    with as_role():
        brought = held(attack, loot=THROUGH, without=without)
    assert "permission denied" in brought or "append-only" in brought


@contextmanager
def _as_role_after(role: str, *statements: str) -> Iterator[None]:
    with changed(*statements, f"SET LOCAL ROLE {role}"):
        sql(f"SET LOCAL ROLE {role}")
        yield


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_owner"])
def test_the_eraser_alone_may_call_it(world: World, ground: Ground, role: str) -> None:
    attack = in_acme(world, lambda: erase(ground.named.id, "question", ground.authorising.id))
    right = f"GRANT EXECUTE ON FUNCTION audit_erase(uuid, text, uuid) TO {role}"
    with acting_as(role):
        brought = held(attack, loot="removed: true", without=lambda: _as_role_after(role, right))
    assert "permission denied for function audit_erase" in brought


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("strong", ["glassbox_remover", "glassbox_owner", "glassbox_authz"])
def test_nobody_becomes_a_role_that_may(world: World, role: str, strong: str) -> None:
    if role == strong:
        return
    with acting_as(role):
        brought = held(
            lambda: sql(f"SET LOCAL ROLE {strong}; SELECT 'now ' || current_user"),
            loot=f"now {strong}",
            without=lambda: changed(f"GRANT {strong} TO {settings.GLASSBOX_DB_ROLE}"),
        )
    assert "permission denied to set role" in brought


def test_no_setting_of_a_session_lets_the_owner_through(world: World, ground: Ground) -> None:
    with acting_as("glassbox_owner"):
        for setting in ("session_replication_role = replica", "glassbox.erasing = on", "row_security = off"):
            with rolled_back(), pytest.raises(Exception, match=r"permission denied|append-only|row-level security"):
                in_acme(world, partial(sql, f"SET LOCAL {setting}; DELETE FROM audit_payload"))()


# --- audit_erase itself -----------------------------------------------------------------------------------------------


def test_what_a_sealed_event_names_is_removed_once(world: World, ground: Ground) -> None:
    with rolled_back(), acting_as("glassbox_eraser"), rolled_back(), open_scope(tenant=world.acme.id, reason="a test"):
        assert erase(ground.named.id, "question", ground.authorising.id) == [("removed: true",)]
        assert erase(ground.named.id, "question", ground.authorising.id) == [("removed: false",)]
        assert erase(ground.named.id, "actor", ground.authorising.id) == [("removed: true",)]
        event = Event.objects.get(id=ground.named.id)
        assert event.actor_label == ""
        assert event.commitments == ground.named.commitments
        groups = Payload.objects.filter(event_id=event.id).values_list("group", flat=True)
        assert list(groups) == ["core"]


@pytest.mark.parametrize(
    ("event", "group", "authorising"),
    [
        ("named", "core", "authorising"),  # a group that is not named
        ("other", "question", "authorising"),  # an event that is not named
        ("named", "question", "other"),  # an event that authorises nothing
        ("named", "question", "of_bolt"),  # another tenant's
        ("of_bolt", "core", "authorising"),
        ("authorising", "core", "authorising"),  # the proof itself
    ],
)
def test_what_is_not_named_stays(world: World, ground: Ground, event: str, group: str, authorising: str) -> None:
    """Without the function's question, the right to remove the row is all that there is."""
    target: Event = getattr(ground, event)
    attack = in_acme(world, lambda: erase(target.id, group, getattr(ground, authorising).id))
    unasked = """
        CREATE OR REPLACE FUNCTION audit_erase(event uuid, field_group text, authorising_event uuid) RETURNS boolean
        LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
            WITH gone AS (DELETE FROM public.audit_payload p
                           WHERE p.event_id = $1 AND p.field_group = $2 RETURNING 1)
            SELECT EXISTS (SELECT FROM gone)
        $$
    """
    wall = "ALTER TABLE audit_payload DISABLE ROW LEVEL SECURITY"
    with acting_as("glassbox_eraser"):
        brought = held(attack, loot="removed: true", without=lambda: _as_role_after("glassbox_eraser", unasked, wall))
    assert "nothing is removed" in brought


def test_an_event_that_is_not_sealed_authorises_nothing(world: World, ground: Ground) -> None:
    """Nor one whose leaf comes before the event that it names."""
    late = authorised(world.acme.id, [Removal(event_id=ground.other.id, group=Group.QUESTION)])
    leaf = (
        "INSERT INTO audit_leaf (tenant_id, event_id, index, hash) "
        f"SELECT tenant_id, '{late.id}', max(index) + 1, sha256('') FROM audit_leaf "
        f"WHERE tenant_id = '{world.acme.id}' GROUP BY tenant_id"
    )
    first = (
        f"UPDATE audit_leaf SET index = -1 WHERE event_id = '{late.id}'",
        "ALTER TABLE audit_leaf DROP CONSTRAINT leaf_counts_from_zero",
        "ALTER TABLE audit_leaf DISABLE TRIGGER USER",
    )
    attack = in_acme(world, lambda: erase(ground.other.id, "question", late.id))
    with acting_as("glassbox_eraser"):
        brought = held(attack, loot="removed: true", without=lambda: _as_role_after("glassbox_eraser", leaf))
        assert "no event that authorises it is sealed after it" in brought
        with _as_role_after("glassbox_eraser", leaf, *reversed(first)), pytest.raises(Exception, match="sealed after"):
            attack()
    with (
        acting_as("glassbox_eraser"),
        rolled_back(),
        open_scope(tenant=world.acme.id, reason="a test"),
        raises_code("audit.removal_not_sealed"),
    ):
        removals_execute(authorising_event_id=late.id)


def test_a_forged_term_removes_nothing_that_is_not_in_the_statement_of_an_event(world: World, ground: Ground) -> None:
    """Whoever may insert can't add a naming term to an event that is there: its core is a row, and there is one."""

    def attack() -> Any:
        sql(
            "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms) "
            "SELECT tenant_id, event_id, scope_ids, 'core', ciphertext, data_key_id, ARRAY[%s] FROM audit_payload "
            "WHERE event_id = %s AND field_group = 'core'",
            f"removal:{ground.other.id}:question",
            ground.authorising.id,
        )
        return THROUGH

    brought = held(
        in_acme(world, attack),
        loot=THROUGH,
        without=lambda: changed(
            "ALTER TABLE audit_payload DROP CONSTRAINT payload_group_once",
            "GRANT INSERT ON audit_payload TO glassbox_api",
        ),
    )
    assert "permission denied" in brought


@pytest.mark.parametrize("name", ["amy", "ada"])
def test_who_may_not_manage_privacy_authorises_nothing_past_the_service(
    world: World, ground: Ground, name: str
) -> None:
    """Past the service: with the way of writing events, and without the question that it asks."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people[name]):
            removal = {"event_id": str(ground.other.id), "group": "question"}
            record(action=ERASED, core={"removals": [removal], "reason_code": "retention_ended"})
            return THROUGH

    assert "the token may not write audit.payload.erased" in outcome(attack)
    # Nor is that all that stands before it: tests/isolation/test_bindings.py.
    with changed("UPDATE authz.event_class SET permissions = '{anybody}', binding = '{}'"):
        assert "no run that is carried out names what is to be removed" in outcome(attack)


def test_another_tenants_scope_removes_nothing_of_this_one(world: World, ground: Ground) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.bolt.id, reason="a test"):
            return erase(ground.named.id, "question", ground.authorising.id)

    with acting_as("glassbox_eraser"), rolled_back(), pytest.raises(Exception, match="the event is not there"):
        attack()
    with acting_as("glassbox_eraser"), rolled_back(), pytest.raises(Exception, match="no scope is open"):
        erase(ground.named.id, "question", ground.authorising.id)


def test_the_eraser_sees_no_ciphertext(world: World, ground: Ground) -> None:
    """It has the wrapped keys, since it seals the events that it records; what was sealed with them it can't read."""
    with acting_as("glassbox_eraser"):
        for statement in ("SELECT ciphertext FROM audit_payload", "SELECT * FROM audit_payload"):
            with rolled_back(), pytest.raises(Exception, match="permission denied"):
                in_acme(world, partial(sql, statement))()
        for statement in ("UPDATE audit_datakey SET wrapped_key = ''", "DELETE FROM audit_datakey"):
            with rolled_back(), pytest.raises(Exception, match="permission denied"):
                in_acme(world, partial(sql, statement))()


def test_executing_is_repeated_without_harm(world: World, ground: Ground) -> None:
    with acting_as("glassbox_eraser"), rolled_back(), open_scope(tenant=world.acme.id, reason="a test"):
        first = removals_execute(authorising_event_id=ground.authorising.id)
        again = removals_execute(authorising_event_id=ground.authorising.id)
        assert (first.removed, first.gone, again.removed, again.gone) == (2, 0, 0, 2)


def test_the_remover_owns_its_functions_and_may_no_more_than_it_does(world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT r.rolcanlogin, r.rolsuper, r.rolbypassrls, "
            "(SELECT count(*) FROM pg_auth_members m WHERE r.oid IN (m.roleid, m.member)), "
            "(SELECT array_agg(p.oid::regprocedure::text ORDER BY p.proname) FROM pg_proc p WHERE p.proowner = r.oid), "
            "has_schema_privilege(r.oid, 'public', 'CREATE') FROM pg_roles r WHERE r.rolname = 'glassbox_remover'"
        )
        functions = [
            # End a tenant that a run names: tests/isolation/test_tenant_end.py.
            "audit_destroy_keys(uuid)",
            "audit_empty_log(uuid,integer)",
            "audit_erase(uuid,text,uuid)",
            "audit_forget_access(uuid)",
            "audit_forget_request(uuid)",
            "audit_removal_targets(text)",
            "audit_removal_terms()",
            "audit_remove_of_tenant(text,integer)",
            "audit_remove_packages(uuid[],integer)",
            # They read, and answer with ids or a refusal: tests/isolation/test_restriction.py.
            "corpus_document_is_kept()",
            "corpus_document_moved_lasting()",
            "corpus_document_received_first()",
            "held_documents()",
            "hidden_documents()",
            # It reads versions that their writer may not see, and answers with a refusal:
            # tests/intents/test_replacing_held.py.
            "intents_replaced_held()",
            "restricted_documents()",
            # They answer yes or no of accounts, and end what has lost its ground: tests/isolation/test_people.py,
            # tests/isolation/test_people_alone.py, tests/tenants/test_what_ends.py.
            "tenants_factor_given_up(uuid)",
            "tenants_factor_stands()",
            "tenants_has_mailbox(uuid,text)",
            "tenants_links_end()",
            # The columns of accounts that no role reads of the table: of the own account, and of colleagues what is
            # theirs to know.
            "tenants_of_account(uuid,text,text)",
            "tenants_personal_keys_end()",
            "tenants_same_hands(uuid)",
        ]
        assert cursor.fetchall() == [(False, False, False, 0, functions, False)]
        cursor.execute(
            "SELECT c.relname, p.name FROM pg_class c, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) "
            "AS p (name) WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' "
            "AND has_table_privilege('glassbox_remover', c.oid, p.name)"
        )
        held_rights = set(cursor.fetchall())
        with_tenant = sql("SELECT tablename FROM pg_policies WHERE policyname = 'end_of_tenant'")
        tables = {
            "audit_payload",
            "audit_datakey",
            "audit_accesspackage",
            "tenants_accountlink",
            *(row[0] for row in with_tenant),
        }
        assert "intents_policyversion" in tables
        assert held_rights == {(table, "DELETE") for table in tables}
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'audit_event'::regclass AND attnum > 0 "
            "AND has_column_privilege('glassbox_remover', attrelid, attnum, 'UPDATE')"
        )
        assert cursor.fetchall() == [("actor_label",)]
