"""Counting the terms of stored documents anew: the same as a fresh ingest, without it, and only where it is due."""

from __future__ import annotations

import io
import json
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from apps.audit.models import Event
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Chunk, Document, DocumentStatus, IngestJob, Posting
from apps.corpus.selectors import outdated_documents
from apps.corpus.services.reindex import Reindexed, document_reindex, documents_to_reindex
from apps.corpus.terms import TERMS_VERSION
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because
from apps.operations.selectors.signs_of_life import _terms
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.ids import TenantId
from apps.tenants.roles import Role
from tests.corpus.ingesting import actions, chunks, document, ingest, postings, remote_profile, run, vectors
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

STATEMENT = b"""# Consolidated balance sheet

Section 7.1.2 and Rule 10b-5 bind the fund.

| As of December 31 | 2024 | 2023 |
| --- | --- | --- |
| Cash and cash equivalents | 300 | 200 |
| Receivables, net | 400 | 300 |
| Inventories | 877 | 900 |
| Total current assets | 1,577 | 1,400 |
| Property, plant and equipment, net | 7,423 | 6,600 |
| Total assets | 9,000 | 8,000 |
| Accounts payable | 900 | 800 |
| Total current liabilities | 1,000 | 900 |
| Long-term debt | 3,000 | 2,100 |
| Retained earnings | 5,000 | 5,000 |
| Total liabilities and shareholders' equity | 9,000 | 8,000 |
"""


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(running)}
        yield running


@pytest.fixture
def firm(server: ModelServer) -> Firm:
    return make_firm()


def ready(firm: Firm, content: bytes = STATEMENT, **more: Any) -> UUID:
    made = ingest(firm, content, **more)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    id: UUID = made.document.id
    return id


def aged(firm: Firm, id: UUID) -> None:
    """As an earlier release would have left it: other terms, other lengths, its version."""
    with open_scope(tenant=firm.id, reason="a test"):
        Posting.objects.filter(document_id=id).exclude(term__startswith="statement:").update(chunk_term_counts=[1])
        Posting.objects.filter(document_id=id, term="7.1.2").update(term="7.1")
        Posting.objects.filter(document_id=id, term="10b-5").delete()
        Document.objects.filter(id=id).update(terms_version=1, term_count=3)


def reindexed(firm: Firm, id: UUID) -> Reindexed:
    with open_scope(tenant=firm.id, reason="a test"):
        return document_reindex(document_id=id)


def rows(firm: Firm, id: UUID) -> list[tuple[Any, ...]]:
    columns = ("scope_id", "kind", "term", "chunk_numbers", "term_frequencies", "chunk_term_counts")
    return [tuple(getattr(each, name) for name in columns) for each in postings(firm, id)]


def restricted(firm: Firm, id: UUID) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        restrict([Target(type=TargetType.DOCUMENT, id=id)], Because.REQUEST, id)


def command(action: str, **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    call_command("corpus", action, stdout=out, json=True, **options)
    figures: dict[str, Any] = json.loads(out.getvalue())
    return figures


def test_what_is_ingested_is_counted_by_the_present_analysis(firm: Firm) -> None:
    id = ready(firm)
    assert document(firm, id).terms_version == TERMS_VERSION
    with open_scope(tenant=firm.id, reason="a test"):
        assert documents_to_reindex() == []
    assert {"7.1.2", "10b-5", "statement:balance_sheet"} <= {each.term for each in postings(firm, id)}


def test_the_postings_are_those_of_a_fresh_ingest(firm: Firm) -> None:
    id = ready(firm)
    fresh, counted = rows(firm, id), document(firm, id).term_count
    aged(firm, id)
    assert rows(firm, id) != fresh
    assert reindexed(firm, id) is Reindexed.DONE
    assert rows(firm, id) == fresh
    assert (document(firm, id).term_count, document(firm, id).terms_version) == (counted, TERMS_VERSION)


def test_passages_and_vectors_stay_and_nothing_is_embedded(firm: Firm, server: ModelServer) -> None:
    id = ready(firm)
    before = ([chunk.id for chunk in chunks(firm, id)], {each.id for each in vectors(firm, id)}, len(server.requests))
    aged(firm, id)
    reindexed(firm, id)
    after = ([chunk.id for chunk in chunks(firm, id)], {each.id for each in vectors(firm, id)}, len(server.requests))
    assert after == before


def test_each_document_leaves_one_event(firm: Firm) -> None:
    id = ready(firm)
    aged(firm, id)
    assert [reindexed(firm, id), reindexed(firm, id)] == [Reindexed.DONE, Reindexed.CURRENT]
    assert actions(firm, ["corpus.document.reindexed"]) == ["corpus.document.reindexed"]
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="corpus.document.reindexed")
        core = event.payload["core"]
    assert (event.subject_id, event.scope_ids) == (id, [firm.scopes["fund:alpha"].id])
    assert (core["terms_version_before"], core["terms_version"]) == (1, TERMS_VERSION)


