"""Read a stored file for the index, and collect the warnings about it that a person should see."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.conf import settings

from apps.corpus.extraction import Limits
from apps.corpus.models import Document
from apps.corpus.reader import ReadDocument, ReadRequest, read_contained
from apps.corpus.services.ingest.metadata import left_empty, stated


def read_file(content: bytes, *, document: Document, limits: Limits | None = None) -> ReadDocument:
    """Extract, describe, chunk and count terms, in a separate process. The document is not changed.

    Raises: ExtractionError: the file can't be read, or exceeds a limit; NoPassagesError: nothing in it can be searched;
            InvalidFieldError: the document's stored metadata can't be understood.
    """
    request = ReadRequest(
        filename=document.filename,
        given=stated(document),
        left_empty=left_empty(document),
        language=document.language,
        recognises=settings.GLASSBOX_OCR,
        limits=limits or Limits(),
    )
    return read_contained(content, request)


def warnings_of(read: ReadDocument) -> list[dict[str, Any]]:
    """Return the warnings in their stored form: what was left out of the text, and contradictions in the metadata."""
    left_out = ({key: value for key, value in asdict(each).items() if value is not None} for each in read.warnings)
    contradictions = (
        {"code": "metadata_contradicts", "detail": f"{each.field}: {each.detail}."} for each in read.about.warnings
    )
    return [*left_out, *contradictions]
