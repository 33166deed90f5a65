"""Bring the dataset's scope to what its folder holds: ingest new documents, and remove those that left the folder.

A file is identified by its bytes and its kind. Jobs run in this command if no worker runs them. If the command is
stopped, the next run continues where this one stopped, since jobs are rows (apps/corpus/jobs.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID

from apps.corpus.batches.batch import Batch, BatchFile
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services.documents import document_delete
from apps.corpus.services.ingest.manifest import PlannedFile
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.errors import ApplicationError
from apps.quality.evaluation.contracts import Watcher
from apps.quality.evaluation.folder_contents import Failure, Folder, FolderDocument
from apps.quality.evaluation.tenant import REASON
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId

# A document that states none of these has their defaults, whatever was read from it later.
_UNSAID: Final = (DocumentType.OTHER, SourceType.INTERNAL, "", None, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The documents that are searched after loading.

    keys: series of each document, by its id in the folder; absent for one that failed.
    names: the first id of each series, by series.
    ingested: how many documents were read in this run. removed: how many versions were removed.
    corpus_sha256: digest of the ids, kinds, bytes and stated facts of the documents, independent of the program that
        read them.
    """

    keys: Mapping[str, str]
    names: Mapping[str, str]
    documents: int
    chunks: int
    ingested: int
    removed: int
    corpus_sha256: str
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]


def load(folder: Folder, *, tenant_id: TenantId, scope_id: ScopeId, watcher: Watcher, anew: bool = False) -> Loaded:
    """Ingest, replace and remove until the scope holds the folder's documents and no others.

    Args: anew: remove everything first, so that all files are read again, for a change in how files are read.
    """
    return _Loading(folder, tenant_id, scope_id, watcher).through(anew=anew)


