"""A file whose container can't be opened is refused before it is taken in; the rest is its job's to tell."""

from __future__ import annotations

import pytest

from apps.corpus.extraction import ExtractionError
from apps.corpus.extraction.contracts import Limits
from apps.corpus.extraction.detection import require_readable
from apps.corpus.models import Document
from apps.corpus.reader import opening
from apps.corpus.reader.opening import require_opens
from apps.corpus.services.correct import document_correct
from apps.tenants.context import open_scope
from tests.corpus.files import BROKEN, docx_file, lines, pdf, zip_file
from tests.corpus.hostile import page_pdf, raw_pdf
from tests.corpus.ingesting import document, ingest, run
from tests.factories import Firm

GOOD = pdf([lines("A page of text that is fine.")])
NO_PAGES = raw_pdf([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"])
UNREADABLE = {
    "a password": (pdf([lines("A page.")], password="secret"), "a.pdf", "corpus.file_encrypted"),
    "cut off": (GOOD[: len(GOOD) // 2], "a.pdf", "corpus.file_truncated"),
    "garbage": (b"%PDF-1.7\n" + b"garbage " * 100 + b"%%EOF", "a.pdf", "corpus.file_corrupt"),
    "no pages": (NO_PAGES, "a.pdf", "corpus.file_corrupt"),
    "a Word document without its parts": (zip_file({"word/document.xml": b"<x/>"}), "a.docx", "corpus.file_corrupt"),
    "a Word document cut off": (docx_file()[:-100], "a.docx", "corpus.file_truncated"),
}


@pytest.mark.django_db
@pytest.mark.parametrize(("content", "filename", "code"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_can_not_be_opened_is_not_taken_in(acme: Firm, content: bytes, filename: str, code: str) -> None:
    with pytest.raises(ExtractionError) as caught:
        ingest(acme, content, filename=filename)
    assert caught.value.code == code
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("content", "filename"), [(GOOD, "a.pdf"), (docx_file(), "a.docx"), (BROKEN, "a.json")])
def test_what_can_be_opened_is_taken_in(acme: Firm, content: bytes, filename: str) -> None:
    assert ingest(acme, content, filename=filename).created


def test_a_file_of_too_many_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LIMITS", Limits(max_pages=2))
    with pytest.raises(ExtractionError, match="more than 2 pages"):
        opens(page_pdf(b"", pages=3))


@pytest.mark.slow
def test_a_limit_that_is_met_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without the limit the file is refused."""
    content = b"%PDF-1.7\n" + b"1 0 obj\n<< >>\nendobj\n" * 2_000_000 + b"%%EOF"
    with pytest.raises(ExtractionError, match="damaged"):
        opens(content)
    monkeypatch.setattr(opening, "LIMITS", Limits(max_memory_bytes=1024, max_memory_ratio=0))
    opens(content)


@pytest.mark.django_db
def test_bytes_that_are_stored_are_not_opened_again(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ingest(acme, GOOD, filename="a.pdf", kind="run")
    run(acme, made.job)
    monkeypatch.setattr("apps.corpus.services.ingest.document.require_opens", None)
    with open_scope(tenant=acme.id, reason="a test"):
        again = document_correct(document_id=made.document.id, changes={}, kind="methodology")
    assert document(acme, again.id).kind == "methodology"


def opens(content: bytes) -> None:
    media_type = require_readable(content, filename="a.pdf", limits=Limits())
    require_opens(content, filename="a.pdf", media_type=media_type)
