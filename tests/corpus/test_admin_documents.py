"""Documents in the admin: uploaded, watched, read, repaired, removed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from apps.corpus.models import Document, DocumentStatus, IngestJob, JobStage, JobState, Page
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.files import BROKEN, png
from tests.corpus.ingesting import REPORT, actions, change_job, document, ingest, job, run
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Page as AdminPage
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


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
    made = ingest(firm, BROKEN, filename="cut.json", title="Cut")
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
    page = batch(alice, acme, file("one.md", b"First."), file("empty.txt", b""), file("two.md", b"Second."))
    assert page.status == 200
    assert "2 of 3 files accepted" in page.text
    assert "2 are on their way, 1 was refused" in page.text
    assert "empty.txt is empty" in page.text
    assert [made.filename for made in documents(acme)] == ["one.md", "two.md"]


def test_when_none_is_good_the_answer_is_no_success(alice: Visitor, acme: Firm) -> None:
    page = upload(alice, acme, file("empty.txt", b""), file("scan.pdf", png()))
    assert (page.status, documents(acme)) == (422, [])
    assert "its content is a PNG image" in page.text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.txt", b"", "is empty"),
        ("scan.pdf", png(), "its content is a PNG image"),
        ("sheet.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 512, "is an old Office document"),
        ("photo.png", png(), "which can't be read"),
        ("cut.pdf", b"%PDF-1.7 cut", "cut.pdf is cut off"),
        ("program", b"\x7fELF\x02\x01\x01\x00", "is a program"),
        ("dos.txt", "Größe für später, gebühr übrig".encode("cp850"), "Save it as UTF-8"),
    ],
)
def test_a_file_that_can_not_be_read_is_refused_beside_its_field(
    alice: Visitor, acme: Firm, name: str, content: bytes, said: str
) -> None:
    page = upload(alice, acme, file(name, content), company="Acme")
    assert said in page.errors_of("uploads")
    assert page.tree.xpath("string(//*[@name='company']/@value)") == "Acme"
    assert (documents(acme), actions(acme, ["corpus."])) == ([], [])


# --- A batch ---


def batch(visitor: Visitor, firm: Firm, *files: SimpleUploadedFile) -> AdminPage:
    """The page that an upload of several files leads to."""
    sent = upload(visitor, firm, *files)
    assert sent.status == 302
    return AdminPage(visitor.get(sent.location))


def batch_address(page: AdminPage) -> str:
    return str(page.response.wsgi_request.path)


def run_all(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        jobs = list(IngestJob.objects.all())
    for each in jobs:
        run(firm, each)


@pytest.mark.slow
def test_a_batch_shows_each_file_until_all_have_ended(alice: Visitor, acme: Firm) -> None:
    lossy = b'{"fund": "Alpha", "fund": "Beta"}'
    page = batch(alice, acme, file("good.md"), file("cut.json", BROKEN), file("scan.pdf", png()), file("a.json", lossy))
    address = batch_address(page)
    assert page.tree.xpath("//*[@data-fragment]/@data-fragment") == [f"{address}files/"]
    assert "data-fragment-done" not in alice.get(f"{address}files/").content.decode()
    run_all(acme)
    part = alice.get(f"{address}files/").content.decode()
    assert "data-fragment-done" in part
    page = AdminPage(alice.get(address))
    assert "2 are ready, 1 failed, 1 was refused. All files are finished." in page.text
    for said in ("cut.json is damaged", "its content is a PNG image", 'The key "fund" appears more than once'):
        assert said in page.text
    assert not page.tree.xpath("//*[@data-fragment]")


@pytest.mark.slow
def test_what_failed_of_a_batch_is_started_again_from_its_page(alice: Visitor, acme: Firm) -> None:
    address = batch_address(batch(alice, acme, file("a.json", BROKEN), file("b.json", BROKEN + b"2"), file("good.md")))
    run_all(acme)
    failed = [made.id for made in documents(acme) if made.status == DocumentStatus.FAILED]
    assert len(failed) == 2
    assert alice.post(f"{address}retry/", {"document": str(failed[0])}).status_code == 302
    assert [document(acme, each).status for each in failed] == [DocumentStatus.RECEIVED, DocumentStatus.FAILED]
    assert "Start it again" in AdminPage(alice.get(address)).text
    alice.post(f"{address}retry/")
    assert [document(acme, each).status for each in failed] == [DocumentStatus.RECEIVED] * 2
    assert "No file of this batch has failed" in alice.post(f"{address}retry/", follow=True).content.decode()


@pytest.mark.slow
def test_who_may_not_retry_sees_why_and_what_to_do(acme: Firm) -> None:
    make_member(acme, "bob", Role.ANALYST, scopes=["fund:alpha"])
    bob = Visitor("bob")
    address = batch_address(batch(bob, acme, file("a.json", BROKEN), file("good.md")))
    run_all(acme)
    page = AdminPage(bob.get(address))
    assert "a.json is damaged" in page.text
    assert "A tenant administrator can restart" in page.text
    assert "Start it again" not in page.text
    assert bob.post(f"{address}retry/").status_code == 403


@pytest.mark.slow
def test_a_batch_is_seen_by_who_uploaded_it_alone(alice: Visitor, acme: Firm) -> None:
    address = batch_address(batch(alice, acme, file("a.md"), file("empty.txt", b"")))
    make_member(acme, "bob", Role.TENANT_ADMIN)
    for path in (address, f"{address}files/"):
        assert Visitor("bob").get(path).status_code == 404


def test_a_document_of_a_batch_that_is_gone_is_said(alice: Visitor, acme: Firm) -> None:
    address = batch_address(batch(alice, acme, file("a.md", b"One."), file("b.md", b"Two.")))
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(filename="a.md").delete()
    assert "has been removed since" in AdminPage(alice.get(address)).text


@pytest.mark.slow
def test_warnings_stand_on_the_document_with_their_place(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme, b'{"a": 1}\n{"a": 1, "a": 2}\n', filename="a.jsonl")
    run(acme, made.job)
    assert 'Row 2: the key "a" appears more than once' in alice.open("corpus_document_change", made.document.id).text


def test_the_same_bytes_again_are_said_to_be_there(alice: Visitor, acme: Firm) -> None:
    upload(alice, acme, file("a.md"))
    upload(alice, acme, file("b.md"))
    said = alice.open("index").response.content.decode()
    assert "already exists here" in said
    assert "were not changed" not in said
    assert len(documents(acme)) == 1


def test_what_was_entered_for_bytes_that_are_there_is_not_dropped_in_silence(alice: Visitor, acme: Firm) -> None:
    upload(alice, acme, file("a.md"), company="Acme")
    upload(alice, acme, file("a.md"), company="Bolt")
    assert "stored with other values, which were not changed: company." in alice.open("index").response.content.decode()


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
    assert "codes such as US, DE, EU" in page.errors_of("jurisdictions")


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
    # Eight of them read the policy's kinds: five the first time that this process sees the version.
    with django_assert_max_num_queries(58):
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
    change_job(acme, made.job.id, state=JobState.RUNNING, stage=JobStage.EMBED, chunks_total=200, chunks_embedded=50)
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
    change_job(acme, made.job.id, state=JobState.RUNNING, stage=JobStage.EMBED, chunks_total=200, chunks_embedded=50)
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
    assert "cut.json is damaged" in page.text
    assert "Start it again" in page.text


def test_a_ready_document_whose_new_embedding_failed_says_so_with_a_way_out(alice: Visitor, acme: Firm) -> None:
    made = ingest(acme)
    publish(acme, made.document)
    change_job(acme, made.job.id, state=JobState.FAILED, stage=JobStage.EMBED, error_detail="The key was refused.")
    page = alice.open("corpus_document_change", made.document.id)
    assert "It was not re-embedded" in page.text
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


def test_a_document_is_not_removed_by_one_alone(alice: Visitor, acme: Firm) -> None:
    """What follows is in tests/api/test_removals.py."""
    made = ingest(acme).document
    assert "are removed" in alice.open("corpus_document_remove", made.id).text
    assert alice.send("corpus_document_remove", made.id, reason="duplicate", words="Twice.").status == 302
    assert len(documents(acme)) == 1
    assert "corpus.document.deleted" not in actions(acme, ["corpus."])


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
    (row,) = alice.open("corpus_ingestjob_changelist", state__exact="failed").rows()
    assert "cut.json is damaged" in row
    with open_scope(tenant=acme.id, reason="a test"):
        job_id = IngestJob.objects.get().id
    assert "cut.json is damaged" in alice.open("corpus_ingestjob_change", job_id).text
    assert alice.send("corpus_ingestjob_retry", job_id).status == 302
    assert job(acme, job_id).state == JobState.PENDING