class _Loading:
    def __init__(self, folder: Folder, tenant_id: TenantId, scope_id: ScopeId, watcher: Watcher) -> None:
        self._folder = folder
        self._tenant_id, self._scope_id = tenant_id, scope_id
        self._watcher = watcher
        self._batch = Batch(tenant_id=tenant_id, scope_id=scope_id, reason=REASON)
        self._failures: list[Failure] = list(folder.failures)
        self._notes: list[str] = []
        self._removed = 0

    def through(self, *, anew: bool) -> Loaded:
        for failure in self._folder.failures:
            self._watcher.say(f"{failure.file}: {failure.error}")
        hashed = self._hashed()
        if anew:
            self._remove(self._documents())
        self._take_in(hashed)
        self._run()
        wanted = {content for _, content in hashed}
        there = self._documents()
        found = {(each.kind, each.content_sha256): each for each in there if each.status == DocumentStatus.READY}
        series = {found[content].series_id for content in wanted if content in found}
        self._remove(each for each in there if self._has_left(each, wanted, series))
        return self._loaded(hashed, found)

    def _hashed(self) -> list[tuple[FolderDocument, tuple[str, str]]]:
        """Return each document with its kind and the SHA-256 of its bytes, and note documents with the same bytes."""
        self._watcher.begin("Looking for changes", len(self._folder.documents))
        hashed: list[tuple[FolderDocument, tuple[str, str]]] = []
        first: dict[tuple[str, str], str] = {}
        for number, document in enumerate(self._folder.documents, start=1):
            try:
                with document.path.open("rb") as file:
                    content = (document.kind.value, hashlib.file_digest(file, "sha256").hexdigest())
            except OSError as error:
                self._fail(document.path.name, f"It can't be read: {error.strerror}.")
                continue
            if content in first:
                self._notes.append(
                    f"{document.id} has the same bytes as {first[content]}, and counts as the same document."
                )
            first.setdefault(content, document.id)
            hashed.append((document, content))
            self._watcher.progress(number)
        return hashed

    def _take_in(self, hashed: list[tuple[FolderDocument, tuple[str, str]]]) -> None:
        there = {
            (each.kind, each.content_sha256): each
            for each in self._documents()
            if each.status != DocumentStatus.SUPERSEDED
        }
        once = {content: document for document, content in reversed(hashed)}
        known = [each for content, each in there.items() if content in once]
        self._remove(
            each for each in known if not _says(each, once[(each.kind, each.content_sha256)].metadata, self._notes)
        )
        new = [
            document
            for content, document in once.items()
            if content not in there or not _is_kept(there[content], document.metadata)
        ]
        self._watcher.begin("Receiving", len(new))
        for number, document in enumerate(reversed(new), start=1):
            taken = self._batch.take_in(
                PlannedFile(
                    label=document.path.name, path=document.path, kind=document.kind.value, metadata=document.metadata
                )
            )
            if taken.error:
                self._fail(taken.label, taken.error)
            self._watcher.progress(number, f"{number} of {len(new)} files")

    def _run(self) -> None:
        waiting = [file for file in self._batch.files if not file.error]
        if not waiting:
            return
        self._watcher.begin("Embedding", sum(file.byte_size for file in waiting))
        self._batch.run(on_change=lambda: self._watcher.progress(*_state(waiting)))
        for file in waiting:
            if file.error:
                self._fail(file.label, file.error)

    def _fail(self, file: str, error: str) -> None:
        self._failures.append(Failure(file=file, error=error))
        self._watcher.say(f"{file}: {error}")

    def _documents(self) -> list[Document]:
        with open_scope(tenant=self._tenant_id, scopes=[self._scope_id], reason=REASON):
            return list(Document.objects.filter(scope_id=self._scope_id).order_by("created_at", "id"))

    @staticmethod
    def _has_left(document: Document, wanted: set[tuple[str, str]], series: set[UUID]) -> bool:
        """Return whether a document is to be removed. Earlier versions of documents in the folder stay, as history."""
        if document.status == DocumentStatus.SUPERSEDED:
            return document.series_id not in series
        return (document.kind, document.content_sha256) not in wanted

    def _remove(self, documents: Iterable[Document]) -> None:
        for document in documents:
            try:
                with open_scope(tenant=self._tenant_id, scopes=[self._scope_id], reason=REASON):
                    document_delete(document_id=document.id)
            except ApplicationError as error:
                self._notes.append(
                    f"{document.filename} is still searched, although it was removed from the folder: {error.detail}"
                )
            else:
                self._removed += 1

    def _loaded(
        self, hashed: list[tuple[FolderDocument, tuple[str, str]]], found: Mapping[tuple[str, str], Document]
    ) -> Loaded:
        held = [(document, found[content]) for document, content in hashed if content in found]
        names: dict[str, str] = {}
        for document, stored in held:
            names.setdefault(str(stored.series_id), document.id)
        documents = {stored.id: stored for _, stored in held}
        return Loaded(
            keys={document.id: str(stored.series_id) for document, stored in held},
            names=names,
            documents=len(documents),
            chunks=sum(document.chunk_count for document in documents.values()),
            ingested=sum(not file.error and (file.created or file.embedded_now > 0) for file in self._batch.files),
            removed=self._removed,
            corpus_sha256=_fingerprint(held),
            failures=tuple(self._failures),
            notes=(*self._folder.notes, *self._notes),
        )


def _is_kept(document: Document, metadata: DocumentMetadata) -> bool:
    return bool(document.status == DocumentStatus.READY) and not _differing(document, metadata)


def _says(document: Document, metadata: DocumentMetadata, notes: list[str]) -> bool:
    """Return whether the document states what its row states. If not, it is read again.

    Stated facts stand in every passage, so they cannot be changed without reading the document again.
    """
    differing = _differing(document, metadata)
    if differing:
        notes.append(f"{metadata.external_id} is read again, because its row has changed ({', '.join(differing)}).")
    return not differing


def _differing(document: Document, metadata: DocumentMetadata) -> list[str]:
    said = {name: value for name, value in asdict(metadata).items() if value not in _UNSAID}
    held = {name: getattr(document, name) for name in said}
    return [name for name, value in said.items() if (list(value) if isinstance(value, tuple) else value) != held[name]]


def _state(files: list[BatchFile]) -> tuple[float, str]:
    done = sum(file.byte_size * (file.progress.fraction if file.progress else 0.0) for file in files)
    passages = sum(file.embedded_now for file in files)
    ended = sum(file.is_finished for file in files)
    return done, f"{ended} of {len(files)} files, {passages:,} passages"


def _fingerprint(held: list[tuple[FolderDocument, Document]]) -> str:
    lines = sorted(
        json.dumps(
            [document.id, stored.kind, stored.content_sha256, asdict(document.metadata)],
            sort_keys=True,
            default=str,
            ensure_ascii=False,
        )
        for document, stored in held
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
