"""What the database holds of who writes what of documents: a job its own, an id one, a correction no new clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from apps.corpus.models import Document
from apps.corpus.services.correct import document_correct
from apps.corpus.services.removals import document_remove, is_due
from apps.erasure.log_removal import RemovalReason
from apps.erasure.runs.runs import run_approve
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run, short_profile
from tests.corpus.test_move import beta, filed
from tests.corpus.test_move_between import receive_scope
from tests.corpus.test_moved_copies import LONG_AGO, aged, copy, let_go
from tests.factories import Firm, as_, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

OTHER = b"# Charges\n\nThe charges were 9 million."


@pytest.fixture(autouse=True)
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.TENANT_ADMIN)


def tried(statement: str, *values: object) -> str:
    """What becomes of a statement in the open scope: how many rows, or the refusal."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, values)
            return str(cursor.rowcount)
    except DatabaseError as error:
        return str(error)


# --- A job writes of its own document ---------------------------------------------------------------------------------


@pytest.fixture
def read(acme: Firm, alice: Principal) -> tuple[Document, Document]:
    """Two documents of one scope that are read and not published."""
    made = [ingest(acme, filename="a.md", principal=alice), ingest(acme, OTHER, filename="b.md", principal=alice)]
    for each in made:
        run(acme, each.job)
    own, other = (each.document for each in made)
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id__in=[own.id, other.id]).update(status="processing", valid_from=None, valid_to=None)
    return own, other


@pytest.mark.parametrize("table", ["corpus_page", "corpus_chunk", "corpus_posting", "corpus_embedding384"])
def test_a_job_changes_nothing_that_another_document_of_its_scope_holds(
    acme: Firm, alice: Principal, read: tuple[Document, Document], table: str
) -> None:
    own, other = read
    change = f"UPDATE {table} SET tenant_id = tenant_id WHERE document_id = %s"
    with as_(replace(alice, runs_job_of=own.id)):
        assert "what its own document holds" in tried(change, other.id)
        assert "what its own document holds" in tried(f"DELETE FROM {table} WHERE document_id = %s", other.id)
        assert int(tried(change, own.id)) > 0, "the control"


def test_a_job_gives_nothing_to_another_document(acme: Firm, alice: Principal, read: tuple[Document, Document]) -> None:
    own, other = read
    with as_(replace(alice, runs_job_of=own.id)):
        given = "UPDATE corpus_page SET document_id = %s, number = number + 100 WHERE document_id = %s"
        assert "what its own document holds" in tried(given, other.id, own.id)
        added = (
            "INSERT INTO corpus_page SELECT (jsonb_populate_record(p, jsonb_build_object('id', uuidv7(), "
            "'document_id', %s::text, 'number', 100 + number))).* FROM corpus_page p WHERE document_id = %s"
        )
        assert "what its own document holds" in tried(added, str(other.id), own.id)
        assert tried(added, str(own.id), own.id) == "1", "the control"


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE corpus_document SET title = 'Another' WHERE id = %s",
        "UPDATE corpus_document SET page_count = 99 WHERE id = %s",
        "UPDATE corpus_ingestjob SET attempts = 1 WHERE document_id = %s",
        "DELETE FROM corpus_ingestjob WHERE document_id = %s",
        "DELETE FROM corpus_sourcefile WHERE document_id = %s",
    ],
)
def test_a_job_writes_no_other_document_nor_its_job_nor_its_file(
    acme: Firm, alice: Principal, read: tuple[Document, Document], change: str
) -> None:
    own, other = read
    with as_(replace(alice, runs_job_of=own.id)):
        assert "a job writes its own document" in tried(change, other.id)
    if change.startswith("UPDATE"):
        with as_(replace(alice, runs_job_of=other.id)):
            assert tried(change, other.id) == "1", "the control"


def test_no_statement_names_another_job(acme: Firm, alice: Principal, read: tuple[Document, Document]) -> None:
    own, _ = read
    assert f"job:{own.id}" not in alice.permissions
    assert replace(alice, runs_job_of=own.id).permissions - alice.permissions == {"job.run", f"job:{own.id}"}
    with as_(alice):
        assert "is refused" in tried("UPDATE corpus_page SET tenant_id = tenant_id WHERE document_id = %s", own.id)


# --- An id names one document -----------------------------------------------------------------------------------------


