"""Ingest several files of one request from a page or an API client; each file succeeds or fails separately."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.corpus.services.ingest.document import IngestResult, document_ingest
from apps.corpus.services.ingest.metadata import metadata_from_row
from apps.errors import ApplicationError
from apps.tenants.ids import ScopeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file: its name, a function that reads its bytes, and its metadata in the form of metadata_from_row."""

    filename: str
    read: Callable[[], bytes]
    kind: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """The outcome of one file: a document, or the reasons for the refusal.

    differs: the fields whose given value differs from the stored one, where the bytes were stored already.
    """

    filename: str
    result: IngestResult | None = None
    differs: tuple[str, ...] = ()
    code: str = ""
    reasons: tuple[str, ...] = ()


def upload_ingest(upload: Upload, *, scope_id: ScopeId, replaces: UUID | None = None) -> FileOutcome:
    """Ingest one file. Raises: what document_ingest and metadata_from_row raise."""
    result = document_ingest(
        content=upload.read(),
        filename=upload.filename,
        scope_id=scope_id,
        kind=upload.kind,
        metadata=metadata_from_row(upload.fields, filename=upload.filename),
        replaces=replaces,
    )
    said = {name for name, value in upload.fields.items() if value} | ({"replaces"} if replaces else set())
    differs = tuple(name for name in result.differs if name in said)
    return FileOutcome(filename=upload.filename, result=result, differs=differs)


def uploads_ingest(uploads: Iterable[Upload], *, scope_id: ScopeId, replaces: UUID | None = None) -> list[FileOutcome]:
    """Ingest each file or return why it was refused. A refused file does not affect the others."""
    outcomes: list[FileOutcome] = []
    for upload in uploads:
        try:
            with transaction.atomic():
                outcomes.append(upload_ingest(upload, scope_id=scope_id, replaces=replaces))
        except ApplicationError as error:
            outcomes.append(FileOutcome(filename=upload.filename, code=error.code, reasons=(error.detail,)))
        except ValidationError as error:
            code, reasons = "corpus.invalid_field", tuple(error.messages)
            outcomes.append(FileOutcome(filename=upload.filename, code=code, reasons=reasons))
    return outcomes
