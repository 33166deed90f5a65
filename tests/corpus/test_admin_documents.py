"""Documents in the admin: uploaded, watched, read, repaired, removed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.corpus.models import Document, DocumentStatus, IngestJob, JobStage, JobStatus, Page
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import REPORT, actions, change_job, document, ingest, job, run
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Page as AdminPage
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

BROKEN = b"%PDF-1.7 cut"


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    return Visitor("alice")


def file(name: str, content: bytes = REPORT) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def upload(visitor: Visitor, firm: Firm, *files: SimpleUploadedFile, **changes: object) -> AdminPage:
    fields = {
        "uploads": list(files),
        "kind": "run",
        "scope": str(firm.scopes["fund:alpha"].id),
        "document_type": "report",
        **changes,
    }
    return visitor.send("corpus_document_add", **fields)


def publish(firm: Firm, made: Document) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.filter(id=made.id).update(status=DocumentStatus.READY)


def documents(firm: Firm) -> list[Document]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Document.objects.order_by("created_at", "id").select_related("scope"))


def failed_document(firm: Firm) -> UUID:
    made = ingest(firm, BROKEN, filename="cut.pdf", title="Cut")
    run(firm, made.job)
    found: UUID = made.document.id
    return found


# --- Uploading ---


def test_one_good_file_leads_to_its_page(alice: Visitor, acme: Firm) -> None:
    answer = upload(alice, acme, file("Alpha_2023Q4_report.md"))
    made = documents(acme)[0]
    assert answer.location == f"/admin/corpus/document/{made.id}/change/"
    assert (made.title, made.fiscal_year, made.fiscal_quarter) == ("Alpha 2023Q4 report", 2023, 4)


def test_what_was_typed_about_it_is_kept(alice: Visitor, acme: Firm) -> None:
    about = {"title": "Q4", "company": "Acme", "fiscal_year": "2022", "jurisdictions": "EU, CH", "language": "de"}
    upload(alice, acme, file("a.md"), published_on="2023-01-31", **about)
    made = documents(acme)[0]
    assert (made.title, made.company, made.fiscal_year, made.language) == ("Q4", "Acme", 2022, "de")
    assert (made.jurisdictions, str(made.published_on)) == (["EU", "CH"], "2023-01-31")


def test_each_file_is_taken_in_or_refused_by_itself(alice: Visitor, acme: Firm) -> None:
    page = upload(alice, acme, file("one.md", b"First."), file("empty.txt", b""), file("two.md", b"Second."))
    assert page.status == 200
    assert "2 of 3 files taken in" in page.text
    assert "empty.txt is empty" in page.text
    assert [made.filename for made in documents(acme)] == ["one.md", "two.md"]


def test_when_none_is_good_the_answer_is_no_success(alice: Visitor, acme: Firm) -> None:
    page = upload(alice, acme, file("empty.txt", b""))
    assert (page.status, documents(acme)) == (422, [])


def test_the_same_bytes_again_are_said_to_be_there(alice: Visitor, acme: Firm) -> None:
    upload(alice, acme, file("a.md"))
    upload(alice, acme, file("b.md"))
    assert "was here already" in alice.open("index").response.content.decode()
    assert len(documents(acme)) == 1


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("uploads", []),
        ("kind", ""),
        ("kind", "secrets"),
        ("scope", ""),
        ("fiscal_quarter", "5"),
        ("published_on", "tomorrow"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(alice: Visitor, acme: Firm, field: str, typed: object) -> None:
    page = upload(alice, acme, file("a.md"), **{field: typed})
    assert page.errors_of(field)
    assert documents(acme) == []


def test_what_only_the_service_refuses_is_said_with_the_file(alice: Visitor, acme: Firm) -> None:
    page = upload(alice, acme, file("a.md"), title="x" * 300, jurisdictions="a-jurisdiction-too-long-to-keep")
    assert page.status == 422
    assert "codes such as US, DE, EU" in page.text


def test_one_title_can_not_name_two_files(alice: Visitor, acme: Firm) -> None:
    page = upload(alice, acme, file("a.md"), file("b.md"), title="Both")
    assert page.errors_of("title")


def test_a_scope_that_is_not_granted_is_no_choice(acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST, scopes=["fund:beta"])
    assert upload(Visitor("bob"), acme, file("a.md")).errors_of("scope")


def test_a_new_version_follows_the_document_that_it_replaces(alice: Visitor, acme: Firm) -> None:
    first = ingest(acme, title="Fees").document
    form = alice.get(f"/admin/corpus/document/add/?replaces={first.id}")
    assert "New version of Fees" in AdminPage(form).text
    fields = {
        "kind": "run",
        "scope": str(first.scope_id),
        "document_type": "report",
        "uploads": [file("b.md", b"New.")],
    }
    alice.post(f"/admin/corpus/document/add/?replaces={first.id}", fields)
    newest = documents(acme)[-1]
    assert (newest.series_id, newest.version) == (first.series_id, 2)


def test_a_document_that_is_not_to_be_seen_can_not_be_replaced(alice: Visitor) -> None:
    foreign = ingest(make_firm("bolt")).document
    assert alice.get(f"/admin/corpus/document/add/?replaces={foreign.id}").status_code == 404


# --- The list ---


def test_a_list_finds_by_the_name_on_paper(alice: Visitor, acme: Firm) -> None:
    ingest(acme, b"One.", title="Alpha Q4 2023", company="Meridian")
    ingest(acme, b"Two.", title="Beta Q4 2023")
    assert len(alice.open("corpus_document_changelist", q="meridian").rows()) == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"kind__exact": "methodology"}, ["Two"]),
        ({"status__exact": "received"}, ["Two", "One"]),
        ({"fiscal_year": "2023"}, ["One"]),
        ({"company": "Meridian"}, ["One"]),
        ({"scope": "fund:beta"}, ["Two"]),
        ({"fiscal_year": "1999"}, ["Two", "One"]),
    ],
)
def test_filters(alice: Visitor, acme: Firm, query: dict[str, str], expected: list[str]) -> None:
    ingest(acme, b"One.", title="One", fiscal_year=2023, company="Meridian")
    ingest(acme, b"Two.", title="Two", kind="methodology", scope="fund:beta")
    if "scope" in query:
        query = {"scope": str(acme.scopes[query["scope"]].id)}
    rows = alice.open("corpus_document_changelist", **query).rows()
    assert [row.split()[0] for row in rows] == expected


def test_the_list_costs_the_same_however_many_rows_move(
    alice: Visitor, acme: Firm, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        ingest(acme, f"Text {number}.".encode())
    with django_assert_max_num_queries(50):
        assert len(alice.open("corpus_document_changelist").rows()) == 12


def test_an_empty_list_says_how_to_fill_it(alice: Visitor) -> None:
    page = alice.open("corpus_document_changelist")
    assert "Upload files here" in page.text
    assert "/admin/corpus/document/add/" in page.links


# --- Progress ---


def progress(visitor: Visitor, *ids: object) -> dict[str, dict[str, object]]:
    answer: dict[str, dict[str, object]] = visitor.open(
        "corpus_document_progress", ids=",".join(map(str, ids))
    ).response.json()
    return answer


def test_progress_moves_with_the_job(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme)
    change_job(acme, made.job.id, status=JobStatus.RUNNING, stage=JobStage.EMBED, chunks_total=200, chunks_embedded=50)
    state = progress(alice, made.document.id)[str(made.document.id)]
    assert state["moving"] is True
    assert "50 of 200 passages" in str(state["html"])


def test_progress_ends_with_the_document(alice: Visitor, acme: Firm) -> None:
    document_id = failed_document(acme)
    state = progress(alice, document_id)[str(document_id)]
    assert (state["moving"], "Failed" in str(state["html"])) == (False, True)


def test_a_ready_document_that_is_embedded_again_shows_how_far(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme)
    publish(acme, made.document)
    change_job(acme, made.job.id, status=JobStatus.RUNNING, stage=JobStage.EMBED, chunks_total=200, chunks_embedded=50)
    state = progress(alice, made.document.id)[str(made.document.id)]
    assert state["moving"] is True
    assert "Ready" in str(state["html"])
    assert "50 of 200 passages" in str(state["html"])
    assert "50 of 200 passages" in alice.open("corpus_document_changelist").text


def test_progress_of_others_is_not_told(alice: Visitor) -> None:
    foreign = ingest(make_firm("bolt")).document
    assert progress(alice, foreign.id, "nonsense") == {}


# --- One document ---


def test_a_failure_is_told_in_words_with_a_way_out(alice: Visitor, acme: Firm) -> None:
    page = alice.open("corpus_document_change", failed_document(acme))
    assert "cut.pdf is cut off" in page.text
    assert "Start it again" in page.text


def test_a_ready_document_whose_new_embedding_failed_says_so_with_a_way_out(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme)
    publish(acme, made.document)
    change_job(acme, made.job.id, status=JobStatus.FAILED, stage=JobStage.EMBED, error_detail="The key was refused.")
    page = alice.open("corpus_document_change", made.document.id)
    assert "It was not embedded again" in page.text
    assert "The key was refused." in page.text
    assert alice.send("corpus_document_retry", made.document.id).status == 302
    assert document(acme, made.document.id).status == DocumentStatus.READY


def test_starting_again_makes_whoever_did_it_the_actor(alice: Visitor, acme: Firm) -> None:
    document_id = failed_document(acme)
    assert alice.send("corpus_document_retry", document_id).status == 302
    assert document(acme, document_id).status == DocumentStatus.RECEIVED
    with open_scope(tenant=acme.id, reason="a test"):
        assert IngestJob.objects.get(document_id=document_id).actor_label == "alice"


def test_an_analyst_can_not_start_it_again(acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST)
    document_id = failed_document(acme)
    bob = Visitor("bob")
    assert "Start it again" not in bob.open("corpus_document_change", document_id).text
    assert bob.send("corpus_document_retry", document_id).status == 403
    assert document(acme, document_id).status == DocumentStatus.FAILED


def test_what_is_not_to_be_started_is_refused_in_words(alice: Visitor, acme: Firm) -> None:
    page = alice.send("corpus_document_retry", ingest(acme).document.id)
    assert page.status == 409
    assert "only a failed or waiting one" in page.text


def test_the_original_comes_back_as_it_was_and_is_recorded(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme, b"<script>alert(1)</script>", filename="page.html").document
    answer = alice.open("corpus_document_original", made.id).response
    assert answer.getvalue() == b"<script>alert(1)</script>"
    assert answer.headers["Content-Length"] == "25"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert "corpus.document.exported" in actions(acme, ["corpus."])


def test_a_document_of_another_tenant_has_no_page(alice: Visitor) -> None:
    foreign = ingest(make_firm("bolt")).document
    for name in ("change", "page", "original", "remove"):
        assert alice.open(f"corpus_document_{name}", foreign.id).status == 404


def test_nothing_of_a_document_is_edited_by_hand(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme, title="As it is").document
    alice.send("corpus_document_change", made.id, title="Other")
    assert document(acme, made.id).title == "As it is"


def test_a_removed_document_is_gone_with_all_that_was_made_of_it(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme).document
    assert "are removed" in alice.open("corpus_document_remove", made.id).text
    assert len(documents(acme)) == 1
    assert alice.send("corpus_document_remove", made.id).status == 302
    assert documents(acme) == []
    assert "corpus.document.deleted" in actions(acme, ["corpus."])


# --- A page's text ---


@pytest.fixture
def read(acme: Firm) -> Document:
    made = ingest(acme, title="Fees").document
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=made.id).update(status=DocumentStatus.READY, page_count=2)
        rows = ((1, "Fees are 0.75 % a year & <fair>."), (2, ""))
        for number, text in rows:
            Page.objects.create(
                tenant_id=made.tenant_id,
                scope_id=made.scope_id,
                document=made,
                number=number,
                text=text,
                extracted=bool(text),
            )
    return made


def test_a_quote_is_marked_where_it_stands(alice: Visitor, read: Document) -> None:
    page = alice.open("corpus_document_page", read.id, page=1, start=9, end=15)
    assert page.tree.xpath("string(//mark[@id='quote'])") == "0.75 %"
    assert page.tree.xpath("string(//*[@id='page-text'])") == "Fees are 0.75 % a year & <fair>."


@pytest.mark.parametrize(("start", "end"), [("9", "999"), ("15", "9"), ("x", "y"), ("9", "")])
def test_a_span_that_is_not_on_the_page_is_said_and_the_page_shown(
    alice: Visitor, read: Document, start: str, end: str
) -> None:
    page = alice.open("corpus_document_page", read.id, page=1, start=start, end=end)
    assert page.status == 200
    assert not page.tree.xpath("//mark")
    assert page.tree.xpath("//*[contains(@class, 'gb-alert')]")


@pytest.mark.parametrize("number", ["3", "0", "-1", "x", "99999999999"])
def test_a_page_that_is_not_there_is_not_found(alice: Visitor, read: Document, number: str) -> None:
    assert alice.open("corpus_document_page", read.id, page=number).status == 404


def test_a_page_without_text_says_so(alice: Visitor, read: Document) -> None:
    assert "No text could be read on this page" in alice.open("corpus_document_page", read.id, page=2).text


# --- Jobs ---


def test_a_job_says_why_it_stands_still_and_can_be_started(alice: Visitor, acme: Firm) -> None:
    failed_document(acme)
    (row,) = alice.open("corpus_ingestjob_changelist", status__exact="failed").rows()
    assert "cut.pdf is cut off" in row
    with open_scope(tenant=acme.id, reason="a test"):
        job_id = IngestJob.objects.get().id
    assert "cut.pdf is cut off" in alice.open("corpus_ingestjob_change", job_id).text
    assert alice.send("corpus_ingestjob_retry", job_id).status == 302
    assert job(acme, job_id).status == JobStatus.PENDING
