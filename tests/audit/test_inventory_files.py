"""Places in the parts of files that no page shows: in the inventory, decided on, and gone with the redacted version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection

from apps.corpus.models import Document, SourceFile
from apps.privacy.codes.inventory import Treatment
from apps.privacy.inventory.deciding import document_treat
from apps.privacy.inventory.excerpts import Excerpts
from apps.privacy.inventory.where import where_of
from apps.privacy.models import Inventory
from apps.privacy.people import files
from apps.tenants.context import open_scope
from tests.audit.inventorying import (
    NAME,
    assessed,
    confirm_all,
    group_of,
    groups,
    inventoried,
    redacted_by_worker,
    stored,
)
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.corpus.test_people_files import PDF, WORD, damaged
from tests.deciding import redactions_prepare
from tests.factories import as_
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


def taken_in(office: Office, content: bytes, filename: str) -> Document:
    made = ingest(office.firm, content, filename=filename, title="Fees of the fund")
    run(office.firm, made.job)
    return made.document


@pytest.mark.slow
def test_a_name_in_a_part_that_no_page_shows_is_a_place_with_its_part_and_its_words(office: Office) -> None:
    comment = taken_in(office, WORD["comment"](NAME), "fees.docx")
    author = taken_in(office, PDF["info author"](NAME), "fees.pdf")
    request = assessed(office)
    inventoried(office, request)
    for document, part in ((comment, "comment or annotation"), (author, "properties of the file")):
        group = group_of(office, request, document)
        assert {where_of(hit) for hit in group.hits} == {part}
        assert all(hit.is_certain and hit.store == "corpus.files" for hit in group.hits)
        with as_(office.dora):
            excerpt = Excerpts().of(group.hits[0])
        assert excerpt is not None
        assert excerpt.found == NAME


@pytest.mark.slow
def test_a_redacted_version_has_none_of_these_parts(office: Office) -> None:
    document = taken_in(office, WORD["comment"](NAME), "fees.docx")
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    with as_(office.dora):
        document_treat(request.id, document.id, Treatment.REDACT, seen=None)
        redactions_prepare(request.id)
    redacted_by_worker(office, request)
    with open_scope(tenant=office.firm.id, reason="a test"):
        (made,) = Document.objects.filter(series_id=document.series_id).exclude(id=document.id)
        content = bytes(SourceFile.objects.get(document=made).content)
    assert NAME.encode() not in content
    assert b"fees of the fund" in content
    left = [group for group in groups(office, request) if group.target and group.target.id == made.id]
    assert left == []


@pytest.mark.slow
def test_a_file_that_cannot_be_taken_apart_is_named(office: Office) -> None:
    document = stored(office, f"# Letter\n\n{NAME} wrote.\n".encode(), title="A letter")
    whole = stored(office, b"# Note\n\nNobody wrote.\n", title="A note")
    with open_scope(tenant=office.firm.id, reason="a test"):
        SourceFile.objects.filter(document=document).update(content=b"\x00\x01\x02\x03")
        partly = stored(office, b"# Fees\n\nOf the fund.\n", title="Fees")
        SourceFile.objects.filter(document=partly).update(content=damaged(NAME))
        Document.objects.filter(id=partly.id).update(filename="fees.pdf")
    request = assessed(office)
    done = inventoried(office, request)
    assert done.unread_files == sorted([document.id, partly.id])
    assert whole.id not in done.unread_files
    assert done.unreadable == 2
    assert group_of(office, request, document).hits
    # What could be read of it was searched all the same.
    assert {where_of(hit) for hit in group_of(office, request, partly).hits} == {"properties of the file"}
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert Inventory.objects.get(id=done.id).unread_files == done.unread_files


@pytest.mark.slow
def test_no_transaction_is_open_while_a_file_is_taken_apart(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    taken_in(office, WORD["comment"](NAME), "fees.docx")
    request = assessed(office)
    seen: list[bool] = []
    contained = files.hidden_contained

    def watched(content: bytes, *, filename: str) -> Any:
        seen.append(connection.in_atomic_block)
        return contained(content, filename=filename)

    monkeypatch.setattr(files, "hidden_contained", watched)
    inventoried(office, request)
    assert seen == [False]


def test_a_given_name_and_initials_are_offered_where_the_document_names_the_person(office: Office) -> None:
    about = stored(
        office,
        f"# Call\n\n{NAME} called.\n\nThen Johann hung up, and J. F. wrote; Herr F. is annoyed. Ask JF.\n".encode(),
        title="A call",
    )
    stored(office, b"# Call\n\nJohann hung up, and J. F. wrote; Herr F. is annoyed. Ask JF.\n", title="Another call")
    request = assessed(office)
    inventoried(office, request)
    group = group_of(office, request, about)
    page = {hit.char_end - hit.char_start for hit in group.uncertain}
    assert {len("Johann"), len("J. F"), len("Herr F"), len("JF")} <= page
    assert [each.target.id for each in groups(office, request) if each.target] == [about.id]
