"""Move a document to another scope: it is filed there anew, and its removal from where it is, is proposed.

Whoever reads the one scope and not the other loses the document. So no single person moves what was ever searchable:
somebody else approves the removal, as of every document (removals.py). Until then both copies answer. One's own upload
that never was searchable is moved at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.models import PUBLISHED, Document, DocumentStatus, IngestJob, SourceFile
from apps.corpus.services.documents import may_discard
from apps.corpus.services.ingest.document import document_ingest, serialise
from apps.corpus.services.ingest.errors import ExternalIdTakenError, MoveError, RemovalPendingError
from apps.corpus.services.ingest.events import CORRECTED, record_document_event
from apps.corpus.services.ingest.kind import require_usable
from apps.corpus.services.ingest.metadata import external_id_in_force, metadata_of
from apps.corpus.services.ingest.restart import restart
from apps.corpus.services.records.identity import is_record
from apps.corpus.services.removals import document_remove, is_due, proposal_of, require_unkept
from apps.corpus.services.restricted import has_restricted
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.locks import keep_holds_out
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import Reach, RemovalRun
from apps.erasure.retention.in_runs import staying
from apps.erasure.runs.closing import require_open
from apps.tenants.context import current_scope
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """made: the document in the other scope. removals: the proposals, one for each version, the newest first.

    There are no proposals if the document was moved at once, or is in that scope already.
    """

    made: Document
    removals: tuple[RemovalRun, ...] = ()


def document_move(*, document_id: UUID, scope_id: ScopeId, words: str) -> Moved:
    """File a document and its earlier versions in another scope, and propose to remove them here, in one transaction.

    The copies keep their kinds and metadata, and the time from which retention rules count. The last is current there
    from when its job has read it, and the earlier ones never are: questions as of an earlier date find it in neither
    scope once the removal is carried out. If the other scope holds the same bytes as
    the same kind, that document stays as it is, and only the removal is proposed. Of versions with the same bytes
    (corrections), only the last is filed.

    Args:    words: why it belongs there, for whoever decides on the removal; the log keeps them.
    Raises:  PermissionDeniedError, DocumentNotFoundError, ScopeNotGrantedError; MoveError: what stands against it;
             RemovalPendingError; HoldError, RemovalKeptError; ExternalIdTakenError: of the other scope; what
             document_ingest and document_remove raise, the rights of the kinds included.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_ADD)
    context.principal.require(Permission.DOCUMENT_DELETE)
    if scope_id not in context.scope_ids:
        raise ScopeNotGrantedError(scope=scope_id)
    with transaction.atomic():
        # First, as whoever places a hold does: each would wait for the other, holding the document's row.
        keep_holds_out()
        document = _locked(document_id, scope_id)
        if document.scope_id == scope_id:
            return Moved(made=document)
        versions = list(Document.objects.filter(series_id=document.series_id).order_by("version"))
        _require_lasting(document.scope_id, scope_id)
        _require_movable(document, versions)
        _require_unrestricted(document, versions, scope_id)
        made = _file(document, versions, scope_id)
        record_document_event(CORRECTED, document, fields="scope", corrected_by=str(made.id))
        runs = [
            document_remove(document_id=version.id, reason=RemovalReason.WRONG_PLACE, words=words)
            for version in reversed(versions)
        ]
    return Moved(made=made, removals=tuple(run for run in runs if run is not None))


def _locked(document_id: UUID, scope_id: ScopeId) -> Document:
    """Return the document, kept from corrections and uploads of the same bytes in either scope until the end of the
    transaction. Raises: DocumentNotFoundError."""
    there: Document | None = Document.objects.filter(id=document_id).first()
    if there is None:
        raise DocumentNotFoundError(document=document_id)
    # All at once, in an order that neither the direction nor the versions decide: two moves wait for each other.
    versions = Document.objects.filter(series_id=there.series_id)
    keys = {key for each in versions for key in (each.content_sha256, there.external_id or each.title)}
    for scope in sorted({ScopeId(there.scope_id), scope_id}):
        serialise(scope, *keys)
    # The jobs' rows before the document's, as their worker does.
    list(IngestJob.objects.select_for_update().filter(document_id=document_id).order_by("id"))
    document: Document | None = Document.objects.select_for_update().filter(id=document_id).first()
    if document is None:
        raise DocumentNotFoundError(document=document_id)
    return document


