"""Columns that name a person or a time, and what binds each to the token and the server's clock.

The list is the catalogue's: every such column of every walled table that a role which serves may write. One that is
neither stamped (apps/tenants/stamping.py), nor held to authz.acts_as (in its table's own trigger or policy, or as the
name that a flow's step is signed with), nor named here with the reason, fails.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from apps.intents.models import PolicyVersion, ReviewComment
from apps.tenants.catalogue import guarded_tables
from apps.tenants.catalogue.stamps import clocks_of_the_application
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.audit.forging import able
from tests.isolation.harness import changed, held, rolled_back, sql
from tests.isolation.world import World

# Columns of any table.
ANYWHERE = {
    "lease_until": "Who works at it until when: a promise to other workers, and no record.",
    "next_attempt_at": "When it is tried again: the schedule's.",
    "next_try_at": "When it is tried again: the schedule's.",
    "claimed_at": "Which worker sends it: a lease.",
    "started_at": "When a worker took it up; how long it takes is judged by the events.",
    "seen_at": "That a worker is at it still: a lease.",
}
NOT_VOUCHING = {
    "audit_erasurerequest.received_at": "What the receiver says: a letter lies before it is entered.",
    "audit_erasurerequest.due_on": "Follows from it.",
    "audit_legalhold.owner_id": "Who answers for the hold: the one who places it says so.",
    "corpus_document.updated_at": "Set by the database (corpus_note_change).",
    "corpus_ingestjob.updated_at": "Set by the database (corpus_note_change).",
    "audit_attestation.told_at": "What the witness or the service says in its signed answer, which stands beside it.",
    "audit_accesspackage.expires_at": "An end, and no act.",
    "audit_inventory.finished_at": "The platform's alone (audit_inventory_step).",
    "audit_inventorytreatment.asked_at": "When a redacted version was asked for: the platform's.",
    "audit_purgefigure.oldest": "Of the items that were counted.",
    "audit_purgefigure.newest": "Of the items that were counted.",
    "audit_purgepart.last_at": "Where the count goes on.",
    "audit_removalrun.finished_at": "The eraser's, or empty (audit_removal_run_step).",
    "audit_removalrun.prepared_at": "The eraser's alone (audit_removal_run_step).",
    "audit_removalrun.verifying_at": "The eraser's alone (audit_removal_run_step).",
    "audit_removaltarget.authorised_by": "An event.",
    "audit_restoration.removed_at": "The worker's, with a step that an event states (audit_restoration_step).",
    "audit_retentionschedule.valid_from": "Set by the database (audit_retention_step).",
    "audit_retentionschedule.valid_to": "Set by the database (audit_retention_step).",
    "audit_verification.started_by": "Who asked stands in the event as the token's; null is the clock's.",
    "intents_absence.begins_at": "When somebody is away, and no act.",
    "intents_absence.ends_at": "When somebody is away, and no act.",
    "intents_absence.ended_by_id": "Set by the database (intents_absence_step).",
    "intents_absence.recorded_by_id": "Set by the database (intents_absence_step).",
    "intents_goldenvector.created_at": "When an embedding was kept.",
    "intents_certifiedgrant.decided_by_id": "Set by the database (intents_certified_grant_step).",
    "intents_recertification.closed_by_id": "Set by the database (intents_recertification_step).",
    "intents_recertification.due_at": "An end, and no act.",
    "intents_recertification.started_by_id": "Set by the database (intents_recertification_step).",
    "intents_policyversion.valid_from": "Set by the database (intents_version_step).",
    "intents_policyversion.valid_to": "Set by the database (intents_version_step).",
    "research_researchrun.expires_at": "An end, and no act.",
    "research_researchrun.finished_at": "Of a run, which the platform alone writes; its event says it.",
    "research_researchrun.owner_id": "Who asked stands in the event as the token's; the platform alone writes the row.",
    "research_researchrun.stopped_by": "A code.",
    "research_researchstep.owner_id": "Held by the database to its run's (research_step_held).",
    "retrieval_keptanswer.expires_at": "An end, and no act.",
    "retrieval_evaluationquery.created_by": "A name for the list; who added it stands in its event.",
    "retrieval_evaluationquery.created_at": "For the order of the list; when it was added stands in its event.",
    "retrieval_evaluationrun.finished_at": "Of a measurement; its event says it.",
    "retrieval_policyimpact.requested_by": "A name for the page; who asked stands in its event.",
    "retrieval_policyimpact.finished_at": "Of a preview; its event says it.",
}
# Tables whose own tests hold them: documents and jobs vouch for nobody, and the directory has its own rules.
ELSEWHERE = ("corpus_", "tenants_")

_COLUMNS = r"""
    SELECT c.relname, a.attname,
           EXISTS (SELECT FROM pg_trigger t,
                        unnest(string_to_array(encode(t.tgargs, 'escape'), E'\\000')) AS g (argument)
                    WHERE t.tgrelid = c.oid AND t.tgfoid = 'authz.stamp()'::regprocedure
                      AND split_part(g.argument, ':', 1) = a.attname),
           EXISTS (SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
                    WHERE t.tgrelid = c.oid AND p.prosrc ~ ('acts_as\((NEW|OLD)\.' || a.attname || '\)'))
        OR EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgenabled = 'O'
                      AND t.tgfoid = 'tenants_flow_step()'::regprocedure
                      AND strpos(encode(t.tgargs, 'escape'), '"signed": "' || a.attname || '"') > 0)
        OR EXISTS (SELECT FROM pg_policy o WHERE o.polrelid = c.oid
                      AND pg_get_expr(o.polwithcheck, c.oid) ~ ('acts_as\(' || a.attname || '\)'))
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped
       AND (a.atttypid = 'timestamptz'::regtype
            OR a.attname ~ '(_by|_by_id|_label|author_id|approver_id|owner_id|user_id|person_id)$')
       AND EXISTS (SELECT FROM unnest(ARRAY['glassbox_api', 'glassbox_worker']) AS r (name)
                    WHERE has_column_privilege(r.name, c.oid, a.attnum, 'INSERT')
                       OR has_column_privilege(r.name, c.oid, a.attnum, 'UPDATE'))
     ORDER BY 1, 2
