"""What a file is, against what its name claims."""

from __future__ import annotations

from copy import copy

import pytest

from apps.corpus.extraction import ExtractionError, Limits, MediaType, extract
from apps.corpus.extraction.errors import (
    CorruptFileError,
    EmptyFileError,
    FileTooLargeError,
    LyingFileError,
    NoTextError,
    TooManyPagesError,
    UnsupportedFileError,
)
from tests.corpus.files import docx_file, lines, pdf, png, zip_file

PDF = pdf([lines("Some text on a page.")])
DOCX = docx_file(lambda document: document.add_paragraph("Some text."))


@pytest.mark.parametrize(
    ("content", "filename", "media_type"),
    [
        (PDF, "a.pdf", MediaType.PDF),
        (PDF, "A.PDF", MediaType.PDF),
        (PDF, "without-ending", MediaType.PDF),
        (b"\n\n" + PDF, "a.pdf", MediaType.PDF),
        (DOCX, "a.docx", MediaType.DOCX),
        (DOCX, "a.bin", MediaType.DOCX),
        (b"<!DOCTYPE html><p>Text", "a.html", MediaType.HTML),
        (b"<html><body>Text</body></html>", "filing.txt", MediaType.HTML),
        (b"# Title\n\ntext", "a.md", MediaType.MARKDOWN),
        (b"a,b\n1,2", "a.csv", MediaType.CSV),
        (b"a\tb\n1\t2", "a.tsv", MediaType.CSV),
        (b'{"a": 1}', "a", MediaType.JSON),
        (b"just some words", "a.txt", MediaType.TEXT),
        (b"just some words", "a", MediaType.TEXT),
        (b"MZ is how this sentence begins.", "a.txt", MediaType.TEXT),
    ],
)
def test_format_is_recognised(content: bytes, filename: str, media_type: MediaType) -> None:
    assert extract(content, filename=filename).media_type is media_type


@pytest.mark.parametrize(
    ("content", "filename", "detected"),
    [
        (png(), "report.pdf", "a PNG image"),
        (png(), "report.docx", "a PNG image"),
        (png(), "report.csv", "a PNG image"),
        (PDF, "report.csv", "a PDF"),
        (PDF, "report.txt", "a PDF"),
        (DOCX, "report.pdf", "a Word document"),
        (b"MZ\x90\x00\x03\x00", "report.pdf", "a Windows program"),
        (b"\x7fELF\x02\x01\x01\x00", "report.txt", "a program"),
        (b"<html><body>Not found</body></html>", "report.csv", "a web page"),
        (b"<html><body>Not found</body></html>", "report.json", "a web page"),
        (b"<html><body>Not found</body></html>", "report.pdf", "a web page"),
        (b"just some words", "report.docx", "plain text"),
        (zip_file({"a.txt": b"x"}), "report.docx", "a zip archive"),
        (bytes(range(256)) * 4, "report.md", "binary data"),
    ],
)
def test_name_that_lies_is_refused(content: bytes, filename: str, detected: str) -> None:
    with pytest.raises(LyingFileError) as caught:
        extract(content, filename=filename)
    assert caught.value.data["detected"] == detected


@pytest.mark.parametrize("content", [png(), b"MZ\x90\x00\x03\x00", zip_file({"a.txt": b"x"}), bytes(range(256)) * 4])
def test_unknown_format_without_a_claim_is_unsupported(content: bytes) -> None:
    with pytest.raises(UnsupportedFileError):
        extract(content, filename="upload.bin")


@pytest.mark.parametrize("content", [b"", b"  \n\t ", b"\xef\xbb\xbf", b"\xff\xfe", b"\x00" * 100])
@pytest.mark.parametrize("filename", ["a.txt", "a.pdf", "a.csv"])
def test_empty_file_is_named_as_such(content: bytes, filename: str) -> None:
    with pytest.raises(EmptyFileError):
        extract(content, filename=filename)


def test_size_limit_is_named() -> None:
    with pytest.raises(FileTooLargeError, match="has 11 bytes; the limit is 10"):
        extract(b"hello world", filename="a.txt", limits=Limits(max_file_bytes=10))


def test_binary_rubbish_named_pdf_is_corrupt() -> None:
    with pytest.raises(CorruptFileError):
        extract(bytes(range(128, 256)) + bytes(range(32)), filename="a.pdf")


def test_logical_pages_are_limited_too() -> None:
    with pytest.raises(TooManyPagesError):
        extract(b"word " * 5_000, filename="a.txt", limits=Limits(max_pages=3))


def test_markup_without_words_has_no_text() -> None:
    with pytest.raises(NoTextError):
        extract(b"<html><body><p> </p><img src='x.png'></body></html>", filename="a.html")


def test_errors_can_be_rebuilt_from_their_data() -> None:
    with pytest.raises(ExtractionError) as caught:
        extract(b"", filename="a.txt")
    assert str(copy(caught.value)) == str(caught.value)


def test_windows_path_is_only_a_name() -> None:
    assert extract(b"words", filename="C:\\files\\a.txt").media_type is MediaType.TEXT
