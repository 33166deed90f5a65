"""The page of a document's page: its image and its text, who sees them, and what it says when something is amiss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.core.cache import cache
from django.http import QueryDict
from django.test import override_settings
from django.urls import reverse

from apps.corpus.admin.document_hits import MOST_HITS, Hit, Trail
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.reader import process
from apps.corpus.services import page_image_cache, page_images
from apps.corpus.services.documents import document_delete
from apps.tenants.context import current_scope, open_scope
from apps.tenants.errors import NoScopeError
from apps.tenants.roles import Role
from tests.corpus.files import lines, pdf
from tests.corpus.ingesting import ingest, run
from tests.corpus.test_page_picture import TABLE
from tests.factories import Firm, make_firm, make_key, make_member
from tests.visitor import Page, Visitor

pytestmark = [pytest.mark.django_db]

QUOTE = "The fund returned 4.2 per cent in the quarter."
REPORT = pdf(
    [lines("Quarterly report", QUOTE, "It is managed in Luxembourg by three people."), lines("The second page.")]
)
MARKUP = b"<h1>Fees</h1><p>Paid &lt;script&gt;alert(1)&lt;/script&gt; yearly.</p><script>alert(2)</script>"


@pytest.fixture(autouse=True)
def _nothing_kept() -> Any:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def alice(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.ANALYST)
    return Visitor("alice")


def ready(firm: Firm, content: bytes = REPORT, filename: str = "report.pdf", **more: Any) -> Document:
    made = ingest(firm, content, filename=filename, **more)
    run(firm, made.job)
    with open_scope(tenant=firm.id, reason="a test"):
        found: Document = Document.objects.get(id=made.document.id)
    assert found.page_count, found.error_detail
    return found


def place(firm: Firm, document: Document, quote: str = QUOTE, number: int = 1) -> dict[str, int]:
    with open_scope(tenant=firm.id, reason="a test"):
        start = document.pages.get(number=number).text.index(quote)
    return {"page": number, "start": start, "end": start + len(quote)}


def image_url(document_id: UUID, number: int = 1) -> str:
    return reverse("admin:corpus_document_page_image", args=[document_id, number])


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The pages that were drawn, each without an open scope; what is kept is not."""
    pages: list[int] = []
    draw = page_images.picture_contained

    def noted(content: bytes, **asked: Any) -> Any:
        pages.append(asked["page"])
        with pytest.raises(NoScopeError):
            current_scope()
        return draw(content, **asked)

    monkeypatch.setattr(page_images, "picture_contained", noted)
    return pages


# --- What it shows --------------------------------------------------------------------------------------------------


