"""Taking a document in: its row, its bytes, its job and its event, all or nothing; the message comes afterwards."""

from __future__ import annotations

import hashlib
import re
import uuid
from dataclasses import dataclass, replace
from pathlib import PurePath, PureWindowsPath

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from django.utils.text import slugify

from apps.corpus.description import title_from_filename
from apps.corpus.extraction import Limits
from apps.corpus.extraction.detection import require_readable
from apps.corpus.kinds import Kind
from apps.corpus.models import Document, DocumentStatus, IngestJob, SourceFile
from apps.corpus.services.ingest_erased import refuse_erased
from apps.corpus.services.ingest_errors import (
    EmptyUploadError,
    UnknownDocumentError,
    UnknownKindError,
    UploadTooLargeError,
)
from apps.corpus.services.ingest_events import RECEIVED, record_document_event
from apps.corpus.services.ingest_metadata import DocumentMetadata, differing, external_id_in_force
from apps.corpus.services.ingest_queue import RESEND_AFTER, enqueue
from apps.corpus.services.ingest_restart import restart
from apps.corpus.services.restricted import refuse_restricted_content, with_restricted
from apps.erasure.runs.closing import require_open
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from config.operations import request_id

_SLUG_CHARS = 100
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f]")
# Bytes of a name that are no UTF-8, as Python reads them from a disk.
_HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """created is False where the same bytes were already there, in the same scope and of the same kind.

    differs: by field, what was said this time and is not so of the document that is there. It was not heeded.
    """

    document: Document
    job: IngestJob
    created: bool
    differs: tuple[str, ...] = ()


