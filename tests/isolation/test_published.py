"""Attacks that bring something home: one person takes a published document away, or puts words into it."""

from __future__ import annotations

from uuid import UUID

import pytest

from apps.corpus.models import Document
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import UserId
from apps.tenants.tokens import Identity
from tests.isolation.harness import outcome, rolled_back, sql
from tests.isolation.test_forged_events import THROUGH, as_person, call
from tests.isolation.world import World

_COPY = (
    "INSERT INTO {table} SELECT (jsonb_populate_record(t, jsonb_build_object({changes}))).* FROM {table} t "
    "WHERE t.document_id = '{document}' LIMIT 1 RETURNING '" + THROUGH + "'"
)
_LIE = "'text', 'The fund lost everything in the fourth quarter.'"
# What makes a published document unfindable, or has an answer quote what it never said.
WAYS = {
    "its terms deleted": "DELETE FROM corpus_posting WHERE document_id = '{0}' RETURNING '" + THROUGH + "'",
    "its vectors deleted": (
        "DELETE FROM corpus_embedding1536 e USING corpus_chunk c WHERE c.id = e.chunk_id AND c.document_id = '{0}' "
        "RETURNING '" + THROUGH + "'"
    ),
    "a page added": _COPY.format(table="corpus_page", changes="'id', uuidv7(), 'number', 9, " + _LIE, document="{0}"),
    "a passage added": _COPY.format(
        table="corpus_chunk", changes="'id', uuidv7(), 'number', 999, " + _LIE, document="{0}"
    ),
}


@pytest.mark.parametrize("who", ["ann", "amy"])
@pytest.mark.parametrize("way", WAYS)
def test_a_published_document_is_found_by_what_it_says(world: World, way: str, who: str) -> None:
    document = world.document("acme", "fund:alpha")
    with rolled_back():
        brought = outcome(as_person(world.people[who], lambda: str(sql(WAYS[way].format(document))[:1])))
        assert THROUGH not in brought, brought


def test_who_says_that_they_brought_a_document_does_not_remove_it_alone(world: World) -> None:
    """Amy may bring documents, and writes the event of one that ann brought: a second one is not recorded."""
    document, amy = world.document("acme", "fund:alpha"), world.people["amy"]

    def copied() -> UUID:
        with open_scope(tenant=world.acme.id, reason="a test"):
            ((copy,),) = sql(
                "INSERT INTO corpus_document SELECT (jsonb_populate_record(d, jsonb_build_object('id', uuidv7(), "
                "'status', 'failed', 'valid_from', NULL, 'slug', 'copy', 'version', 99, "
                "'created_at', clock_timestamp()))).* FROM corpus_document d WHERE id = %s RETURNING id",
                document,
            )
        ann = world.people["ann"]
        as_person(ann, lambda: call(world, "corpus.document.received", subject=copy).made())()
        return UUID(str(copy))

    with rolled_back():
        copy = copied()
        assert THROUGH not in outcome(
            as_person(amy, lambda: str(sql(f"DELETE FROM corpus_document WHERE id = '{copy}' RETURNING '{THROUGH}'")))
        ), "a broken test: it goes without the forged event"
        forged = as_person(amy, lambda: call(world, "corpus.document.received", subject=copy).made())
        outcome(forged)
        outcome(as_person(amy, lambda: sql(f"DELETE FROM corpus_document WHERE id = '{copy}'")))
        with open_scope(tenant=world.acme.id, reason="a test"):
            assert Document.objects.filter(id=copy).exists()


_OWN = {
    "becomes a platform administrator": "is_superuser = true",
    "takes a colleague's name": "username = 'Amy'",
    "takes a name that reads like a colleague's": "username = 'amy '",
}


@pytest.mark.parametrize("way", _OWN)
def test_nobody_makes_their_account_into_something_else(world: World, way: str) -> None:
    """With the identity that a sign-in and every page of one's own account opens."""
    ann = world.people["ann"]

    def attack() -> str:
        with (
            open_scope(tenant=world.acme.id, principal=ann),
            open_identity(Identity(user=UserId(UUID(str(ann.id))), username="ann")),
        ):
            return str(sql(f"UPDATE tenants_user SET {_OWN[way]} WHERE id = %s RETURNING '{THROUGH}'", ann.id))

    with rolled_back():
        brought = outcome(attack)
        assert THROUGH not in brought, brought


def test_nobody_makes_an_account_that_administers_the_platform(world: World) -> None:
    """With an identity that a mere attempt to sign in opens: of a name, whoever typed it."""

    def attack() -> str:
        with open_identity(Identity(username="forged")):
            return str(
                sql(
                    "INSERT INTO tenants_user (username, password, email, first_name, last_name, is_active, is_staff, "
                    "is_superuser, date_joined) "
                    "VALUES ('forged', '', 'x@example.com', '', '', true, true, true, now()) "
                    f"RETURNING '{THROUGH}'"
                )
            )

    with rolled_back():
        brought = outcome(attack)
        assert THROUGH not in brought, brought


@pytest.mark.parametrize("also", [True, False], ids=["beside it", "instead of it"])
def test_the_removal_of_a_document_is_of_that_document(world: World, also: bool) -> None:
    """The API shows who approves the document that the run comes from (origin_id), and what goes are its targets."""
    amy = world.people["amy"]
    shown, meant = world.document("acme", "fund:alpha"), world.document("acme", "firm")

    def attack() -> str:
        ((run,),) = sql(
            "INSERT INTO audit_removalrun (tenant_id, origin, origin_id, state, reason_code, made_in, proposed_by, "
            "rejection_code, attempts, lease_owner, error_code, proof, verification, end_events, staying, "
            "unproven_code, revision) VALUES (%s, 'removal', %s, 'proposed', 'duplicate', '', %s, '', 0, '', '', "
            "'counts', '{}', '{}', '[]', '', 1) RETURNING id",
            world.acme.id,
            shown,
            amy.id,
        )
        for item in (shown, meant) if also else (meant,):
            sql(
                "INSERT INTO audit_removaltarget (tenant_id, run_id, type, item_id, part, outcome, ground) "
                "VALUES (%s, %s, 'document', %s, '', 'pending', '')",
                world.acme.id,
                run,
                item,
            )
        sql("UPDATE audit_removalrun SET frozen_at = now() WHERE id = %s", run)
        sql("SET CONSTRAINTS ALL IMMEDIATE")
        return THROUGH

    with rolled_back():
        assert THROUGH not in outcome(as_person(amy, attack))
