"""A stored file, read for the index; and what a person should know of how that went."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from apps.corpus.extraction import Limits
from apps.corpus.models import Document
from apps.corpus.reader import ReadDocument, ReadRequest, read_contained
from apps.corpus.services.ingest_metadata import left_empty, stated


def read_file(content: bytes, *, document: Document, limits: Limits | None = None) -> ReadDocument:
    """Extract, describe, cut into passages and count terms, in a process of its own. The document is not changed.

    Raises: ExtractionError: the file can't be read, or costs too much; NoPassagesError: nothing in it can be searched;
            InvalidFieldError: what is stored about the document can't be understood.
    """
    request = ReadRequest(
        filename=document.filename,
        given=stated(document),
        left_empty=left_empty(document),
        language=document.language,
        limits=limits or Limits(),
    )
    return read_contained(content, request)


def warnings_of(read: ReadDocument) -> list[dict[str, Any]]:
    """What a person should know about the document, as it is stored: what was left out, and what contradicts."""
    left_out = ({key: value for key, value in asdict(each).items() if value is not None} for each in read.warnings)
    contradictions = (
        {"code": "metadata_contradicts", "detail": f"{each.field}: {each.detail}."} for each in read.about.warnings
    )
    return [*left_out, *contradictions]