def _require_movable(document: Document, versions: list[Document]) -> None:
    if is_record(document):
        raise MoveError("corpus.move_of_record", document=document.id)
    if document.status not in PUBLISHED and not may_discard(document):
        raise MoveError("corpus.move_before_read", document=document.id)
    if document.status not in PUBLISHED and any(each.status == DocumentStatus.READY for each in versions):
        # Nothing has replaced that one yet, so it may not be filed there as replaced.
        raise MoveError("corpus.move_before_earlier", document=document.id)
    newer = any(each.version > document.version and each.status != DocumentStatus.FAILED for each in versions)
    if newer or document.status == DocumentStatus.SUPERSEDED:
        raise MoveError("corpus.move_not_current", document=document.id)
    if (removal := proposal_of(document.id)) is not None:
        raise RemovalPendingError(document=document.id, run=removal.id)
    require_unkept(document)
    for version in versions:
        if is_due(version, Reach.MUST):
            raise MoveError("corpus.move_overdue", document=version.id)


def _require_lasting(*scope_ids: UUID) -> None:
    """Raise MoveError if a scope is to be removed, or its removal is asked for: of what comes and goes meanwhile, that
    removal names nothing. No such request is received before the end of the transaction."""
    for ground in staying([Target(type=TargetType.SCOPE, id=each) for each in scope_ids]).values():
        kind, _, id = ground.partition(":")
        if kind == "request":
            raise MoveError("corpus.move_of_requested_scope")
        raise MoveError("corpus.move_of_ending_scope", run=id)


def _require_unrestricted(document: Document, versions: list[Document], scope_id: ScopeId) -> None:
    """Raise MoveError if the series, its files or its source id meet something restricted, which nobody may copy, join
    or leave behind."""
    digests = {each.content_sha256 for each in versions}
    here = Document.objects.filter(Q(series_id=document.series_id) | Q(content_sha256__in=digests))
    same = Document.objects.filter(scope_id=scope_id, content_sha256__in=digests)
    met = [
        (ScopeId(document.scope_id), here.filter(scope_id=document.scope_id)),
        (scope_id, same),
        (scope_id, external_id_in_force(scope_id, document.external_id).exclude(external_id="")),
    ]
    if any(has_restricted(scope, documents) for scope, documents in met):
        raise MoveError("corpus.move_restricted", document=document.id)


def _file(document: Document, versions: list[Document], scope_id: ScopeId) -> Document:
    """File the document in the scope, after its earlier versions of other bytes, the oldest first."""
    if (there := _same_file(document, scope_id)) is not None:
        return there
    named = external_id_in_force(scope_id, document.external_id).order_by("-created_at", "-id")
    if document.external_id and (other := named.first()) is not None:
        raise ExternalIdTakenError(external_id=document.external_id, document=other.id)
    published = [each for each in versions if each.status in PUBLISHED and each.version < document.version]
    replaced = None
    for version, following in pairwise([*published, document]):
        if version.content_sha256 != following.content_sha256:
            replaced = _ingest(version, document, scope_id, replaces=replaced)
    return _ingest(document, document, scope_id, replaces=replaced)


def _same_file(document: Document, scope_id: ScopeId) -> Document | None:
    """Return the document of the scope with the same bytes and kind that is current there, or becomes so.

    One that failed is read again, unless that would replace another version.
    Raises: MoveError: it is to be removed; what an upload of it raises.
    """
    same = Document.objects.filter(scope_id=scope_id, kind=document.kind, content_sha256=document.content_sha256)
    # What was moved there as an earlier version never becomes current.
    same = same.filter(replaced_there_at__isnull=True).exclude(status=DocumentStatus.SUPERSEDED)
    there: Document
    for there in same.order_by("-version", "-id"):
        others = Document.objects.filter(series_id=there.series_id).exclude(status=DocumentStatus.FAILED)
        if there.status != DocumentStatus.FAILED:
            others = others.filter(version__gt=there.version)
        if others.exclude(id=there.id).exists():
            continue
        if (removal := proposal_of(there.id)) is not None:
            raise MoveError("corpus.move_onto_removal", document=there.id, run=removal.id)
        require_open([scope_id])
        require_usable(there.kind)
        if there.status == DocumentStatus.FAILED:
            restart(IngestJob.objects.filter(document=there).latest("requested_at"), there)
        return there
    return None


def _ingest(version: Document, current: Document, scope_id: ScopeId, *, replaces: Document | None = None) -> Document:
    return document_ingest(
        content=bytes(SourceFile.objects.get(document=version).content),
        filename=version.filename,
        scope_id=scope_id,
        # Each version keeps its own: the kind decides which questions reach it.
        kind=version.kind,
        # The id that a version had before it was corrected may be that of another document there.
        metadata=replace(metadata_of(version), external_id=current.external_id),
        replaces=None if replaces is None else replaces.id,
        # An earlier version never joins a document that happens to have the same bytes there.
        same_bytes_again=True,
        moved_from=version.id,
        is_earlier=version is not current,
    ).document