def test_what_fails_leaves_the_document_as_it_was(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    id = ready(firm)
    aged(firm, id)
    before = rows(firm, id)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("apps.corpus.services.reindex.record_document_event", broken)
    with pytest.raises(RuntimeError):
        reindexed(firm, id)
    assert rows(firm, id) == before
    assert document(firm, id).terms_version == 1


def test_who_may_not_add_documents_may_not_reindex_them(firm: Firm) -> None:
    id = ready(firm)
    aged(firm, id)
    with as_(make_member(firm, "ada", Role.AUDITOR)), pytest.raises(PermissionDeniedError):
        document_reindex(document_id=id)


def test_a_person_reindexes_within_their_scopes(firm: Firm) -> None:
    id = ready(firm)
    aged(firm, id)
    beyond = make_member(firm, "bob", Role.ANALYST, scopes=["fund:beta"])
    with as_(beyond):
        assert document_reindex(document_id=id) is Reindexed.GONE
    assert document(firm, id).terms_version == 1


def test_a_restricted_document_waits(firm: Firm) -> None:
    id = ready(firm)
    aged(firm, id)
    before = rows(firm, id)
    restricted(firm, id)
    assert reindexed(firm, id) is Reindexed.RESTRICTED
    assert rows(firm, id) == before


def test_earlier_versions_and_what_failed_at_its_embedding_are_reindexed_too(firm: Firm) -> None:
    for status in (DocumentStatus.SUPERSEDED, DocumentStatus.FAILED):
        id = ready(firm, STATEMENT + status.encode())
        aged(firm, id)
        with open_scope(tenant=firm.id, reason="a test"):
            Document.objects.filter(id=id).update(status=status)
            assert list(documents_to_reindex()) == [id]
        assert reindexed(firm, id) is Reindexed.DONE


def test_a_document_whose_erasure_has_begun_gets_nothing_back(firm: Firm) -> None:
    """The jobs go first; then the postings, and they stay away."""
    id = ready(firm)
    aged(firm, id)
    with open_scope(tenant=firm.id, reason="a test"):
        IngestJob.objects.filter(document_id=id).delete()
        Posting.objects.filter(document_id=id).delete()
    assert reindexed(firm, id) is Reindexed.GONE
    assert rows(firm, id) == []


@pytest.mark.django_db(transaction=True)
def test_a_removal_waits_for_what_is_being_counted(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    id = ready(firm)
    aged(firm, id)
    order: list[str] = []
    removing = threading.Event()

    def remove() -> None:
        try:
            with open_scope(tenant=firm.id, reason="a test"):
                removing.set()
                IngestJob.objects.filter(document_id=id).delete()
                order.append("jobs removed")
        finally:
            connection.close()

    thread = threading.Thread(target=remove)
    with open_scope(tenant=firm.id, reason="a test"):
        assert document_reindex(document_id=id) is Reindexed.DONE
        thread.start()
        assert removing.wait(10)
        thread.join(0.5)
        order.append("counted")
    thread.join(10)
    assert order == ["counted", "jobs removed"]


# --- the command, and who is told ---


def test_the_command_reindexes_every_tenant_and_can_be_repeated(firm: Firm) -> None:
    other = make_firm("bolt")
    for each in (firm, other):
        aged(each, ready(each))
    assert command("reindex")["done"] == 2
    assert command("reindex") == {
        "terms_version": TERMS_VERSION,
        "done": 0,
        "current": 0,
        "restricted": 0,
        "gone": 0,
        "failed": [],
    }
    assert set(command("check")["outdated"].values()) == {0}


def test_the_command_can_be_kept_to_one_tenant(firm: Firm) -> None:
    other = make_firm("bolt")
    ids = {each.tenant.slug: ready(each) for each in (firm, other)}
    for each in (firm, other):
        aged(each, ids[each.tenant.slug])
    assert command("reindex", tenant="acme")["done"] == 1
    assert document(other, ids["bolt"]).terms_version == 1


def test_check_fails_where_there_are_older_ones(firm: Firm) -> None:
    aged(firm, ready(firm))
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 documents to reindex"):
        call_command("corpus", "check", stdout=out)
    assert "acme: 1 documents" in out.getvalue()


def test_one_that_fails_stays_and_the_others_are_done(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = ready(firm), ready(firm, STATEMENT + b"More.")
    for id in (bad, good):
        aged(firm, id)
    with open_scope(tenant=firm.id, reason="a test"):
        # No posting may be that long.
        Chunk.objects.filter(document_id=bad).update(text="x" * 10)
    monkeypatch.setattr(
        "apps.corpus.services.reindex.term_frequencies",
        lambda text, language: Counter({("y" * 65 if "xxxxx" in text else "y"): 1}),
    )
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 of 2 documents failed"):
        call_command("corpus", "reindex", stdout=out, json=True)
    told = json.loads(out.getvalue())
    assert (told["done"], told["failed"]) == (1, [{"tenant": "acme", "document": str(bad), "error": "DataError"}])
    assert document(firm, bad).terms_version == 1


def test_an_unknown_tenant_is_one_line(firm: Firm) -> None:
    with pytest.raises(CommandError, match="nobody"):
        command("check", tenant="nobody")


def test_the_signs_of_life_tell_an_officer(firm: Firm) -> None:
    id = ready(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        assert _terms().alive
    aged(firm, id)
    with open_scope(tenant=firm.id, reason="a test"):
        sign = _terms()
        assert outdated_documents().count() == 1
    assert not sign.alive
    assert sign.detail == "1 document was indexed by an earlier release"
    assert "manage.py corpus reindex" in sign.consequence


def test_tenants_are_counted_apart(firm: Firm) -> None:
    aged(firm, ready(firm))
    other = make_firm("bolt")
    with open_scope(tenant=TenantId(other.id), reason="a test"):
        assert documents_to_reindex() == []