"""


def _unbound() -> list[str]:
    with connection.cursor() as cursor:
        tables = [name for name in guarded_tables(cursor) if not name.startswith(ELSEWHERE)]
    return [
        f"{table}.{column}"
        for table, column, is_stamped, is_asked in sql(_COLUMNS, tables)
        if not (is_stamped or is_asked or column in ANYWHERE or f"{table}.{column}" in NOT_VOUCHING)
    ]


def test_every_column_that_names_a_person_or_a_time_is_bound_or_vouches_for_nothing(world: World) -> None:
    assert _unbound() == []


def test_a_column_that_loses_what_binds_it_is_named(world: World) -> None:
    with changed("DROP TRIGGER aa_stamp ON intents_reviewcomment"):
        assert _unbound() == ["intents_reviewcomment.author_label", "intents_reviewcomment.created_at"]


def within(person: Principal, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=person.tenant_id, principal=person):
            return act()

    return attack


_WHEN = "now() - interval '1 year'"
FORGED = {
    "intents_reviewcomment": (
        "amy",
        "INSERT INTO intents_reviewcomment (tenant_id, version_id, author_id, author_label, text, created_at) "
        f"SELECT tenant_id, id, '{{me}}', 'Rita', 'So be it.', {_WHEN} FROM intents_policyversion LIMIT 1 "
        "RETURNING 'by ' || author_label || ', old: ' || (created_at < now() - interval '1 day')",
    ),
    "audit_legalhold": (
        "dan",
        "INSERT INTO audit_legalhold (tenant_id, matter, ground, owner_id, review_on, placed_by, placed_by_label, "
        "placed_at, released_by_label, release_reason) "
        f"VALUES (authz.tenant(), 'x', 'x', '{{me}}', current_date + 9, '{{me}}', 'Rita', {_WHEN}, '', '') "
        "RETURNING 'by ' || placed_by_label || ', old: ' || (placed_at < now() - interval '1 day')",
    ),
}


@pytest.mark.parametrize("table", FORGED)
def test_what_is_written_in_another_name_and_time_stands_in_ones_own_and_now(world: World, table: str) -> None:
    name, statement = FORGED[table]
    person = able(world.people[name])
    brought = held(
        within(person, lambda: sql(statement.format(me=person.id))),
        loot="by Rita, old: true",
        without=lambda: changed(f"DROP TRIGGER aa_stamp ON {table}"),
    )
    assert f"by {person.label}, old: false" in brought


def test_what_was_stamped_once_stays(world: World) -> None:
    """The time of an insertion is not moved by a later change, nor is that of a decision by another one's."""
    dan = world.people["dan"]
    with open_scope(tenant=world.acme.id, principal=dan):
        (before,) = sql("SELECT id, placed_at FROM audit_legalhold LIMIT 1")
        sql("UPDATE audit_legalhold SET review_on = review_on + 1 WHERE id = %s", before[0])
        assert sql("SELECT id, placed_at FROM audit_legalhold WHERE id = %s", before[0]) == [before]


# --- The application's own clock --------------------------------------------------------------------------------------


def _of_the_application() -> list[str]:
    with connection.cursor() as cursor:
        return [each.subject for each in clocks_of_the_application(cursor)]


def test_a_column_that_the_server_stamps_and_the_application_fills_is_named(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _of_the_application() == []
    made = "BEFORE INSERT ON audit_legalhold FOR EACH ROW EXECUTE FUNCTION authz.stamp('released_at:own made')"
    with changed(f"CREATE TRIGGER ab_stamp {made}"):
        assert _of_the_application() == ["Column released_at of audit_legalhold"]
    monkeypatch.setattr(ReviewComment._meta.get_field("created_at"), "auto_now_add", True)
    assert _of_the_application() == ["Column created_at of intents_reviewcomment"]


def test_what_was_just_made_has_the_servers_time_before_it_is_read_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    amy = able(world.people["amy"])
    monkeypatch.setattr(timezone, "now", lambda: datetime(2001, 1, 1, tzinfo=UTC))
    with rolled_back(), open_scope(tenant=world.acme.id, principal=amy):
        version = PolicyVersion.objects.all()[0]
        comment = ReviewComment.objects.create(
            tenant_id=world.acme.id, version=version, author_id=amy.id, author_label="Rita", text="So be it."
        )
        at_once = comment.created_at
        comment.refresh_from_db()
    assert at_once == comment.created_at
    assert at_once.year > 2001
