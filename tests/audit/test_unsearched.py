"""Every place that is classified as personal is searched for a person, or the inventory says why it is not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.db import connection, transaction

from apps.erasure.declarations.classified import Classified
from apps.erasure.personal_data.places import column_types
from apps.erasure.registry import classified, searched
from apps.erasure.searched.unsearched import search_gaps, unsearched
from apps.privacy.people.contracts import PersonDescription, PersonName
from apps.privacy.people.search import person_search
from apps.privacy.proposals.problems import BY_HAND
from apps.tenants.context import open_scope
from apps.tenants.personal_data import Sort
from tests.audit.mutations import acting_as
from tests.audit.removal_world import make_removal_world
from tests.corpus.ingesting import remote_profile
from tests.factories import Firm
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db
# Stores of which something is removed for a person, so that nobody changes them by hand.
REMOVED = {
    "audit.payloads",
    "corpus.documents",
    "corpus.chunks",
    "corpus.pages",
    "corpus.files",
    "tenants.users",
    "tenants.idempotent_requests",
}

# Sealed, or held by what is (test_people_search.py records an event); and searched outside of the transaction
# (test_inventory_files.py).
_ELSEWHERE = ("audit_payload.ciphertext", "audit_event.actor_label", "corpus_sourcefile.content")


def test_whatever_may_hold_words_of_a_person_is_searched_or_left_out_with_a_reason() -> None:
    assert search_gaps(column_types()) == []


@pytest.mark.parametrize("sort", [Sort.FREE_TEXT, Sort.IDENTIFIER, Sort.CONTENT, Sort.SEALED])
def test_a_column_that_nobody_decided_on_is_a_gap(sort: Sort) -> None:
    plant = Classified(name="corpus_page.handwriting", sort=sort, because="a plant")
    assert search_gaps(column_types(), known=[*classified(), plant]) == ["corpus_page.handwriting"]


def test_a_source_that_is_not_registered_leaves_its_columns_as_gaps() -> None:
    without = [source for source in searched() if "audit.holds" not in source.stores]
    assert search_gaps(column_types(), sources=without) == [
        f"audit_legalhold.{name}"
        for name in ("ground", "matter", "placed_by_label", "release_reason", "released_by_label")
    ]


def test_what_is_not_searched_and_gives_no_reason_is_a_gap() -> None:
    silent = [
        replace(entry, unsearched="") if entry.name == "audit_letter.ciphertext" else entry for entry in classified()
    ]
    assert search_gaps(column_types(), known=silent) == ["audit_letter.ciphertext"]


def test_what_is_searched_and_not_classified_is_found() -> None:
    left = [entry for entry in classified() if entry.name != "audit_legalhold.matter"]
    assert search_gaps(column_types(), known=left) == ["audit_legalhold.matter"]


def test_nothing_is_both_searched_and_left_out() -> None:
    read = {name for source in searched() for name in source.columns}
    assert [entry.name for entry in classified() if entry.unsearched and entry.name in read] == []


def test_the_inventory_names_what_is_not_searched() -> None:
    named = {name for each in unsearched() for name in each.names}
    assert {"audit_erasurerequest.details", "audit_accesspackage.ciphertext", "corpus_chunk.text"} <= named
    assert not named & {name for source in searched() for name in source.columns}


def test_of_every_store_that_is_searched_the_inventory_says_what_is_done_about_a_place() -> None:
    assert {store for source in searched() for store in source.stores} - REMOVED == set(BY_HAND)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_name_that_stands_in_one_column_alone_is_found_in_each_of_them(settings: LazySettings) -> None:
    """Written into a row of every column that the sources say they read, one column after the other."""
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        world = make_removal_world()
    types = column_types()
    missed, places = [], 0
    for source in searched():
        for name in sorted(source.columns):
            if name in _ELSEWHERE:
                continue
            table, column = name.rsplit(".", 1)
            value = '["Quellmann"]' if types[name] == "jsonb" else "Quellmann"
            with written(world.acme, table, column, value), open_scope(tenant=world.acme.id, reason="a test"):
                found = list(person_search(person=PersonDescription(names=(PersonName(full="Ida Quellmann"),))))
            places += 1
            if not found:
                missed.append(name)
    assert missed == []
    assert places > 40


@contextmanager
def written(firm: Firm, table: str, column: str, value: str) -> Iterator[None]:
    """A value in one row of the firm, past all triggers, and what was there put back; a row of no sense if it has none.

    The row that it makes is taken away again.
    """
    mine = {
        "tenants_tenant": "id = %s",
        "tenants_user": "id IN (SELECT user_id FROM tenants_membership WHERE tenant_id = %s)",
    }.get(table, "tenant_id = %s")
    with past_triggers() as cursor:
        cursor.execute(f"SELECT id, {column}::text FROM {table} WHERE {mine} ORDER BY id DESC LIMIT 1", [firm.id])
        row = cursor.fetchone()
        made = None if row else insert_any(cursor, table, firm)
        id = row[0] if row else made
        cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [value, id])
    yield
    with past_triggers() as cursor:
        if row:
            cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [row[1], id])
        else:
            cursor.execute(f"DELETE FROM {table} WHERE id = %s", [id])


def insert_any(cursor: Any, table: str, firm: Firm) -> UUID:
    """A row with a value of its type in each column that must have one."""
    values = {"uuid": "gen_random_uuid()", "varchar": "''", "text": "''", "bool": "false", "jsonb": "'{}'"}
    values |= {"timestamptz": "now()", "date": "now()", "int2": "1", "int4": "1", "int8": "1", "_varchar": "'{}'"}
    # What a constraint chooses.
    chosen = {"mode": "'never'", "key": "'a'", "sort": "'topic'", "in_question": "'refuse'", "in_answer": "'flag'"}
    chosen |= {"terms": "'{a}'"} if table == "intents_policyprofilerule" else {}
    cursor.execute(
        "SELECT column_name, udt_name FROM information_schema.columns WHERE table_name = %s AND is_nullable = 'NO' "
        "AND column_name NOT IN ('id', 'tenant_id')",
        [table],
    )
    needed = {name: chosen.get(name) or values[type] for name, type in cursor.fetchall()}
    id = uuid4()
    cursor.execute(
        f"INSERT INTO {table} (id, tenant_id, {', '.join(needed)}) VALUES (%s, %s, {', '.join(needed.values())})",
        [id, firm.id],
    )
    return id


@contextmanager
def past_triggers() -> Iterator[Any]:
    with acting_as("superuser"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        yield cursor
