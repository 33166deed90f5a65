"""No single person removes a document, with any SQL at all: every way to remove or empty one that was searchable."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.db import connection

from apps.corpus.services.documents import BELOW
from apps.tenants.catalogue.two import ONE_PERSON, deletable_by_one
from apps.tenants.context import open_scope
from tests.isolation.harness import changed, held, sql
from tests.isolation.world import World

pytestmark = pytest.mark.usefixtures("committed_ground")

THROUGH = "it was let through"
TABLES = ("corpus_document", *(model._meta.db_table for model in BELOW))
_ALL = "; ".join(
    [
        *(f"DELETE FROM {model._meta.db_table} WHERE document_id = '{{0}}'" for model in BELOW),
        f"DELETE FROM corpus_document WHERE id = '{{0}}' RETURNING '{THROUGH}'",
    ]
)
WAYS = {
    "deleted with all below it": _ALL,
    "its file deleted": f"DELETE FROM corpus_sourcefile WHERE document_id = '{{0}}' RETURNING '{THROUGH}'",
    "its pages deleted": f"DELETE FROM corpus_page WHERE document_id = '{{0}}' RETURNING '{THROUGH}'",
    "its jobs deleted": f"DELETE FROM corpus_ingestjob WHERE document_id = '{{0}}' RETURNING '{THROUGH}'",
    "its file emptied": f"UPDATE corpus_sourcefile SET content = '' WHERE document_id = '{{0}}' RETURNING '{THROUGH}'",
    "its pages emptied": f"UPDATE corpus_page SET text = '' WHERE document_id = '{{0}}' RETURNING '{THROUGH}'",
    "its passages emptied": f"UPDATE corpus_chunk SET text = '' WHERE document_id = '{{0}}' RETURNING '{THROUGH}'",
    "called failed": f"UPDATE corpus_document SET status = 'failed' WHERE id = '{{0}}' RETURNING '{THROUGH}'",
    "called never published": (
        "UPDATE corpus_document SET status = 'failed', valid_from = NULL WHERE id = '{0}' " + f"RETURNING '{THROUGH}'"
    ),
    "superseded by nothing": (
        f"UPDATE corpus_document SET status = 'superseded', valid_to = now() WHERE id = '{{0}}' RETURNING '{THROUGH}'"
    ),
    "put under another title": f"UPDATE corpus_document SET title = 'x' WHERE id = '{{0}}' RETURNING '{THROUGH}'",
    "merged": (
        "MERGE INTO corpus_page p USING (SELECT 1) AS one ON p.document_id = '{0}' "
        f"WHEN MATCHED THEN DELETE RETURNING '{THROUGH}'"
    ),
}


def without_triggers() -> Callable[[], object]:
    return lambda: changed(*(f"ALTER TABLE {table} DISABLE TRIGGER USER" for table in TABLES))


@pytest.mark.parametrize("way", WAYS)
def test_an_administrator_with_sql_removes_nothing_alone(world: World, way: str) -> None:
    document = world.document("acme", "fund:alpha")

    def attack() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            return str(sql(WAYS[way].format(document))[:1])

    held(attack, loot=THROUGH, without=without_triggers())  # type: ignore[arg-type]


def test_what_somebody_else_brought_is_not_deleted_though_it_never_was_searchable(world: World) -> None:
    document = world.document("acme", "fund:alpha")

    def attack() -> str:
        with open_scope(tenant=world.acme.id, reason="a test"):
            # A copy of it that was never read, brought by nobody that amy is.
            (copy,) = sql(
                "INSERT INTO corpus_document SELECT (jsonb_populate_record(d, jsonb_build_object('id', uuidv7(), "
                "'status', 'failed', 'valid_from', NULL, 'slug', 'copy', 'version', 99))).* FROM corpus_document d "
                "WHERE id = %s RETURNING id",
                document,
            )[0]
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            return str(sql(f"DELETE FROM corpus_document WHERE id = %s RETURNING '{THROUGH}'", copy))

    held(attack, loot=THROUGH, without=without_triggers())  # type: ignore[arg-type]


def test_who_removes_documents_proposes_nothing_else(world: World) -> None:
    """A run of theirs is of documents: not of a person, a scope, an event or the tenant."""

    def attack(kind: str, item: UUID) -> Callable[[], str]:
        def act() -> str:
            amy = world.people["amy"]
            with open_scope(tenant=world.acme.id, principal=amy):
                (run,) = sql(
                    "INSERT INTO audit_removalrun (tenant_id, origin, origin_id, state, reason_code, made_in, "
                    "proposed_by, rejection_code, attempts, lease_owner, error_code, proof, verification, end_events, "
                    "staying, unproven_code, revision) VALUES (%s, 'removal', uuidv7(), 'proposed', 'duplicate', '', "
                    "%s, '', 0, '', '', 'counts', '{}', '{}', '[]', '', 1) RETURNING id",
                    world.acme.id,
                    amy.id,
                )[0]
                sql(
                    "INSERT INTO audit_removaltarget (tenant_id, run_id, type, item_id, part, outcome, ground) "
                    "VALUES (%s, %s, %s, %s, '', 'pending', '')",
                    world.acme.id,
                    run,
                    kind,
                    item,
                )
                return THROUGH

        return act

    without = lambda: changed("ALTER TABLE audit_removaltarget DISABLE TRIGGER audit_removaltarget_added")  # noqa: E731
    for kind in ("user", "scope", "tenant"):
        brought = held(attack(kind, UUID(str(world.acme.id))), loot=THROUGH, without=without)
        assert "of that document alone" in brought


def test_the_catalogue_names_a_table_that_one_person_empties() -> None:
    def found() -> list[str]:
        with connection.cursor() as cursor:
            return [str(each) for each in deletable_by_one(cursor)]

    assert found() == []
    for plant, named in (
        ("DROP TRIGGER corpus_document_by_two ON corpus_document", "corpus_document"),
        ("ALTER TABLE corpus_page DISABLE TRIGGER corpus_page_by_two_delete", "corpus_page"),
        ("GRANT DELETE ON audit_legalhold TO glassbox_api", "audit_legalhold"),
    ):
        with changed(plant):
            assert any(named in each for each in found()), plant
    assert all(ONE_PERSON.values())
