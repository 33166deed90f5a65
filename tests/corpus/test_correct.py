"""What is known of a document is corrected: what was searchable becomes a new version, what was not is corrected where
it is."""

from __future__ import annotations

from datetime import date

import pytest
from django.db import IntegrityError, transaction

from apps.audit.models import Event
from apps.corpus import jobs
from apps.corpus.description import InvalidFieldError
from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.jobs import RunOutcome, _read
from apps.corpus.models import Document, DocumentStatus, Embedding384, IngestJob, SourceFile
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import (
    ExternalIdTakenError,
    NotCurrentError,
    RemovalPendingError,
    RestrictedContentError,
)
from apps.corpus.services.ingest.lease import claim, holding
from apps.corpus.services.ingest.metadata import CORRECTABLE
from apps.erasure.contracts import Target, TargetType
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.leased_jobs import LeaseLostError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.ending import hold
from tests.corpus.ingesting import PATIENT, REPORT, actions, chunks, document, ingest, job, postings, run
from tests.factories import Firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

FILING = (
    b"# Quarterly report\n\nFor the quarter that ended on December 31, 2023, the fund and the firm report on fees.\n"
)


@pytest.fixture
def firm(acme: Firm) -> Firm:
    return acme


def correct(firm: Firm, made: Document, principal: Principal | None = None, **changes: object) -> Document:
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        return document_correct(document_id=made.id, changes=changes)


def retitle(firm: Firm, made: Document, title: str, principal: Principal | None = None) -> Document:
    return correct(firm, made, principal, title=title)


def form_of(made: Document, **typed: str) -> dict[str, str]:
    """The page's form as it is shown, with what is typed into it."""
    shown = {name: "" if getattr(made, name) is None else str(getattr(made, name)) for name in CORRECTABLE}
    return {**shown, "jurisdictions": ", ".join(made.jurisdictions), **typed}


def run_job_of(firm: Firm, made: Document) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        job = IngestJob.objects.get(document=made)
    run(firm, job)


@pytest.fixture
def ready(firm: Firm) -> Document:
    about = {"company": "Acme", "fiscal_year": 2024, "external_id": "x-1", "jurisdictions": ("EU",)}
    made = ingest(firm, filename="fund.md", title="Ahpla Fund", **about)
    run(firm, made.job)
    return document(firm, made.document.id)


def test_a_searchable_document_gets_a_version_with_the_title(firm: Firm, ready: Document) -> None:
    made = retitle(firm, ready, "  Alpha   Fund ")
    assert (made.title, made.version, made.series_id) == ("Alpha Fund", 2, ready.series_id)
    for name in ("company", "fiscal_year", "external_id", "jurisdictions", "kind", "filename", "content_sha256"):
        assert getattr(made, name) == getattr(ready, name), name
    assert document(firm, ready.id).status == DocumentStatus.READY, "it is found until the other is ready"
    with open_scope(tenant=firm.id, reason="a test"):
        assert bytes(SourceFile.objects.get(document=made).content) == REPORT
    run_job_of(firm, made)
    assert document(firm, made.id).status == DocumentStatus.READY
    old = document(firm, ready.id)
    assert (old.status, old.title) == (DocumentStatus.SUPERSEDED, "Ahpla Fund")


def test_the_index_is_made_with_the_new_title(firm: Firm, ready: Document) -> None:
    assert "ahpla" in {posting.term for posting in postings(firm, ready.id)}
    made = retitle(firm, ready, "Zephyr Fund")
    run_job_of(firm, made)
    assert all("Zephyr Fund" in chunk.context_header for chunk in chunks(firm, made.id))
    terms = {posting.term for posting in postings(firm, made.id)}
    assert ("zephyr" in terms, "ahpla" in terms) == (True, False)


def test_it_is_on_the_log_without_the_title(firm: Firm, ready: Document) -> None:
    made = retitle(firm, ready, "Charlie's salary")
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="corpus.document.corrected")
        told = event.payload
    assert (event.subject_id, told["core"]["corrected_by"]) == (ready.id, str(made.id))
    assert told["core"]["fields"] == "title"
    assert "Charlie" not in str(told)


