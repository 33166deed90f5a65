"""Make the data profile of a CSV file, and store it as a record. The file itself is not stored: its digest is."""

from __future__ import annotations

from django.conf import settings

from apps.corpus.extraction.csv_profile import profile_csv
from apps.corpus.extraction.record_file import RecordType
from apps.corpus.services.ingest.document import clean_filename
from apps.corpus.services.ingest.errors import EmptyUploadError, UploadTooLargeError
from apps.corpus.services.ingest.kind import require_usable
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.corpus.services.records.upsert import RecordResult, record_upsert
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission


def profile_upsert(
    *,
    content: bytes,
    filename: str,
    source: str,
    external_id: str,
    scope_id: ScopeId,
    kind: str,
    header: bool = True,
    metadata: DocumentMetadata | None = None,
) -> RecordResult:
    """Summarise a CSV file and store the summary as a record of the type data profile.

    Args:   header: whether its first row has the names of the columns.
    Raises: what record_upsert and profile_csv raise; EmptyUploadError, UploadTooLargeError.
    """
    current_scope().principal.require(Permission.DOCUMENT_ADD)
    require_usable(kind)
    name = clean_filename(filename)
    if not content:
        raise EmptyUploadError(filename=name)
    if len(content) > settings.GLASSBOX_MAX_UPLOAD_BYTES:
        raise UploadTooLargeError(
            filename=name, size_bytes=len(content), limit_bytes=settings.GLASSBOX_MAX_UPLOAD_BYTES
        )
    return record_upsert(
        type=RecordType.DATA_PROFILE,
        source=source,
        external_id=external_id,
        body=profile_csv(content, filename=name, header=header),
        scope_id=scope_id,
        kind=kind,
        metadata=metadata,
    )