_DECOY = """
    INSERT INTO corpus_document SELECT (jsonb_populate_record(d, jsonb_build_object('id', %s::text, 'slug', 'decoy',
        'status', 'received', 'series_id', uuidv7(), 'version', 1, 'valid_from', null, 'valid_to', null,
        'page_count', 0, 'chunk_count', 0, 'term_count', 0, 'first_received_at', null))).*
      FROM corpus_document d WHERE d.id = %s
"""


def _new_id() -> UUID:
    with connection.cursor() as cursor:
        cursor.execute("SELECT uuidv7()")
        found: UUID = cursor.fetchone()[0]
        return found


def _older(id: UUID) -> UUID:
    """An id as it would be of a minute before."""
    return UUID(int=id.int - (60_000 << 80))


def test_no_document_is_filed_under_the_id_of_one_that_is_not_seen(acme: Firm, alice: Principal) -> None:
    mine = filed(acme)
    with as_(alice):
        for taken in (_older(_new_id()), UUID(int=4)):
            assert "id is made by the database" in tried(_DECOY, str(taken), mine.id)
        assert tried(_DECOY, str(_new_id()), mine.id) == "1", "the control"


def test_no_run_removes_two_documents_of_one_id(acme: Firm, alice: Principal) -> None:
    """As an earlier release, or the platform, may have left them."""
    hidden = ingest(acme, OTHER, scope="fund:beta", filename="b.md").document
    mine = filed(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        assert tried(_DECOY, str(hidden.id), mine.id) == "1"
        Document.objects.filter(id=hidden.id, slug="decoy").update(status="ready", valid_from=timezone.now())
    bert = make_member(acme, "bert", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    with as_(bert):
        proposed = document_remove(document_id=hidden.id, reason=RemovalReason.WRONG_PLACE, words="It is a decoy.")
        control = document_remove(document_id=mine.id, reason=RemovalReason.WRONG_PLACE, words="It is mine.")
    assert proposed is not None
    assert control is not None
    with as_(make_member(acme, "dora", Role.DPO)):
        with pytest.raises(DatabaseError, match="two documents have the id"), transaction.atomic():
            run_approve(proposed.id, revision=proposed.revision)
        run_approve(control.id, revision=control.revision)


# --- A correction begins no clock anew --------------------------------------------------------------------------------


def test_retention_goes_on_counting_over_a_correction(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    at = aged(acme, report)
    let_go(acme, "created_at")
    with as_(alice):
        made = document_correct(document_id=report.id, changes={"title": "In other words"})
        assert made.id != report.id
        made.refresh_from_db()
        assert made.first_received_at == at
    with open_scope(tenant=acme.id, reason="a test"):
        job = made.jobs.get()
    run(acme, job)
    with as_(alice):
        made.refresh_from_db()
        assert is_due(made)
        again = document_correct(document_id=made.id, changes={"title": "Once more"})
        again.refresh_from_db()
        assert again.first_received_at == at, "also over the next one"


def test_another_file_has_a_clock_of_its_own(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    aged(acme, report)
    made = filed(acme, OTHER, replaces=report.id)
    with as_(alice):
        assert Document.objects.get(id=made.id).first_received_at is None


def test_no_statement_says_since_when_a_correction_is_there(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    at = aged(acme, report)
    said = str(timezone.now() + LONG_AGO)
    copied = """
        INSERT INTO corpus_document SELECT (jsonb_populate_record(d, jsonb_build_object('id', uuidv7(), 'status',
            'received', 'slug', 'next', 'version', 2, 'valid_from', null, 'valid_to', null, 'page_count', 0,
            'chunk_count', 0, 'term_count', 0, 'first_received_at', %s::text))).*
          FROM corpus_document d WHERE d.id = %s RETURNING first_received_at
    """
    with as_(alice):
        assert "is moved by who may remove it" in tried(copied, said, report.id)
        assert tried(copied, None, report.id) == "1"
        assert Document.objects.get(slug="next").first_received_at == at


# --- Nothing is moved out of what is asked for ------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["fund:alpha", "fund:beta", "firm:acme"])
def test_the_database_moves_nothing_from_or_to_a_scope_of_which_the_erasure_is_asked(
    acme: Firm, alice: Principal, scope: str
) -> None:
    report = filed(acme)
    mover = make_member(acme, "mona", Role.TENANT_ADMIN, scopes=["fund:alpha", "fund:beta"])
    with as_(mover), transaction.atomic():
        assert copy(report, beta(acme)).moved_from_id == report.id, "the control"
        transaction.set_rollback(True)
    receive_scope(acme, make_member(acme, "dora", Role.DPO), scope)
    with as_(mover), pytest.raises(DatabaseError, match="a request for erasure is about the scope"):
        copy(report, beta(acme))