def test_what_is_not_searchable_yet_is_corrected_where_it_is(firm: Firm) -> None:
    waiting = ingest(firm, title="Ahpla")
    made = retitle(firm, waiting.document, "Zephyr Fund")
    assert (made.id, document(firm, made.id).title) == (waiting.document.id, "Zephyr Fund")
    assert actions(firm, ["corpus.document.corrected"]) == ["corpus.document.corrected"]
    run(firm, waiting.job)
    assert document(firm, made.id).title == "Zephyr Fund"
    assert all("Zephyr Fund" in chunk.context_header for chunk in chunks(firm, made.id))


def test_the_same_title_changes_nothing(firm: Firm, ready: Document) -> None:
    assert retitle(firm, ready, "Ahpla Fund ").id == ready.id
    assert actions(firm, ["corpus.document.corrected"]) == []


@pytest.mark.parametrize("title", ["", " \n ", "x" * 301, "a\x00b", "a\ud800b", "\u200b"])
def test_a_title_that_is_none_is_refused(firm: Firm, ready: Document, title: str) -> None:
    with pytest.raises(InvalidFieldError, match="title"):
        retitle(firm, ready, title)


def test_only_the_version_in_force_is_corrected(firm: Firm, ready: Document) -> None:
    newer = ingest(firm, b"Another text.", title="Ahpla Fund", external_id="x-1")
    with pytest.raises(NotCurrentError):
        retitle(firm, ready, "Alpha Fund")
    run(firm, newer.job)
    with pytest.raises(NotCurrentError):
        retitle(firm, ready, "Alpha Fund")


def test_what_is_to_be_removed_gets_no_copy_that_outlives_it(firm: Firm, ready: Document) -> None:
    make_member(firm, "alice", Role.TENANT_ADMIN)
    bob = make_member(firm, "bob", Role.ANALYST, scopes=["fund:alpha"])
    alice = Visitor("alice")
    assert alice.send("corpus_document_remove", ready.id, reason="duplicate", words="Twice.").status == 302
    with pytest.raises(RemovalPendingError):
        retitle(firm, ready, "Alpha Fund", principal=bob)
    assert (
        "would outlive it" in alice.send("corpus_document_correct", ready.id, **form_of(ready, title="Alpha Fund")).text
    )


def test_a_repeated_upload_finds_the_corrected_version(firm: Firm, ready: Document) -> None:
    made = retitle(firm, ready, "Alpha Fund")
    again = ingest(firm, title="Ahpla Fund")
    assert (again.created, again.document.id) == (False, made.id)


def test_who_may_not_add_documents_corrects_none(firm: Firm, ready: Document) -> None:
    auditor = make_member(firm, "carol", Role.AUDITOR)
    with pytest.raises(PermissionDeniedError):
        retitle(firm, ready, "Alpha Fund", principal=auditor)


def test_a_document_of_another_scope_is_as_unknown_as_none(firm: Firm, ready: Document) -> None:
    bob = make_member(firm, "bob", Role.ANALYST, scopes=["fund:beta"])
    with pytest.raises(DocumentNotFoundError):
        retitle(firm, ready, "Alpha Fund", principal=bob)


def test_the_database_keeps_the_title_of_what_was_published(firm: Firm, ready: Document) -> None:
    alice = make_member(firm, "alice", Role.TENANT_ADMIN)
    refused = pytest.raises(IntegrityError, match="a correction is a new version")
    with open_scope(tenant=firm.id, principal=alice, reason="a test"), refused, transaction.atomic():
        Document.objects.filter(id=ready.id).update(title="Other")


# --- the other fields ---

ALL: dict[str, object] = {
    "title": "Beta Fund",
    "document_type": "policy",
    "source_type": "research",
    "company": "Beta",
    "ticker": "bta",
    "fiscal_year": 2023,
    "fiscal_quarter": 2,
    "published_on": "2023-08-01",
    "language": "de",
    "jurisdictions": ["de", "LU"],
    "external_id": "x-2",
}


