"""Taking a document in: what is stored, what is refused, what is recognised again."""

from __future__ import annotations

import uuid

import pytest
from django.conf import LazySettings
from django.core.exceptions import ValidationError

from apps.corpus.extraction import ExtractionError
from apps.corpus.extraction.errors import EmptyFileError, LyingFileError, UnknownEncodingError, UnsupportedFileError
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState, SourceFile
from apps.corpus.services.ingest.errors import (
    EmptyUploadError,
    UnknownDocumentError,
    UnknownKindError,
    UploadTooLargeError,
)
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError, ScopeNotGrantedError
from apps.tenants.roles import Role
from tests.corpus.files import png
from tests.corpus.ingesting import REPORT, actions, change_job, document, ingest, job
from tests.factories import Firm, make_firm, make_key, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def firm(acme: Firm) -> Firm:
    return acme


def test_a_document_is_stored_with_its_bytes_and_a_waiting_job(firm: Firm) -> None:
    result = ingest(firm, title="Alpha Q4")
    with open_scope(tenant=firm.id, reason="a test"):
        assert bytes(SourceFile.objects.get(document=result.document).content) == REPORT
    assert result.created
    assert (result.document.status, result.job.state) == (DocumentStatus.RECEIVED, JobState.PENDING)
    assert (result.document.title, result.document.byte_size) == ("Alpha Q4", len(REPORT))


def test_the_job_remembers_who_brought_the_document(firm: Firm) -> None:
    alice = make_member(firm, "alice", Role.ANALYST)
    made = ingest(firm, principal=alice).job
    assert (made.actor_kind, made.actor_id, made.actor_label) == ("user", alice.id, "alice")


def test_the_event_holds_no_title_or_file_name(firm: Firm) -> None:
    from apps.audit.models import Event

    ingest(firm, filename="charlies-salary.md", title="Charlie's salary")
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="corpus.document.received")
        assert "salary" not in str(event.payload).lower()


def test_a_title_is_made_from_the_file_name_where_none_is_given(firm: Firm) -> None:
    assert ingest(firm, filename="Alpha_Fund_Q4_2024.md").document.title == "Alpha Fund Q4 2024"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("../../etc/passwd.txt", "passwd.txt"), ("C:\\temp\\a.txt", "a.txt"), ("a\r\nb.txt", "ab.txt"), ("", "unnamed")],
)
def test_a_file_name_is_cut_to_its_last_part(firm: Firm, sent: str, kept: str) -> None:
    assert ingest(firm, filename=sent).document.filename == kept


def test_a_very_long_file_name_keeps_its_ending(firm: Firm) -> None:
    name = ingest(firm, filename="a" * 400 + ".md").document.filename
    assert len(name) == 255
    assert name.endswith(".md")


@pytest.mark.parametrize("kind", ["", "novel", "RUN"])
def test_an_unknown_kind_is_refused(firm: Firm, kind: str) -> None:
    with pytest.raises(UnknownKindError, match="org_profile"):
        ingest(firm, kind=kind)


def test_an_empty_file_is_refused(firm: Firm) -> None:
    with pytest.raises(EmptyUploadError):
        ingest(firm, b"")


