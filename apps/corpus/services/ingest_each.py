"""Many files at once, for a page or a client that brings them: each is taken in or refused by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.corpus.services.ingest import IngestResult, document_ingest
from apps.corpus.services.ingest_metadata import metadata_from_row
from apps.errors import ApplicationError
from apps.tenants.ids import ScopeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file: its name, how its bytes are read, and what is said about it (as metadata_from_row takes it)."""

    filename: str
    read: Callable[[], bytes]
    kind: str
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """What became of one file: a document, or the reasons why not.

    differs: what was said about it, by name, and is stored otherwise: its bytes were there already.
    """

    filename: str
    result: IngestResult | None = None
    differs: tuple[str, ...] = ()
    code: str = ""
    reasons: tuple[str, ...] = ()


def upload_ingest(upload: Upload, *, scope_id: ScopeId, replaces: UUID | None = None) -> FileOutcome:
    """Take one file in. Raises: what document_ingest and metadata_from_row raise."""
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
    """Take each file in, or say why not; the others are not touched by it."""
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