def test_every_field_that_an_upload_states_is_corrected(firm: Firm, ready: Document) -> None:
    assert ALL.keys() == set(CORRECTABLE)
    made = correct(firm, ready, **ALL)
    run_job_of(firm, made)
    read = document(firm, made.id)
    wanted = {**ALL, "ticker": "BTA", "published_on": date(2023, 8, 1), "jurisdictions": ["DE", "LU"]}
    assert {name: getattr(read, name) for name in ALL} == wanted
    assert (read.status, read.version, read.kind, read.scope_id) == ("ready", 2, ready.kind, ready.scope_id)
    assert all("Beta" in chunk.context_header for chunk in chunks(firm, made.id))
    with open_scope(tenant=firm.id, reason="a test"):
        told = Event.objects.get(action="corpus.document.corrected").payload["core"]
    assert told["fields"].split(",") == sorted(ALL)


@pytest.mark.slow
def test_what_was_emptied_is_not_filled_in_by_reading_it_again(firm: Firm) -> None:
    waiting = ingest(firm, FILING, filename="ACME_2023Q4.md")
    run(firm, waiting.job)
    read = document(firm, waiting.document.id)
    assert (read.fiscal_year, read.fiscal_quarter, read.language) == (2023, 4, "en")
    emptied = {"fiscal_year": None, "fiscal_quarter": None, "language": ""}
    made = correct(firm, read, **emptied)
    run_job_of(firm, made)
    again = document(firm, made.id)
    assert {name: getattr(again, name) for name in emptied} == emptied
    assert all("FY2023" in chunk.context_header for chunk in chunks(firm, read.id))
    assert not any("FY2023" in chunk.context_header for chunk in chunks(firm, made.id))
    # And the next correction, of something else, keeps that.
    last = correct(firm, again, company="Acme")
    run_job_of(firm, last)
    found = document(firm, last.id)
    assert (found.company, found.fiscal_year, found.language) == ("Acme", None, "")


def test_a_title_that_is_the_file_s_own_name_stays_when_somebody_wants_it(firm: Firm) -> None:
    made = ingest(firm, b"# What the text says\n\nA text of some words.", filename="0000320187.md")
    run(firm, made.job)
    read = document(firm, made.document.id)
    assert read.title == "What the text says"
    corrected = correct(firm, read, title="0000320187")
    run_job_of(firm, corrected)
    assert document(firm, corrected.id).title == "0000320187"


def test_a_type_that_says_nothing_stays_when_somebody_wants_it(firm: Firm) -> None:
    made = ingest(firm, filename="ACME_10-K_2023.md")
    run(firm, made.job)
    read = document(firm, made.document.id)
    assert (read.document_type, read.source_type) == ("10-K", "official")
    corrected = correct(firm, read, document_type="other", source_type="internal")
    run_job_of(firm, corrected)
    found = document(firm, corrected.id)
    assert (found.document_type, found.source_type) == ("other", "internal")


def test_what_is_being_read_is_read_again_with_what_was_corrected(firm: Firm) -> None:
    """A worker has read the file already, and would finish with the old title in every passage."""
    waiting = ingest(firm, title="Ahpla")
    lease = claim(tenant_id=firm.id, job_id=waiting.job.id, policy=PATIENT)
    assert lease is not None
    _read(lease)
    assert all("Ahpla" in chunk.context_header for chunk in chunks(firm, waiting.document.id))
    retitle(firm, waiting.document, "Zephyr Fund")
    with pytest.raises(LeaseLostError), holding(lease):
        pass
    assert run(firm, job(firm, waiting.job.id)) is RunOutcome.SUCCEEDED
    found = chunks(firm, waiting.document.id)
    assert found
    assert all("Zephyr Fund" in chunk.context_header for chunk in found)


def test_nothing_changes_where_all_of_it_is_so(firm: Firm, ready: Document) -> None:
    assert correct(firm, ready, company="Acme", jurisdictions=["eu"], fiscal_year=2024).id == ready.id
    assert correct(firm, ready).id == ready.id
    assert actions(firm, ["corpus.document.corrected"]) == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"company": "x" * 201}, "company"),
        ({"ticker": "x" * 17}, "ticker"),
        ({"external_id": "a\x00"}, "external_id"),
        ({"fiscal_year": 1500}, "fiscal_year"),
        ({"fiscal_quarter": 5}, "fiscal_quarter"),
        ({"fiscal_year": None, "fiscal_quarter": 2}, "fiscal_quarter"),
        ({"published_on": "soon"}, "published_on"),
        ({"language": "Klingon"}, "language"),
        ({"jurisdictions": ["Mars"]}, "jurisdictions"),
        ({"document_type": None}, "document_type"),
    ],
)
def test_a_value_that_can_t_be_is_refused_by_its_name(
    firm: Firm, ready: Document, changes: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidFieldError) as refused:
        correct(firm, ready, **changes)
    assert refused.value.data["field"] == field


