"""The pages of a document that was made of a record: its lineage, and the field that a quote shows."""

from __future__ import annotations

import hashlib

import pytest

from apps.corpus.models import Document
from apps.corpus.redaction.text import Span
from apps.corpus.services.records.profile import profile_upsert
from apps.corpus.services.redact import document_redact
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.corpus.ingesting import run
from tests.corpus.test_admin_page import place, ready
from tests.corpus.test_records import BODY, upsert
from tests.factories import Firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.ANALYST)
    return Visitor("alice")


def stored(firm: Firm, document: Document) -> Document:
    with open_scope(tenant=firm.id, reason="a test"):
        found: Document = Document.objects.get(id=document.id)
    return found


def test_a_document_says_of_which_record_it_is_made(acme: Firm, alice: Visitor) -> None:
    made = upsert(acme)
    before = alice.open("corpus_document_change", made.document.id).text
    assert all(said in before for said in ("The record that it is made of", "Workflow output", "flows", "r-7"))
    assert "the record has not changed since it came" in before
    run(acme, made.job)
    other = upsert(acme, {**BODY, "summary": "Other."})
    run(acme, other.job)
    after = alice.open("corpus_document_change", other.document.id).text
    assert "2: each change of the record made one" in after
    listed = alice.open("corpus_document_changelist", q="flows/r-7").text
    assert "Workflow output r-7" in listed


def test_a_data_profile_names_the_file_that_it_was_made_of(acme: Firm, alice: Visitor) -> None:
    content = b"day,nav\n2024-01-01,5\n"
    with open_scope(tenant=acme.id, reason="a test"):
        made = profile_upsert(
            content=content,
            filename="nav.csv",
            source="warehouse",
            external_id="nav",
            scope_id=ScopeId(acme.scopes["fund:alpha"].id),
            kind="dataset_summary",
        )
    shown = alice.open("corpus_document_change", made.document.id)
    assert "nav.csv" in shown.text
    assert hashlib.sha256(content).hexdigest() in shown.response.content.decode()


def test_a_quote_names_the_field_that_it_shows(acme: Firm, alice: Visitor) -> None:
    made = upsert(acme)
    run(acme, made.job)
    document = stored(acme, made.document)
    quoted = alice.open("corpus_document_page", document.id, **place(acme, document, "cash: 5.00")).text
    assert "The quote shows /limits/cash of the record r-7 of flows, version 1." in " ".join(quoted.split())
    whole = alice.open("corpus_document_page", document.id, page=1).text
    assert "The quote shows" not in whole
    title = alice.open("corpus_document_page", document.id, **place(acme, document, "Workflow output r-7")).text
    assert "The quote shows" not in title


def test_a_document_of_no_record_says_nothing_of_one(acme: Firm, alice: Visitor) -> None:
    document = ready(acme)
    assert "The record" not in alice.open("corpus_document_change", document.id).text


def test_a_name_in_a_record_is_shown_as_text(acme: Firm, alice: Visitor) -> None:
    made = upsert(acme, {"<script>": {"<b>x</b>": "<i>y</i>"}})
    run(acme, made.job)
    document = stored(acme, made.document)
    shown = alice.open("corpus_document_page", document.id, **place(acme, document, "<i>y</i>"))
    assert "/<script>/<b>x<~1b>" in shown.text
    assert "/&lt;script&gt;/&lt;b&gt;x&lt;~1b&gt;" in shown.response.content.decode()


def test_a_redacted_record_loses_its_lineage_and_its_words(acme: Firm, alice: Visitor) -> None:
    made = upsert(acme, {"note": "Said by Ada Lovelace.", "limit": "kept"})
    run(acme, made.job)
    document = stored(acme, made.document)
    where = place(acme, document, "Ada Lovelace")
    with open_scope(tenant=acme.id, principal=make_member(acme, "dpo", Role.DPO)):
        redacted = document_redact(document_id=document.id, spans={1: [Span(where["start"], where["end"])]})
    run(acme, redacted.job)
    shown = alice.open("corpus_document_change", redacted.document.id).text
    assert "The record that it is made of" not in shown
    assert "Lovelace" not in alice.open("corpus_document_page", redacted.document.id, page=1).text
    # The record goes on under its id.
    assert upsert(acme, {"limit": "kept"}).document.series_id == document.series_id
