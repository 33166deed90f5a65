"""What the pages of a document show of the record that it was made of: its origin, and which field a quote shows."""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.extraction.record_file import RecordFile, RecordType
from apps.corpus.extraction.record_pages import pointers_at
from apps.corpus.models import Document
from apps.corpus.services.records.identity import Lineage, record_of

_MOST_FIELDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRecord:
    """csv_name, csv_sha256: of the file that a data profile was made of, else empty."""

    record: RecordFile
    csv_name: str = ""
    csv_sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedFields:
    """The fields of a record that a quote shows, as JSON pointers; more: how many others."""

    record: RecordFile
    pointers: tuple[str, ...]
    more: int


def shown_record(document: Document) -> ShownRecord | None:
    """Return what is known of a document's record, or None if it was made of no record. One query for a record."""
    record = record_of(document)
    if record is None:
        return None
    made_of = record.body.get("file") if record.type is RecordType.DATA_PROFILE else None
    if not isinstance(made_of, dict):
        return ShownRecord(record=record)
    return ShownRecord(record=record, csv_name=str(made_of.get("name", "")), csv_sha256=str(made_of.get("sha256", "")))


def quoted_fields(lineage: Lineage | None, *, page: int, start: int, end: int) -> QuotedFields | None:
    """Return which fields of a record characters of a page show, or None if there is no record or no such field."""
    if lineage is None:
        return None
    # The title and the sentence below it are of the record as a whole, whose pointer is the empty text.
    found = [pointer for pointer in pointers_at(lineage.places, page=page, start=start, end=end) if pointer]
    if not found:
        return None
    return QuotedFields(
        record=lineage.record, pointers=tuple(found[:_MOST_FIELDS]), more=max(0, len(found) - _MOST_FIELDS)
    )
