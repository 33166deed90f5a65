"""Ingest a document: store its row, bytes, job and event in one transaction, then send the message to the workers."""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath, PureWindowsPath

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify

from apps.corpus.description import title_from_filename
from apps.corpus.extraction import Limits
from apps.corpus.extraction.detection import require_readable
from apps.corpus.kinds import Right, SourceType
from apps.corpus.models import Document, DocumentStatus, IngestJob, SourceFile
from apps.corpus.reader.opening import require_opens
from apps.corpus.services.ingest.erased import refuse_erased
from apps.corpus.services.ingest.errors import (
    EmptyUploadError,
    KindNotYoursError,
    UnknownDocumentError,
    UploadTooLargeError,
)
from apps.corpus.services.ingest.events import RECEIVED, record_document_event
from apps.corpus.services.ingest.kind import require_right, require_usable
from apps.corpus.services.ingest.metadata import DocumentMetadata, differing, external_id_in_force, source_of
from apps.corpus.services.ingest.restart import restart
from apps.corpus.services.restricted import refuse_restricted_content, with_restricted
from apps.erasure.runs.closing import require_open
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.leased_jobs import enqueue
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from config.operations import request_id

_SLUG_CHARS = 100
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f]")
# Lone surrogates: this is how Python represents the bytes of a file name on disk that are not UTF-8.
_HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestResult:
    """The result of an upload; `created` is False if the same bytes were already in the same scope with the same kind.

    differs: the fields in which this upload's metadata differs from the stored document's. They were ignored.
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
    corrects: bool = False,
    moved_from: uuid.UUID | None = None,
    is_earlier: bool = False,
) -> IngestResult:
    """Store a file in the open scope and create the job that reads and embeds it.

    If the scope has a document with the same bytes and kind, return that document, so a repeated upload changes nothing
    (a document that failed is started again). Other bytes become the next version of a series if they come with an
    external_id that the scope knows, or name the document that they replace. The new version comes into force when it
    is ready, not before.

    Args:    replaces: the document whose next version this is.
             same_title_replaces: replace a document of the same title and kind in the scope. Off by default: reports of
                 two periods often share a title.
             same_bytes_again: make a new version even if the bytes are stored already, to change the metadata.
             corrects: the next version says something else of the same bytes. Who may correct the kind makes it,
                 whether or not they may upload it.
             moved_from: the document of another scope that this one is a copy of. is_earlier: of an earlier version,
                 which is never current here.
    Raises:  UnknownKindError, RetiredKindError, KindNotYoursError: the policy in force does not let the principal
             upload documents of this kind, or of that of the document that this one replaces; EmptyUploadError,
             UploadTooLargeError, ScopeNotGrantedError,
             PermissionDeniedError, UnknownDocumentError, RestrictedContentError; ExtractionError: the format can't
             be read, or is not the one that the file name claims, or the encoding can't be determined, or the file
             needs a password, is cut off or damaged, or has no pages;
             ScopeClosedError: the scope is being erased, or was erased; ErasedDocumentError: the document was
             erased at somebody's request; TombstonesUnavailableError, TombstonesDamagedError: it can't be
             determined whether it was erased; ValidationError for the metadata, by field.
    Costs:   about eighteen queries, which transfer the bytes once.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_ADD)
    if scope_id not in context.scope_ids:
        raise ScopeNotGrantedError(scope=scope_id)
    name = clean_filename(filename)
    if not content:
        raise EmptyUploadError(filename=name)
    if len(content) > settings.GLASSBOX_MAX_UPLOAD_BYTES:
        raise UploadTooLargeError(
            filename=name, size_bytes=len(content), limit_bytes=settings.GLASSBOX_MAX_UPLOAD_BYTES
        )
    limits = Limits(max_file_bytes=settings.GLASSBOX_MAX_UPLOAD_BYTES)
    media_type = require_readable(content, filename=name, limits=limits)
    if not same_bytes_again:
        require_opens(content, filename=name, media_type=media_type)
    content_sha256 = hashlib.sha256(content).hexdigest()
    about = metadata or DocumentMetadata()
    document = Document(
        tenant_id=context.tenant_id,
        scope_id=scope_id,
        kind=kind,
        title=about.title or title_from_filename(name),
        document_type=about.document_type,
        source_type=about.source_type or SourceType.INTERNAL,
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
        moved_from_id=moved_from,
        # The times are the other document's: the database writes them (sql/moved.sql).
        replaced_there_at=timezone.now() if is_earlier else None,
    )
    # The policy says which kinds there are, below.
    document.clean_fields(exclude=["tenant", "scope", "slug", "kind"])
    with transaction.atomic():
        require_open([scope_id])
        # Of a tenant whose erasure goes on, the policy may be gone before the last scope is.
        right = Right.CORRECT if corrects else Right.UPLOAD
        of_kind = require_usable(kind, right=right)
        if about.source_type is None:
            document.source_type = source_of(of_kind, about.document_type)
        serialise(scope_id, content_sha256, about.external_id or document.title)
        if not same_bytes_again and (there := _same_bytes(document)) is not None:
            return replace(there, differs=differing(there.document, about, replaces=replaces))
        refuse_erased(document)
        refuse_restricted_content(scope_id=scope_id, content_sha256=content_sha256)
        _continue_series(document, replaces=replaces, same_title=same_title_replaces, right=right)
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
            next_attempt_at=timezone.now() + IngestJob.resend_after,
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


