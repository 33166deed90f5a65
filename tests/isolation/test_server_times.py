"""Times that say what was valid when: set by the server, whatever a statement says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.isolation.harness import KEPT_BY_TWO, changed, held, sql
from tests.isolation.world import World

# Of tenants, intents, corpus and what reviewers judge by: times that an API's statement may write and no stamp
# (apps/tenants/stamping.py) watches. Each was looked at.
REVIEWED = {
    # Wishes: until when something shall be good, or when a worker shall look again.
    "corpus_ingestjob.lease_until",
    "corpus_ingestjob.next_attempt_at",
    "tenants_apikey.expires_at",
    "tenants_idempotentrequest.expires_at",
    "tenants_session.expires_at",
    "retrieval_keptanswer.expires_at",
    # Set by corpus_note_change, after whatever a statement says.
    "corpus_document.updated_at",
    # Of a moved copy: the source's, whatever is written (corpus/sql/moved.sql).
    "corpus_document.first_received_at",
    "corpus_document.replaced_there_at",
    "corpus_ingestjob.updated_at",
    # Held by intents_version_step, and by the reviewer's own name.
    "intents_policyversion.valid_from",
    "intents_policyversion.valid_to",
    # Held by the steps of these tables: when somebody accepted and was confirmed, and until when a link works.
    "tenants_membership.accepted_at",
    "tenants_membership.confirmed_at",
    "tenants_invitation.expires_at",
    "tenants_accountlink.expires_at",
    # Set by tenants_account_opened_again, whatever a statement says.
    "tenants_user.opened_again_at",
    # Until when grants are to be decided on: a time to come, which who begins a recertification chooses.
    "intents_recertification.due_at",
    # When a reviewer is away: within limits that intents_absence_step holds.
    "intents_absence.begins_at",
    "intents_absence.ends_at",
    # The platform alone writes these rows.
    "intents_goldenvector.created_at",
    "retrieval_evaluationrun.finished_at",
    "retrieval_evaluationrun.seen_at",
    "retrieval_evaluationrun.started_at",
    # Of a preview: who edits or approves policies asks for one, and the platform computes it.
    "retrieval_policyimpact.finished_at",
    "retrieval_policyimpact.lease_until",
    "retrieval_policyimpact.next_attempt_at",
    "retrieval_policyimpact.started_at",
}


def test_every_time_that_a_statement_may_write_is_the_servers_or_was_looked_at(world: World) -> None:
    found = sql("""
        SELECT c.relname || '.' || a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
           AND c.relname ~ '^(tenants|corpus|intents|retrieval)_' AND a.atttypid = 'timestamptz'::regtype
           AND has_column_privilege('glassbox_api', c.oid, a.attnum, 'INSERT, UPDATE')
           AND NOT EXISTS (
               SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
                WHERE t.tgrelid = c.oid AND t.tgenabled = 'O' AND p.oid = 'authz.stamp()'::regprocedure
                  AND '\\\\000' || encode(t.tgargs, 'escape') LIKE '%\\\\000' || a.attname || ':%')
    """)
    assert {name for (name,) in found} == REVIEWED


def _as_ann(world: World, statement: str, *parameters: Any) -> Any:
    with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        return sql(statement, *parameters)


def _without(table: str, *also: str) -> Any:
    return lambda: changed(*also, f"ALTER TABLE {table} DISABLE TRIGGER aa_stamp")


def test_a_personal_key_does_not_begin_in_2099(world: World) -> None:
    statement = (
        "INSERT INTO tenants_apikey (tenant_id, name, prefix, secret_sha256, role, created_at, expires_at, person_id) "
        "VALUES (%s, 'mine', 'aaaaaaaaaaaa', 'x', 'analyst', '2099-01-01', '2099-12-01', %s) "
        "RETURNING 'until ' || expires_at"
    )
    brought = held(
        lambda: _as_ann(world, statement, world.acme.id, world.people["ann"].id),
        loot="until 2099",
        without=_without("tenants_apikey"),
    )
    assert "personal_key_ends_within_a_year" in brought


@pytest.mark.parametrize("column", ["created_at", "valid_from"])
def test_a_document_is_not_of_another_time(world: World, column: str) -> None:
    statement = f"UPDATE corpus_document SET {column} = '2001-01-01' RETURNING 'since ' || {column}"
    held(
        lambda: _as_ann(world, statement),
        loot="since 2001",
        without=_without("corpus_document", KEPT_BY_TWO),
        alone=(KEPT_BY_TWO,),
    )


def test_a_membership_is_not_ended_in_the_past(world: World) -> None:
    """Who could reach what is answered from it."""

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            return sql("UPDATE tenants_membership SET revoked_at = '2001-01-01' RETURNING 'until ' || revoked_at")

    held(attack, loot="until 2001", without=_without("tenants_membership"))


@pytest.mark.parametrize(("column", "value"), [("submitted_at", "'2001-01-01'"), ("decision_reason", "'As agreed.'")])
def test_a_policy_version_begins_without_a_past(world: World, column: str, value: str) -> None:
    statement = f"""
        INSERT INTO intents_policyversion
        SELECT (jsonb_populate_record(v, jsonb_build_object('id', uuidv7(), 'number', 99, 'status', 'draft', 'origin',
            'draft', 'valid_from', null, 'valid_to', null, 'author_id', %s, '{column}', {value}::text))).*
          FROM intents_policyversion v LIMIT 1 RETURNING 'written'
    """
    officer = replace(world.people["ann"], roles=frozenset({Role.COMPLIANCE_OFFICER}))

    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=officer):
            return sql(statement, world.people["ann"].id)

    held(
        attack,
        loot="written",
        without=lambda: changed("ALTER TABLE intents_policyversion DISABLE TRIGGER ab_flow"),
    )