def test_a_quote_is_marked_on_the_image_and_in_the_text(acme: Firm, alice: Visitor) -> None:
    document = ready(acme)
    page = alice.open("corpus_document_page", document.id, **place(acme, document))
    assert page.status == 200
    assert page.tree.xpath("//mark[@id='quote']")[0].text_content() == QUOTE
    assert len(page.tree.xpath("//*[@class='doc-quote']")) == 1
    assert page.tree.xpath("//*[@class='doc-sheet']/img/@src") == [image_url(document.id)]
    assert "was not found on the image" not in page.text
    image = alice.get(image_url(document.id))
    assert (image.status_code, image["Content-Type"]) == (200, "image/png")
    assert image.content.startswith(b"\x89PNG")
    assert image["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in image["Cache-Control"]


def test_a_row_is_marked_cell_by_cell_and_the_table_is_one(acme: Firm, alice: Visitor) -> None:
    document = ready(acme, TABLE, "table.pdf")
    with open_scope(tenant=acme.id, reason="a test"):
        text = document.pages.get(number=1).text
    (row,) = [line for line in text.split("\n") if line.startswith("Net sales")]
    page = alice.open("corpus_document_page", document.id, **place(acme, document, row))
    assert len(page.tree.xpath("//*[@class='doc-quote']")) == 3
    assert [each.text_content() for each in page.tree.xpath("//table//mark")] == [
        "2024",
        "2023",
        "Net sales",
        "1,250",
        "1,100",
    ][-len(page.tree.xpath("//table//mark")) :]
    assert page.tree.xpath("//table//th[@scope='row']")[0].text_content() == "Net sales"


@pytest.mark.parametrize("filename", ["fees.html", "fees.md"])
def test_a_documents_own_markup_is_only_text(acme: Firm, alice: Visitor, filename: str) -> None:
    document = ready(
        acme, MARKUP if filename.endswith("html") else b"# Fees\n\nPaid `<script>alert(1)</script>` yearly.\n", filename
    )
    page = alice.open("corpus_document_page", document.id)
    read = page.tree.xpath("//*[@id='page-text']")[0]
    assert "<script>alert(1)</script>" in read.text_content()
    assert not read.xpath(".//script")
    assert not page.tree.xpath("//*[@class='doc-sheet']")
    assert "can't be shown as it is printed" not in page.text


# --- What it says when something is amiss ---------------------------------------------------------------------------


def test_a_page_beyond_the_end_shows_the_last_one_and_says_so(acme: Firm, alice: Visitor) -> None:
    document = ready(acme)
    page = alice.open("corpus_document_page", document.id, page=40, start=1, end=5)
    assert page.status == 404
    assert "There is no page 40: the document has 2. This is page 2." in page.text
    assert "The second page." in page.text


@pytest.mark.parametrize("asked", ["x", "-1", "0", "9" * 30, "1e3", "\u0661x"])
def test_a_page_number_that_is_none(acme: Firm, alice: Visitor, asked: str) -> None:
    page = alice.open("corpus_document_page", ready(acme).id, page=asked)
    assert page.status == 404
    assert "This is page 1." in page.text


def test_a_page_that_can_t_be_drawn_says_why_and_shows_its_text(
    acme: Firm, alice: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = ready(acme)

    def fail(*args: Any, **more: Any) -> Any:
        raise process.ReaderFailedError(filename="report.pdf", reason="SIGSEGV", place=", at page 1")

    monkeypatch.setattr(page_images, "picture_contained", fail)
    page = alice.open("corpus_document_page", document.id, **place(acme, document))
    assert page.status == 200
    assert "The page can't be shown as it is printed." in page.text
    assert "the reader failed (SIGSEGV), at page 1" in page.text
    assert page.tree.xpath("//mark[@id='quote']")[0].text_content() == QUOTE
    assert not page.tree.xpath("//img[contains(@src, '/image/')]")
    # What it cost is not spent again, and the reason stays.
    monkeypatch.setattr(page_images, "picture_contained", None)
    assert "the reader failed (SIGSEGV)" in alice.open("corpus_document_page", document.id).text


def test_a_superseded_version_says_so_and_names_the_one_in_force(acme: Firm, alice: Visitor) -> None:
    first = ready(acme, external_id="report-1")
    second = ready(acme, pdf([lines("Another text of the report.")]), external_id="report-1")
    page = alice.open("corpus_document_page", first.id)
    assert "Questions are not answered from this version." in page.text
    assert "Version 2 is in force" in page.text
    assert reverse("admin:corpus_document_change", args=[second.id]) in page.links


def test_a_quote_that_is_not_on_the_image_says_so(acme: Firm, alice: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    document = ready(acme)
    draw = page_images.picture_contained
    other = pdf([lines("Nothing alike."), lines("Nor here.")])
    monkeypatch.setattr(page_images, "picture_contained", lambda content, **asked: draw(other, **asked))
    page = alice.open("corpus_document_page", document.id, **place(acme, document))
    assert "The quote was not found on the image. It is marked in the text." in page.text


@pytest.mark.parametrize(
    "query",
    [
        {"start": 5, "end": 2},
        {"start": 0, "end": 10**6},
        {"start": "x", "end": "y"},
        {"start": "1", "end": "9" * 6_000},
    ],
)
def test_a_span_that_is_none_is_told(acme: Firm, alice: Visitor, query: dict[str, Any]) -> None:
    page = alice.open("corpus_document_page", ready(acme).id, **query)
    assert page.status == 200
    assert "The address" in page.text


# --- Who sees it ----------------------------------------------------------------------------------------------------


def everybody(firm: Firm) -> dict[str, Callable[[], Visitor]]:
    def of_other_tenant() -> Visitor:
        make_member(make_firm("bolt"), "ben", Role.TENANT_ADMIN)
        return Visitor("ben")

    def of_other_scope() -> Visitor:
        make_member(firm, "bea", Role.ANALYST, scopes=["fund:beta"])
        return Visitor("bea")

    return {"another tenant": of_other_tenant, "another scope": of_other_scope}


@pytest.mark.parametrize("who", ["another tenant", "another scope"])
@pytest.mark.parametrize("is_kept", [False, True], ids=["not drawn yet", "drawn for a colleague"])
def test_a_stranger_gets_the_same_as_for_no_document(
    acme: Firm, alice: Visitor, drawn: list[int], who: str, is_kept: bool
) -> None:
    document = ready(acme)
    if is_kept:
        assert alice.get(image_url(document.id)).status_code == 200
    stranger, before = everybody(acme)[who](), list(drawn)
    for url in (image_url, lambda of: reverse("admin:corpus_document_page", args=[of]) + "?page=1"):
        hidden, nobody = stranger.get(url(document.id)), stranger.get(url(uuid4()))
        assert hidden.status_code == nobody.status_code == 404
        assert len(hidden.content) == len(nobody.content)
        assert QUOTE.encode() not in hidden.content
        assert b"PNG" not in hidden.content
    assert drawn == before
    assert alice.get(image_url(document.id)).status_code == 200


@pytest.mark.parametrize("who", ["another tenant", "another scope"])
def test_a_strangers_key_gets_the_same_as_for_no_document(
    acme: Firm, alice: Visitor, drawn: list[int], who: str
) -> None:
    document = ready(acme)
    firm, scopes = (make_firm("bolt"), None) if who == "another tenant" else (acme, ["fund:beta"])
    _, key = make_key(firm, Role.TENANT_ADMIN, **({"scopes": scopes} if scopes else {}))
    answers = [
        Visitor().get(f"/api/v1/documents/{of}/pages/1/image/", headers={"authorization": f"Bearer {key}"})
        for of in (document.id, uuid4())
    ]
    assert [each.status_code for each in answers] == [404, 404]
    assert [each.json()["code"] for each in answers] == ["corpus.document_not_found"] * 2
    assert drawn == []


def test_who_loses_the_document_while_it_is_drawn_gets_nothing(
    acme: Firm, alice: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = ready(acme)
    draw = page_images.picture_contained

    def draw_and_remove(content: bytes, **asked: Any) -> Any:
        made = draw(content, **asked)
        with open_scope(tenant=acme.id, reason="a test"):
            document_delete(document_id=document.id)
        return made

    monkeypatch.setattr(page_images, "picture_contained", draw_and_remove)
    assert alice.get(image_url(document.id)).status_code == 404
    assert kept_names() == []


def test_quotes_of_what_a_reader_may_not_see_are_not_told(acme: Firm, alice: Visitor) -> None:
    own = ready(acme)
    hidden = ready(make_firm("bolt"), pdf([lines("A secret of Bolt.")]), "bolt.pdf")
    hits = "~".join(str(Hit(each.id, 1, 0, 16)) for each in (own, hidden))
    page = alice.open("corpus_document_page", own.id, page=1, start=0, end=16, hits=hits)
    assert "Quarterly report" in page.text
    assert "It can't be shown: the document was removed, or you may not see it." in page.text
    assert "secret" not in page.text
    assert "bolt" not in page.text.lower()


# --- What is kept ---------------------------------------------------------------------------------------------------


def kept_names() -> list[str]:
    found = page_image_cache.client().scan_iter(match=cache.make_key("page_image:*"))
    return sorted(each.decode() for each in found if not each.endswith(b":order"))


def test_a_page_is_drawn_once_for_its_text_and_its_image(acme: Firm, alice: Visitor, drawn: list[int]) -> None:
    document = ready(acme)
    alice.open("corpus_document_page", document.id)
    assert alice.get(image_url(document.id)).status_code == 200
    assert drawn == [1]
    assert alice.get(image_url(document.id, 2)).status_code == 200
    assert drawn == [1, 2]
    (first, _) = kept_names()
    assert first.endswith(f":{acme.id}:{document.scope_id}:{document.id}:{document.content_sha256}:1:2")


def test_pages_go_with_their_document(acme: Firm, alice: Visitor, django_capture_on_commit_callbacks: Any) -> None:
    document, other = ready(acme), ready(acme, TABLE, "table.pdf")
    for each in (document, other):
        assert alice.get(image_url(each.id)).status_code == 200
    assert len(kept_names()) == 2
    with django_capture_on_commit_callbacks(execute=True), open_scope(tenant=acme.id, reason="a test"):
        document_delete(document_id=document.id)
    (name,) = kept_names()
    assert str(other.id) in name


def test_no_more_pages_are_kept_than_a_tenant_may_have(
    acme: Firm, alice: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_image_cache, "MOST_KEPT", 2)
    document = ready(acme, pdf([lines(f"Page {number}.") for number in range(1, 5)]))
    for number in range(1, 5):
        assert alice.get(image_url(document.id, number)).status_code == 200
    assert len(kept_names()) == 2


def test_a_large_image_is_not_kept(
    acme: Firm, alice: Visitor, drawn: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_image_cache, "MOST_BYTES", 10)
    document = ready(acme)
    assert [alice.get(image_url(document.id)).status_code for _ in range(2)] == [200, 200]
    assert (drawn, kept_names()) == ([1, 1], [])


def test_without_redis_pages_are_drawn_each_time(
    acme: Firm, alice: Visitor, drawn: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    document = ready(acme)
    away = {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}
    with override_settings(CACHES={"default": away}):
        assert alice.get(image_url(document.id)).status_code == 200
    assert drawn == [1]
    assert "without a cache" in caplog.text
    assert "was not kept" in caplog.text


def test_what_somebody_else_wrote_there_is_not_shown(acme: Firm, alice: Visitor, drawn: list[int]) -> None:
    document = ready(acme)
    assert alice.get(image_url(document.id)).status_code == 200
    (name,) = kept_names()
    cache.set(
        name.split(":", 2)[2],
        {"picture": '{"image": "PHN2Zz4=", "width_pt": 1, "height_pt": 1, "text": "", "boxes": []}'},
    )
    assert alice.get(image_url(document.id)).content.startswith(b"\x89PNG")
    assert drawn == [1, 1]


# --- The way from quote to quote ------------------------------------------------------------------------------------


def test_quotes_lead_to_each_other_across_documents(acme: Firm, alice: Visitor) -> None:
    one, other = ready(acme), ready(acme, TABLE, "table.pdf")
    hits = [Hit(one.id, 1, 0, 9), Hit(one.id, 2, 0, 5), Hit(other.id, 1, 0, 7)]
    trail = Trail(hits=tuple(hits))
    here, seen = trail.url(hits[0]), []
    while here:
        page = Page(alice.get(here.partition("#")[0]))
        seen.append(urlsplit(here).path + parse_qs(urlsplit(here).query)["page"][0])
        here = next(iter(page.tree.xpath("//a[@data-key='n']/@href")), "")
        assert len(page.tree.xpath("//*[@data-hit]")) == 3
        assert len(page.tree.xpath("//*[@data-hit][@aria-current='true']")) == 1
    addresses = [reverse("admin:corpus_document_page", args=[each.document_id]) + str(each.page) for each in hits]
    assert seen == addresses
    assert page.tree.xpath("//a[@data-key='p']/@href") == [trail.url(hits[1])]


def test_turning_a_page_keeps_the_way(acme: Firm, alice: Visitor) -> None:
    document = ready(acme)
    hit = Hit(document.id, 1, 0, 9)
    page = alice.open("corpus_document_page", document.id, page=1, start=0, end=9, hits=str(hit), answer="/admin/ask/")
    (following,) = page.tree.xpath("//a[@data-key='ArrowRight']/@href")
    assert parse_qs(following[1:]) == {"page": ["2"], "hits": [str(hit)], "answer": ["/admin/ask/"]}
    after = Page(alice.get(reverse("admin:corpus_document_page", args=[document.id]) + following))
    assert after.tree.xpath("//a[@data-key='p']/@href") == [Trail(hits=(hit,), answer="/admin/ask/").url(hit)]
    assert "/admin/ask/" in after.links


@pytest.mark.parametrize(
    "answer",
    [
        "https://evil.example/admin/",
        "//evil.example/admin/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/admin/../evil",
        "/admin//evil.example",
        "/admin/nowhere/at/all/",
        "/api/v1/me/",
        "/admin/ask/?next=//evil",
        "/admin/ask/#x",
        "/admin/ask/\n",
        "admin/ask/",
        "/" + "a" * 5_000,
    ],
)
def test_only_a_page_of_the_admin_is_an_answer(answer: str) -> None:
    asked = QueryDict(mutable=True)
    asked["answer"] = answer
    trail = Trail.of(asked)
    assert trail.answer == ""
    assert "no way back" in trail.problem


def test_a_page_of_the_admin_is_an_answer() -> None:
    assert Trail.of(QueryDict("answer=/admin/ask/")).answer == "/admin/ask/"


@pytest.mark.parametrize(
    "hits", ["x", "~", "0" * 32 + ".1.2", str(Hit(UUID(int=1), 1, 2, 3)) + "~x", "é", "0" * 100_000]
)
def test_quotes_that_can_t_be_read_are_left_out_and_told(hits: str) -> None:
    asked = QueryDict(mutable=True)
    asked["hits"] = hits
    trail = Trail.of(asked)
    assert len(trail.hits) == hits.count(".1.2.3")
    assert "left out" in trail.problem


def test_no_more_quotes_are_taken_than_a_page_lists() -> None:
    asked = QueryDict(mutable=True)
    asked["hits"] = "~".join(str(Hit(uuid4(), 1, 0, 1)) for _ in range(MOST_HITS + 1))
    trail = Trail.of(asked)
    assert len(trail.hits) == MOST_HITS
    assert trail.problem


def test_a_document_without_pages_has_none(acme: Firm, alice: Visitor) -> None:
    made = ingest(acme, REPORT, filename="report.pdf")
    assert made.document.status == DocumentStatus.RECEIVED
    assert alice.open("corpus_document_page", made.document.id).status == 404
    assert alice.get(image_url(made.document.id)).status_code == 404
