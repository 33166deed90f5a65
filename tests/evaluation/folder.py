"""Write the evaluation folder: documents.jsonl, queries.jsonl and documents/, the same bytes each time.

For the harness as it is run by hand: `python -m tests.evaluation.folder DIR`, then `manage.py evaluate DIR`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, Final

from apps.demo.docx_builder import build_docx
from apps.demo.markup import reflow
from apps.demo.pdf_builder import build_pdf
from tests.evaluation.questions import QUESTIONS, Evidence, Question
from tests.evaluation.sources import SOURCES, Source

_TEMPLATES: Final = Path(__file__).with_name("templates")
_PAGE_BREAK: Final = "\n---\n"


def write_folder(directory: Path) -> None:
    """Write all of it into a directory, which is made if it is not there."""
    documents = directory / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    for source in SOURCES:
        (documents / source.file).write_bytes(content_of(source))
    _write_lines(directory / "documents.jsonl", [_document_row(source) for source in SOURCES])
    _write_lines(directory / "queries.jsonl", [_query_row(question) for question in QUESTIONS])


def content_of(source: Source) -> bytes:
    """The file of a source, by its ending."""
    text = text_of(source)
    match source.file.rsplit(".", 1)[1]:
        case "pdf":
            return build_pdf(text)
        case "docx":
            return build_docx(text)
        case "md":
            return reflow(text).encode()
        case _:
            return text.encode()


def text_of(source: Source) -> str:
    """The template with its values. Raises KeyError for a placeholder without a value."""
    return Template(_template(source.template)).substitute(_parts(), **source.values)


def page_of(evidence: Evidence) -> int:
    """The page that holds the evidence: of a PDF the one that its template puts it on, else the one that is stated.

    Raises: ValueError: the words stand on no page of the PDF, or on several.
    """
    source = source_named(evidence.document)
    if not source.file.endswith(".pdf"):
        return evidence.page
    pages = text_of(source).split(_PAGE_BREAK)
    found = [number for number, page in enumerate(pages, start=1) if all(words in page for words in evidence.words)]
    if len(found) != 1:
        raise ValueError(f"{evidence.words} stands on pages {found} of {evidence.document}")
    return found[0]


@cache
def source_named(document: str) -> Source:
    """Raises ValueError for an id that no source has."""
    for source in SOURCES:
        if source.id == document:
            return source
    raise ValueError(f"there is no document {document}")


@cache
def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _parts() -> Mapping[str, str]:
    """Paragraphs that several companies use word for word, as reports do."""
    return {path.stem: path.read_text(encoding="utf-8").strip() for path in sorted(_TEMPLATES.glob("part_*.txt"))}


def _document_row(source: Source) -> dict[str, Any]:
    row = {
        "id": source.id,
        "file": f"documents/{source.file}",
        "title": source.title,
        "company": source.company,
        "ticker": source.ticker,
        "kind": source.kind.value,
        "document_type": source.document_type.value,
        "source_type": source.source_type.value,
        "period": source.period,
        "published_on": source.published_on.isoformat(),
        "language": source.language,
        "jurisdictions": list(source.jurisdictions),
    }
    return {name: value for name, value in row.items() if value}


def _query_row(question: Question) -> dict[str, Any]:
    pages = dict.fromkeys((evidence.document, page_of(evidence)) for evidence in question.evidence)
    return {
        "id": question.id,
        "text": question.text,
        "answer": question.answer,
        "type": question.type.value,
        "relevant": [{"document": document, "page": page} for document, page in pages],
    }


def _write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Write it where the only argument says."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.evaluation.folder",
        description="Writes the project's own evaluation folder, for manage.py evaluate DIR.",
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="made if it is not there")
    directory: Path = parser.parse_args(arguments).directory
    if directory.exists() and not directory.is_dir():
        parser.error(f"{directory} is a file; name a directory")
    write_folder(directory)
    sys.stdout.write(f"{len(SOURCES)} documents and {len(QUESTIONS)} questions are in {directory}.\n")


if __name__ == "__main__":
    main(sys.argv[1:])
