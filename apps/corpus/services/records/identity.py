"""The identity of a record: what its source calls it, in one scope. And the way back from a document to its record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.contracts import MediaType
from apps.corpus.extraction.errors import CorruptFileError
from apps.corpus.extraction.record_file import RECORD_BEGINS, RecordFile, read_record
from apps.corpus.extraction.record_pages import Place, record_headings, record_places
from apps.corpus.models import Document, SourceFile
from apps.corpus.services.ingest.errors import InvalidRecordError, RecordNotFoundError
from apps.corpus.services.ingest.metadata import external_id_in_force
from apps.tenants.ids import ScopeId

# Both stand in addresses. The slash parts them in the document's external id, so neither has one.
SOURCE: Final = r"[a-z0-9][a-z0-9._-]{0,62}"
EXTERNAL_ID: Final = r"[A-Za-z0-9][A-Za-z0-9._:@+~-]{0,126}"
SOURCE_FORM: Final = "Lower-case letters, digits and . _ -, at most 63; begin with a letter or a digit."
EXTERNAL_ID_FORM: Final = "Letters, digits and . _ : @ + ~ -, at most 127; begin with a letter or a digit."
SUFFIX: Final = ".record.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """The record that a document was made of, which characters of its pages show which field, and its headings."""

    record: RecordFile
    places: Sequence[Place]
    headings: frozenset[str]


def document_id_of(source: str, external_id: str) -> str:
    """Return the external id of the document that a record is stored as.

    Raises: InvalidRecordError: one of them has another form.
    """
    for name, value, form, said in (
        ("source", source, SOURCE, SOURCE_FORM),
        ("external_id", external_id, EXTERNAL_ID, EXTERNAL_ID_FORM),
    ):
        if not re.fullmatch(form, value):
            raise InvalidRecordError(place=name, reason=f"has another form ({said})")
    return f"{source}/{external_id}"


def newest_version(scope_id: ScopeId, source: str, external_id: str) -> Document | None:
    """Return the newest version that the principal sees of the document with a record's id, whatever it holds."""
    named = external_id_in_force(scope_id, document_id_of(source, external_id))
    found = named.order_by("-created_at", "-id").first()
    if found is None:
        return None
    newest: Document | None = Document.objects.filter(series_id=found.series_id).order_by("-version").first()
    return newest


def record_document(scope_id: ScopeId, source: str, external_id: str) -> Document:
    """Return the newest version of a record. Of a redacted one, the text that is left is all that is known.

    Raises: RecordNotFoundError, alike for one that is not there and one that is hidden.
    """
    document = newest_version(scope_id, source, external_id)
    if document is None or (document.media_type != MediaType.RENDITION and record_of(document) is None):
        raise RecordNotFoundError(source=source, external_id=external_id)
    return document


def is_record(document: Document) -> bool:
    """Return whether the document is a record by its name and, once it was read, its format. No query."""
    return document.filename.endswith(SUFFIX) and document.media_type in ("", MediaType.RECORD)


def record_of(document: Document) -> RecordFile | None:
    """Return the record that a document's file holds, or None if it holds none. One query, for a record alone.

    Anybody who may add documents may upload such a file. It is a record only under the id that it states: otherwise a
    citation of it would name a source that never had it.
    """
    if not is_record(document):
        return None
    content = SourceFile.objects.filter(document=document).values_list("content", flat=True).first()
    if content is None or not bytes(content[: len(RECORD_BEGINS)]).startswith(RECORD_BEGINS):
        return None
    try:
        record = read_record(bytes(content), filename=document.filename)
    except CorruptFileError:  # uploaded by hand; its job says what is wrong with it
        return None
    return record if document.external_id == f"{record.source}/{record.external_id}" else None


def record_lineage(document: Document) -> Lineage | None:
    """Return the way back from a document's text to its record, or None if it is of no record."""
    record = record_of(document)
    if record is None:
        return None
    return Lineage(record=record, places=record_places(record), headings=record_headings(record))