@pytest.mark.parametrize("name", ["kind", "scope_id", "status", "content_sha256"])
def test_what_decides_who_reads_it_is_no_metadata(firm: Firm, ready: Document, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        correct(firm, ready, **{name: "other"})


def test_what_its_source_calls_another_document_is_taken(firm: Firm, ready: Document) -> None:
    other = ingest(firm, b"Another text.", title="Beta", external_id="x-2").document
    with pytest.raises(ExternalIdTakenError, match=str(other.id)):
        correct(firm, ready, external_id="x-2")
    assert correct(firm, ready, external_id="x-3").version == 2


def test_an_upload_follows_the_external_id_that_is_in_force(firm: Firm, ready: Document) -> None:
    made = correct(firm, ready, external_id="x-2")
    run_job_of(firm, made)
    under_the_old = ingest(firm, b"Quite another text.", external_id="x-1")
    under_the_new = ingest(firm, b"The next text.", external_id="x-2")
    assert under_the_old.document.series_id != ready.series_id
    assert (under_the_new.document.series_id, under_the_new.document.version) == (ready.series_id, 3)


def test_what_is_held_is_not_there_to_be_corrected(firm: Firm, ready: Document) -> None:
    waiting = ingest(firm, b"Another text.", title="Ahpla").document
    alice = make_member(firm, "alice", Role.TENANT_ADMIN)
    for held in (waiting, ready):
        hold(make_member(firm, f"dora-{held.id}", Role.DPO), Target(type=TargetType.DOCUMENT, id=held.id))
        with pytest.raises(DocumentNotFoundError):
            retitle(firm, held, "Alpha", principal=alice)
        # The platform itself sees it, and changes none of it either.
        with pytest.raises(RestrictedContentError):
            retitle(firm, held, "Alpha")
        assert document(firm, held.id).title == held.title


def test_two_who_correct_at_once_make_one_version_each_or_one_is_told(firm: Firm, ready: Document) -> None:
    retitle(firm, ready, "Alpha Fund")
    with pytest.raises(NotCurrentError):
        correct(firm, ready, company="Beta")


# --- the page ---


def test_the_title_is_corrected_from_the_document_s_page(firm: Firm, ready: Document) -> None:
    make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    alice = Visitor("alice")
    page = alice.open("corpus_document_change", ready.id)
    assert f"/admin/corpus/document/{ready.id}/correct/" in page.links
    form = alice.open("corpus_document_correct", ready.id)
    assert "becomes version 2" in form.text
    assert form.tree.xpath("string(//*[@name='title']/@value)") == "Ahpla Fund"
    answer = alice.send("corpus_document_correct", ready.id, **form_of(ready, title="Alpha Fund"))
    with open_scope(tenant=firm.id, reason="a test"):
        made = Document.objects.get(title="Alpha Fund")
    assert answer.location == f"/admin/corpus/document/{made.id}/change/"
    assert "Version 2 contains your corrections" in alice.get(answer.location).content.decode()


def test_what_is_wrong_with_a_title_stands_beside_it(firm: Firm, ready: Document) -> None:
    make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    alice = Visitor("alice")
    for title in ("", "\u200b", "x" * 301):
        assert alice.send("corpus_document_correct", ready.id, **form_of(ready, title=title)).errors_of("title")


def test_the_page_is_for_who_may_correct(firm: Firm, ready: Document) -> None:
    make_member(firm, "carol", Role.AUDITOR)
    carol = Visitor("carol")
    assert f"/admin/corpus/document/{ready.id}/correct/" not in carol.open("corpus_document_change", ready.id).links
    assert carol.open("corpus_document_correct", ready.id).status == 403


def test_what_was_left_as_it_was_shown_is_not_corrected(firm: Firm, ready: Document) -> None:
    make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    alice = Visitor("alice")
    alice.send("corpus_document_correct", ready.id, **form_of(ready, company="Beta", jurisdictions="EU, CH"))
    with open_scope(tenant=firm.id, reason="a test"):
        made = Document.objects.get(version=2)
    assert (made.company, made.jurisdictions) == ("Beta", ["EU", "CH"])
    assert made.corrected_fields == ["company", "jurisdictions"]
    same = alice.send("corpus_document_correct", made.id, **form_of(made))
    assert "Nothing was changed" in alice.get(same.location).content.decode()


@pytest.mark.parametrize(("field", "value"), [("language", "Klingon"), ("external_id", "x-2"), ("fiscal_year", "")])
def test_what_is_wrong_with_a_field_stands_beside_it(firm: Firm, ready: Document, field: str, value: str) -> None:
    ingest(firm, b"Another text.", title="Beta", external_id="x-2")
    make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    changes = {field: value, "fiscal_quarter": "2"}
    answer = Visitor("alice").send("corpus_document_correct", ready.id, **form_of(ready, **changes))
    assert answer.errors_of("fiscal_quarter" if field == "fiscal_year" else field)


def test_the_page_shows_what_another_kind_changes_before_it_is_filed_so(firm: Firm, ready: Document) -> None:
    make_member(firm, "alice", Role.TENANT_ADMIN)
    alice = Visitor("alice")
    typed = form_of(ready, kind="methodology")
    shown = alice.send("corpus_document_correct", ready.id, **typed)
    told = shown.errors_of("kind")
    assert "Filed as Methodology, it is reached by questions of " in told
    assert "press the button again" in told
    assert shown.tree.xpath("//input[@name='title']/@value") == [ready.title]
    assert document(firm, ready.id).kind == "run"
    with open_scope(tenant=firm.id, reason="a test"):
        assert Document.objects.filter(series_id=ready.series_id).count() == 1
    # Another kind than the one that was shown is shown first.
    again = alice.send("corpus_document_correct", ready.id, **{**typed, "kind": "schedule", "shown": "methodology"})
    assert "Filed as Schedules" in again.errors_of("kind")
    assert alice.send("corpus_document_correct", ready.id, **typed, shown="methodology").status == 302
    with open_scope(tenant=firm.id, reason="a test"):
        made = Document.objects.get(series_id=ready.series_id, version=2)
    assert (made.kind, made.title) == ("methodology", ready.title)


def test_the_page_sends_nobody_to_upload_it_again(firm: Firm, ready: Document) -> None:
    make_member(firm, "alice", Role.TENANT_ADMIN)
    page = Visitor("alice").open("corpus_document_correct", ready.id)
    assert "Move to another scope" in page.text
    assert "upload it again" not in page.text


def vectors(firm: Firm, made: Document) -> dict[str, object]:
    """By the text of the passage."""
    with open_scope(tenant=firm.id, reason="a test"):
        found = Embedding384.objects.filter(document_id=made.id).select_related("chunk")
        return {each.chunk.text: list(each.vector) for each in found}


def test_passages_that_stay_the_same_are_not_embedded_again(
    firm: Firm, ready: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = vectors(firm, ready)
    made = correct(firm, ready, external_id="x-9")
    with monkeypatch.context() as patched:
        patched.setattr(jobs, "recording_passages", _nothing_is_sent)
        run_job_of(firm, made)
    assert (document(firm, made.id).status, vectors(firm, made)) == (DocumentStatus.READY, before)
    # The title stands in the header of every passage, so all of them say something else then.
    retitled = retitle(firm, document(firm, made.id), "Zephyr Fund")
    run_job_of(firm, retitled)
    after = vectors(firm, retitled)
    assert after.keys() == before.keys()
    assert all(after[text] != before[text] for text in after)


def test_a_version_whose_vectors_are_gone_gives_none(firm: Firm, ready: Document) -> None:
    made = correct(firm, ready, external_id="x-9")
    with open_scope(tenant=firm.id, reason="a test"):
        Embedding384.objects.filter(document_id=ready.id).delete()
    run_job_of(firm, made)
    assert vectors(firm, made)


def _nothing_is_sent(*args: object) -> None:
    raise AssertionError("passages were embedded again")