def document_ingest(
    *,
    content: bytes,
    filename: str,
    scope_id: ScopeId,
    kind: str,
    metadata: DocumentMetadata | None = None,
    replaces: uuid.UUID | None = None,
    same_title_replaces: bool = False,
    same_bytes_again: bool = False,
) -> IngestResult:
    """Take a file in, under the open scope; reading and embedding it is the job's work.

    The same bytes in the same scope and of the same kind give the document that is there (one that failed is started
    again), so a repeated upload changes nothing. Other bytes with an external_id that the scope knows, or that name
    what they replace, become the next version of that series; it takes over when it is ready, not before.

    Args:    replaces: the document whose next version this is.
             same_title_replaces: a document of the same title and kind in the scope is replaced. Off by default:
                 reports of two periods often share a title.
             same_bytes_again: the bytes that are there become another version, for what is said about them.
    Raises:  UnknownKindError, EmptyUploadError, UploadTooLargeError, ScopeNotGrantedError, PermissionDeniedError,
             UnknownDocumentError, RestrictedContentError; ExtractionError: no reader would open it, since its format
             can't be read or is another than its name claims, or its encoding can't be told; ScopeClosedError: the
             scope is being erased, or was; ErasedDocumentError: it was erased at somebody's request;
             TombstonesUnavailableError, TombstonesDamagedError: nobody can say whether it was; ValidationError for the
             metadata, by field.
    Costs:   about seventeen queries and the bytes once.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_ADD)
    if scope_id not in context.scope_ids:
        raise ScopeNotGrantedError(scope=scope_id)
    if kind not in Kind.values:
        raise UnknownKindError(kind=repr(kind), known=", ".join(Kind.values))
    name = _clean_filename(filename)
    if not content:
        raise EmptyUploadError(filename=name)
    if len(content) > settings.GLASSBOX_MAX_UPLOAD_BYTES:
        raise UploadTooLargeError(
            filename=name, size_bytes=len(content), limit_bytes=settings.GLASSBOX_MAX_UPLOAD_BYTES
        )
    require_readable(content, filename=name, limits=Limits(max_file_bytes=settings.GLASSBOX_MAX_UPLOAD_BYTES))
    content_sha256 = hashlib.sha256(content).hexdigest()
    about = metadata or DocumentMetadata()
    document = Document(
        tenant_id=context.tenant_id,
        scope_id=scope_id,
        kind=kind,
        title=about.title or title_from_filename(name),
        document_type=about.document_type,
        source_type=about.source_type,
        company=about.company,
        ticker=about.ticker,
        fiscal_year=about.fiscal_year,
        fiscal_quarter=about.fiscal_quarter,
        published_on=about.published_on,
        language=about.language,
        jurisdictions=list(about.jurisdictions),
        external_id=about.external_id,
        corrected_fields=list(about.corrected),
        series_id=uuid.uuid4(),
        filename=name,
        byte_size=len(content),
        content_sha256=content_sha256,
    )
    document.clean_fields(exclude=["tenant", "scope", "slug"])
    with transaction.atomic():
        require_open([scope_id])
        serialise(scope_id, content_sha256, about.external_id or document.title)
        if not same_bytes_again and (there := _same_bytes(document)) is not None:
            return replace(there, differs=differing(there.document, about, replaces=replaces))
        refuse_erased(document)
        refuse_restricted_content(scope_id=scope_id, content_sha256=content_sha256)
        _continue_series(document, replaces=replaces, same_title=same_title_replaces)
        document.slug = _free_slug(document)
        document.save(force_insert=True)
        SourceFile.objects.create(tenant_id=document.tenant_id, scope_id=scope_id, document=document, content=content)
        job: IngestJob = IngestJob.objects.create(
            tenant_id=document.tenant_id,
            scope_id=scope_id,
            document=document,
            actor_kind=context.principal.kind.value,
            actor_id=context.principal.id,
            actor_key_id=context.principal.key_id,
            actor_label=context.principal.label[:255],
            request_id=request_id.current(),
            embedding_profile=current_tenant().embedding_profile,
            next_attempt_at=timezone.now() + RESEND_AFTER,
        )
        record_document_event(
            RECEIVED,
            document,
            byte_size=document.byte_size,
            document_type=str(document.document_type),
            source_type=str(document.source_type),
        )
        enqueue(job)
    return IngestResult(document=document, job=job, created=True)


def _clean_filename(filename: str) -> str:
    """The last part of the name, without what could break a line or a header; its ending survives the cut."""
    last = _HALF_CHARACTERS.sub("\ufffd", PureWindowsPath(PurePath(filename).name).name)
    path = PurePath(_CONTROL_CHARACTERS.sub("", last).strip() or "unnamed")
    return path.stem[: 255 - len(path.suffix[:32])] + path.suffix[:32]


def serialise(scope_id: ScopeId, *keys: str) -> None:
    """Let uploads of the same thing into the same scope wait for one another, until the transaction ends."""
    numbers = sorted(advisory_key("ingest", scope_id, key) for key in keys)
    with connection.cursor() as cursor:
        for number in numbers:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _same_bytes(document: Document) -> IngestResult | None:
    there: Document | None = (
        Document.objects.filter(scope_id=document.scope_id, kind=document.kind, content_sha256=document.content_sha256)
        .exclude(status=DocumentStatus.SUPERSEDED)
        .order_by("-version")
        .first()
    )
    if there is None:
        return None
    job: IngestJob = IngestJob.objects.filter(document=there).latest("created_at")
    if there.status == DocumentStatus.FAILED:
        restart(job, there)
    return IngestResult(document=there, job=job, created=False)


def _continue_series(document: Document, *, replaces: uuid.UUID | None, same_title: bool) -> None:
    """Make the document the next version of what it replaces, if anything.

    Also of what is restricted, but where it is named by its id: then it is as unknown as if it were gone. A version
    that lacks its predecessor looks as it does after a removal.
    """
    candidates = Document.objects.filter(scope_id=document.scope_id)
    if replaces is not None and not candidates.filter(id=replaces).exists():
        raise UnknownDocumentError(document=replaces)
    if replaces is not None:
        named = candidates.filter(id=replaces)
    elif document.external_id:
        named = external_id_in_force(ScopeId(document.scope_id), document.external_id)
    elif same_title:
        named = candidates.filter(kind=document.kind, title=document.title)
    else:
        return
    with with_restricted(ScopeId(document.scope_id)):
        earlier = named.order_by("-created_at", "-id").first()
        if earlier is not None:
            document.series_id = earlier.series_id
            of_series = candidates.filter(series_id=earlier.series_id)
            document.version = of_series.order_by("-version").values_list("version", flat=True)[0] + 1


def _free_slug(document: Document) -> str:
    """How citations name this version: readable, and unique in the tenant without looking into other scopes.

    The scope is in the digest, so that no slug of a scope that the caller can't see is ever in the way; an insertion
    that failed for such a one would tell that it exists.
    """
    words = slugify(document.title)[:_SLUG_CHARS].strip("-") or "document"
    for attempt in range(1000):
        told_apart = f"{document.scope_id}|{document.kind}|{document.content_sha256}|{document.version}|{attempt}"
        slug = f"{words}-{hashlib.sha256(told_apart.encode()).hexdigest()[:10]}"
        if not Document.objects.filter(slug=slug).exists():
            return slug
    raise RuntimeError("a thousand slugs were taken")