def clean_filename(filename: str) -> str:
    """Return the last part of the path without control characters, at most 255 characters, with its suffix kept."""
    last = _HALF_CHARACTERS.sub("\ufffd", PureWindowsPath(PurePath(filename).name).name)
    path = PurePath(_CONTROL_CHARACTERS.sub("", last).strip() or "unnamed")
    return path.stem[: 255 - len(path.suffix[:32])] + path.suffix[:32]


def serialise(scope_id: ScopeId, *keys: str) -> None:
    """Make uploads with one of these keys into the same scope wait for each other until the transaction ends."""
    numbers = sorted(advisory_key("ingest", scope_id, key) for key in keys)
    with connection.cursor() as cursor:
        for number in numbers:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _same_bytes(document: Document) -> IngestResult | None:
    there: Document | None = (
        Document.objects.filter(scope_id=document.scope_id, kind=document.kind, content_sha256=document.content_sha256)
        # A copy of an earlier version is never current here, also before it is read.
        .filter(replaced_there_at__isnull=True)
        .exclude(status=DocumentStatus.SUPERSEDED)
        .order_by("-version")
        .first()
    )
    if there is None:
        return None
    job: IngestJob = IngestJob.objects.filter(document=there).latest("requested_at")
    if there.status == DocumentStatus.FAILED:
        restart(job, there)
    return IngestResult(document=there, job=job, created=False)


def _continue_series(document: Document, *, replaces: uuid.UUID | None, same_title: bool, right: Right) -> None:
    """Make the document the next version of the document that it replaces, if there is one.

    The replaced document may be restricted, unless the caller names it by its id: then it is unknown to the caller, as
    if it were deleted. A version whose predecessor is not visible looks as it does after a removal. A restricted one
    that is not the caller's to replace stays as it is: what they bring begins a series of its own.
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
    _require_replaceable(document, named, right)
    with with_restricted(ScopeId(document.scope_id)):
        earlier = named.order_by("-created_at", "-id").first()
        if earlier is None:
            return
        of_series = candidates.filter(series_id=earlier.series_id)
        newest = of_series.order_by("-version").values_list("version", flat=True)[0]
        replaced = _in_use(of_series)
    try:
        _require_rights(document, replaced, right)
    except KindNotYoursError:
        if replaces is not None:
            raise UnknownDocumentError(document=replaces) from None
        return
    document.series_id, document.version = earlier.series_id, newest + 1


def _require_replaceable(document: Document, named: QuerySet[Document], right: Right) -> None:
    """Require the right for every kind that the next version takes out of searches.

    Without it, a document of a kind that others file could be given another kind by its external id. A next version of
    the same bytes is a correction, by whichever way it comes: then the right to correct both kinds is required, too.
    Raises: KindNotYoursError.
    """
    of_series = Document.objects.filter(scope_id__in=named.values("scope_id"), series_id__in=named.values("series_id"))
    _require_rights(document, _in_use(of_series), right)


def _in_use(versions: QuerySet[Document]) -> list[tuple[str, str]]:
    """Return the kind and the digest of each version that a next one replaces, at once or when it is published."""
    in_use = versions.exclude(status=DocumentStatus.SUPERSEDED)
    return list(in_use.values_list("kind", "content_sha256"))


def _require_rights(document: Document, replaced: Sequence[tuple[str, str]], right: Right) -> None:
    for kind in sorted({kind for kind, _ in replaced}):
        require_right(kind, right)
    if any(sha256 == document.content_sha256 for _, sha256 in replaced):
        for kind in sorted({document.kind, *(kind for kind, _ in replaced)}):
            require_right(kind, Right.CORRECT)


def _free_slug(document: Document) -> str:
    """Return the name of this version in citations: readable, and unique in the tenant without reading other scopes.

    The scope is part of the digest, so a slug never collides with one in a scope that the caller can't see. A failed
    insertion would otherwise tell the caller that such a document exists.
    """
    words = slugify(document.title)[:_SLUG_CHARS].strip("-") or "document"
    for attempt in range(1000):
        told_apart = f"{document.scope_id}|{document.kind}|{document.content_sha256}|{document.version}|{attempt}"
        slug = f"{words}-{hashlib.sha256(told_apart.encode()).hexdigest()[:10]}"
        if not Document.objects.filter(slug=slug).exists():
            return slug
    raise RuntimeError("a thousand slugs were taken")
