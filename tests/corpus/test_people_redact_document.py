"""Redacting a document: the next version without the passages, by the usual way, with nothing of the original in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.audit.models import Event
from apps.corpus.errors import DocumentNotFoundError, PageNotFoundError
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, DocumentStatus, SourceFile
from apps.corpus.redaction.errors import NothingToRedactError, NotRedactableError
from apps.corpus.redaction.text import Span
from apps.corpus.services.redact import Redaction, document_redact
from apps.erasure.contracts import Target, TargetType
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.files import lines, pdf
from tests.corpus.ingesting import chunks, document, ingest, pages, postings, remote_profile, run, vectors
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

LETTER = b"""# Letters to the fund

## What Falkenhayn wrote

On Monday John Falkenhayn wrote to us about the fees of the Alpha Fund, which he finds too high.

## What we answered

The fees are 0.75 % a year of the net asset value, as John Falkenhayn agreed in March.
"""


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm()


@pytest.fixture
def dpo(firm: Firm) -> Principal:
    return make_member(firm, "dana", Role.DPO)


@pytest.fixture
def letter(firm: Firm) -> Document:
    made = ingest(firm, LETTER, filename="falkenhayn.md", title="Letters of Falkenhayn", external_id="crm-7")
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    return document(firm, made.document.id)


def spans_of(firm: Firm, letter: Document, words: str = "Falkenhayn") -> dict[int, list[Span]]:
    return {
        page.number: [Span(at, at + len(words)) for at in range(len(page.text)) if page.text.startswith(words, at)]
        for page in pages(firm, letter.id)
    }


def redacted(firm: Firm, dpo: Principal, letter: Document, **options: str) -> Redaction:
    fields = {"title": "Letters", "external_id": ""} | options
    with as_(dpo):
        return document_redact(document_id=letter.id, spans=spans_of(firm, letter), fields=fields)


def test_the_next_version_is_searched_and_holds_nothing_of_the_passages(
    firm: Firm, dpo: Principal, letter: Document
) -> None:
    made = redacted(firm, dpo, letter)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    after = document(firm, made.document.id)
    assert (after.status, after.version, after.series_id) == (DocumentStatus.READY, 2, letter.series_id)
    assert document(firm, letter.id).status == DocumentStatus.SUPERSEDED
    with open_scope(tenant=firm.id, reason="a test"):
        file = bytes(SourceFile.objects.get(document=after).content)
    held = [
        *(page.text for page in pages(firm, after.id)),
        *(f"{chunk.context_header} {chunk.section} {chunk.text}" for chunk in chunks(firm, after.id)),
        *(f"{chunk.context_header} {chunk.section} {chunk.text}" for chunk in chunks(firm, after.id, parents=True)),
        *(posting.term for posting in postings(firm, after.id)),
        *(str(getattr(after, field.name)) for field in Document._meta.fields if field.name not in ("tenant", "scope")),
        file.decode(),
    ]
    assert not [text for text in held if "falkenhayn" in text.lower()]
    assert len(vectors(firm, after.id)) == len(chunks(firm, after.id)) > 0


def test_everything_else_reads_as_before(firm: Firm, dpo: Principal, letter: Document) -> None:
    made = redacted(firm, dpo, letter)
    run(firm, made.job)
    before = [(page.number, page.text.replace("Falkenhayn", "[redacted]")) for page in pages(firm, letter.id)]
    assert [(page.number, page.text) for page in pages(firm, made.document.id)] == before
    assert {chunk.section for chunk in chunks(firm, made.document.id)} == {
        chunk.section.replace("Falkenhayn", "[redacted]") for chunk in chunks(firm, letter.id)
    }
    after = document(firm, made.document.id)
    assert (after.kind, after.language) == (letter.kind, letter.language)


def test_the_new_version_says_that_passages_were_removed(firm: Firm, dpo: Principal, letter: Document) -> None:
    made = redacted(firm, dpo, letter)
    run(firm, made.job)
    after = document(firm, made.document.id)
    assert [warning["code"] for warning in after.warnings] == ["passages_removed"]
    assert after.media_type == "text/vnd.glassbox.rendition"


def test_the_old_versions_are_named_for_the_erasure_and_still_there(
    firm: Firm, dpo: Principal, letter: Document
) -> None:
    second = ingest(firm, LETTER + b"\nP.S. Falkenhayn called again.\n", title="Letters", external_id="crm-7")
    run(firm, second.job)
    made = redacted(firm, dpo, second.document)
    assert made.document.version == 3
    assert made.old == tuple(Target(type=TargetType.DOCUMENT, id=each) for each in (letter.id, second.document.id))
    assert document(firm, second.document.id).status == DocumentStatus.READY


def test_the_same_redaction_again_makes_nothing_new(firm: Firm, dpo: Principal, letter: Document) -> None:
    first, second = redacted(firm, dpo, letter), redacted(firm, dpo, letter)
    assert first.document.id == second.document.id
    other = redacted(firm, dpo, letter, title="Other letters")
    assert other.document.id != first.document.id


def test_a_redacted_version_can_be_redacted_further(firm: Firm, dpo: Principal, letter: Document) -> None:
    first = redacted(firm, dpo, letter)
    run(firm, first.job)
    with as_(dpo):
        second = document_redact(document_id=first.document.id, spans=spans_of(firm, first.document, "John [redacted]"))
    run(firm, second.job)
    (page,) = pages(firm, second.document.id)
    assert "John" not in page.text
    assert "as [redacted] agreed in March" in page.text


def test_fields_alone_can_be_changed(firm: Firm, dpo: Principal, letter: Document) -> None:
    with as_(dpo):
        made = document_redact(document_id=letter.id, spans={}, fields={"title": "Letters"})
    run(firm, made.job)
    after = document(firm, made.document.id)
    assert (after.title, after.external_id) == ("Letters", "crm-7")


def test_pages_of_a_pdf_keep_their_numbers(firm: Firm, dpo: Principal) -> None:
    made = ingest(firm, pdf([lines("Cover of the report."), lines("Mr Falkenhayn is named here.")]), filename="a.pdf")
    run(firm, made.job)
    result = redacted(firm, dpo, document(firm, made.document.id))
    run(firm, result.job)
    texts = {page.number: page.text for page in pages(firm, result.document.id)}
    assert texts[2] == "Mr [redacted] is named here."


def test_a_file_that_is_read_differently_today_is_redacted_by_its_stored_text(
    firm: Firm, dpo: Principal, letter: Document
) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        SourceFile.objects.filter(document=letter).update(content=b"\x00\x01 unreadable")
    made = redacted(firm, dpo, letter)
    run(firm, made.job)
    before = [(page.number, page.text.replace("Falkenhayn", "[redacted]")) for page in pages(firm, letter.id)]
    assert [(page.number, page.text) for page in pages(firm, made.document.id)] == before


def test_the_record_names_the_dpo_and_tells_nothing_of_the_passages(
    firm: Firm, dpo: Principal, letter: Document
) -> None:
    made = redacted(firm, dpo, letter)
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="corpus.document.redacted")
        assert (event.actor_id, event.subject_id) == (dpo.id, letter.id)
        assert event.payload["core"]["passages"] == 3
        assert event.payload["core"]["redacted_id"] == str(made.document.id)
        assert "alkenhayn" not in str([each.payload for each in Event.objects.all()])


def test_only_who_manages_privacy_may_redact(firm: Firm, letter: Document) -> None:
    with as_(make_member(firm, "tom", Role.TENANT_ADMIN)), pytest.raises(PermissionDeniedError):
        document_redact(document_id=letter.id, spans={1: [Span(0, 3)]})


def test_a_version_that_is_not_searched_is_refused(firm: Firm, dpo: Principal, letter: Document) -> None:
    made = redacted(firm, dpo, letter)
    run(firm, made.job)
    with as_(dpo), pytest.raises(NotRedactableError):
        document_redact(document_id=letter.id, spans={1: [Span(0, 3)]})


def test_nothing_to_redact_a_page_that_is_not_there_and_a_foreign_document_are_refused(
    firm: Firm, dpo: Principal, letter: Document
) -> None:
    with as_(dpo):
        with pytest.raises(NothingToRedactError):
            document_redact(document_id=letter.id, spans={1: []})
        with pytest.raises(PageNotFoundError):
            document_redact(document_id=letter.id, spans={99: [Span(0, 1)]})
        with pytest.raises(ValueError, match="span"):
            document_redact(document_id=letter.id, spans={1: [Span(0, 99_999)]})
    with as_(make_member(firm, "nora", Role.DPO, scopes=["fund:beta"])), pytest.raises(DocumentNotFoundError):
        document_redact(document_id=letter.id, spans={1: [Span(0, 3)]})