def test_a_file_over_the_limit_is_refused(firm: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_MAX_UPLOAD_BYTES = 10
    with pytest.raises(UploadTooLargeError, match="limit is 10"):
        ingest(firm, b"12345678901")


def test_metadata_that_does_not_fit_is_refused_by_field(firm: Firm) -> None:
    with pytest.raises(ValidationError) as caught:
        ingest(firm, fiscal_quarter=5, title="t" * 301)
    assert set(caught.value.message_dict) == {"fiscal_quarter", "title"}


def test_a_scope_that_is_not_granted_is_refused(firm: Firm) -> None:
    bob = make_member(firm, "bob", Role.ANALYST, scopes=["fund:beta"])
    with pytest.raises(ScopeNotGrantedError):
        ingest(firm, principal=bob, scope="fund:alpha")


def test_a_role_that_may_not_add_documents_is_refused(firm: Firm) -> None:
    key, _ = make_key(firm, Role.AUDITOR)
    with pytest.raises(PermissionDeniedError):
        ingest(firm, principal=key)


def test_a_refusal_leaves_nothing_behind(firm: Firm) -> None:
    with pytest.raises(UnknownDocumentError):
        ingest(firm, replaces=uuid.uuid4())
    with open_scope(tenant=firm.id, reason="a test"):
        assert (Document.objects.count(), IngestJob.objects.count()) == (0, 0)


def test_the_same_bytes_give_the_document_that_is_there(firm: Firm) -> None:
    first, second = ingest(firm), ingest(firm, filename="copy.md", title="Another title")
    assert (second.document.id, second.job.id, second.created) == (first.document.id, first.job.id, False)


def test_the_same_bytes_of_another_kind_are_another_document(firm: Firm) -> None:
    assert ingest(firm, kind="methodology").document.id != ingest(firm, kind="run").document.id


def test_the_same_bytes_in_another_scope_are_another_document(firm: Firm) -> None:
    assert ingest(firm, scope="fund:beta").created
    assert ingest(firm, scope="fund:alpha").created


def test_the_same_bytes_of_another_tenant_are_not_recognised(firm: Firm) -> None:
    other = make_firm("borealis")
    ingest(other)
    assert ingest(firm).created


def test_bytes_that_failed_before_are_started_again(firm: Firm) -> None:
    first = ingest(firm)
    change_job(firm, first.job.id, state=JobState.FAILED, attempts=9, error_code="x")
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.filter(id=first.document.id).update(status=DocumentStatus.FAILED, error_code="x")
    again = ingest(firm)
    restarted = job(firm, again.job.id)
    assert (again.created, again.document.id) == (False, first.document.id)
    assert (restarted.state, restarted.attempts, restarted.error_code) == (JobState.PENDING, 0, "")
    assert document(firm, first.document.id).error_code == ""


def test_new_bytes_with_a_known_external_id_are_the_next_version(firm: Firm) -> None:
    first = ingest(firm, external_id="rep-7").document
    second = ingest(firm, REPORT + b"More.", external_id="rep-7").document
    assert (second.series_id, second.version) == (first.series_id, 2)


def test_an_external_id_means_nothing_in_another_scope(firm: Firm) -> None:
    first = ingest(firm, external_id="rep-7").document
    second = ingest(firm, REPORT + b"More.", external_id="rep-7", scope="fund:beta").document
    assert (second.series_id != first.series_id, second.version) == (True, 1)


def test_a_replaced_document_may_be_named(firm: Firm) -> None:
    first = ingest(firm).document
    assert ingest(firm, b"New text.", replaces=first.id).document.series_id == first.series_id


def test_equal_titles_stay_apart_unless_asked(firm: Firm) -> None:
    first = ingest(firm, title="Quarterly report").document
    apart = ingest(firm, b"Another quarter.", title="Quarterly report").document
    replaced = ingest(firm, b"A third.", title="Quarterly report", same_title_replaces=True).document
    assert apart.series_id != first.series_id
    assert (replaced.series_id, replaced.version) == (apart.series_id, 2)


def test_slugs_are_readable_and_tell_versions_apart(firm: Firm) -> None:
    first = ingest(firm, title="Alpha Fund Q4", external_id="x").document
    second = ingest(firm, b"More", title="Alpha Fund Q4", external_id="x").document
    assert first.slug.startswith("alpha-fund-q4-")
    assert first.slug != second.slug


def test_a_slug_of_a_hidden_scope_is_never_in_the_way(firm: Firm) -> None:
    bob = make_member(firm, "bob", Role.ANALYST, scopes=["fund:beta"])
    hidden = ingest(firm, title="Report", scope="fund:alpha").document
    assert ingest(firm, title="Report", scope="fund:beta", principal=bob).document.slug != hidden.slug


def test_each_step_is_recorded(firm: Firm) -> None:
    ingest(firm)
    ingest(firm)
    assert actions(firm, ["corpus."]) == ["corpus.document.received"]


# --- what no reader would open ---


@pytest.mark.parametrize(
    ("content", "filename", "error"),
    [
        (png(), "scan.pdf", LyingFileError),
        (png(), "photo.png", UnsupportedFileError),
        (b"   \n\n ", "blank.txt", EmptyFileError),
        ("Größe für später, gebühr übrig".encode("cp850"), "dos.txt", UnknownEncodingError),
    ],
)
def test_a_file_that_can_not_be_read_is_refused_and_leaves_nothing(
    firm: Firm, content: bytes, filename: str, error: type[ExtractionError]
) -> None:
    with pytest.raises(error, match=filename):
        ingest(firm, content, filename=filename)
    with open_scope(tenant=firm.id, reason="a test"):
        assert (Document.objects.count(), IngestJob.objects.count()) == (0, 0)
    assert actions(firm, ["corpus."]) == []
