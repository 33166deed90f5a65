"""Search the parts of stored files that their pages don't show. These parts are extracted only for this search.

The contained reader (apps/corpus/reader) reads each file. This takes time, so it never happens within the transaction
of the search. Therefore `DocumentTexts` does not include these texts; the search reads them document by document.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.corpus.extraction import ExtractionError
from apps.corpus.models import Document, SourceFile
from apps.corpus.reader import hidden_contained
from apps.corpus.searched_texts import DocumentTexts
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import SearchedText, TextLocation
from apps.privacy.people.contracts import Mention, Progress
from apps.privacy.people.describing import describe
from apps.privacy.people.matching import Matcher
from apps.privacy.people.search import mentions_beside, mentions_in
from apps.privacy.requests.details import Details
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

FILES = "corpus.files"


class FileTexts:
    """Reads places in files again, for an excerpt. The search itself gets the texts of files from `find_in_files`."""

    stores: tuple[str, ...] = (FILES,)
    label = "Parts of files that no page shows"
    columns = frozenset({"corpus_sourcefile.content"})

    def count(self) -> int:
        return 0

    def texts(self) -> Iterator[SearchedText]:
        return iter(())

    def text_of(self, place: TextLocation) -> str | None:
        """Return the text of a place, or None. Costs: reads the file again in the open transaction, so only for screens
        that show few places."""
        found = _file_of(place.item_id)
        if found is None:
            return None
        try:
            hidden = hidden_contained(found.content, filename=found.filename)
        except ExtractionError:
            return None
        return next((each.text for each in hidden.texts if each.part == place.part), None)

    def scopes_of(self, places: Sequence[TextLocation]) -> Mapping[TextLocation, tuple[UUID, ...]]:
        found = dict(Document.objects.filter(id__in={place.item_id for place in places}).values_list("id", "scope_id"))
        return {place: (found[place.item_id],) for place in places if place.item_id in found}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _File:
    content: bytes
    filename: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FilesFound:
    """What was found in files. files: how many were searched; unread: documents whose file was not read completely."""

    mentions: tuple[Mention, ...]
    files: int
    unread: tuple[UUID, ...]


def find_in_files(
    details: Details,
    *,
    tenant_id: TenantId,
    reason: str,
    found: Sequence[Mention],
    progress: Progress,
) -> FilesFound:
    """Search the parts of the tenant's files that their pages don't show.

    Call this outside of any transaction or scope. Each file is read from the database in a separate scope, and parsed
    outside of it.

    Args: found: mentions found elsewhere. In documents with a certain mention, weaker matches are reported as well.
          progress: called after each file, outside of any scope.
    """
    matcher = Matcher(describe(details))
    certain = {each.place.target for each in found if each.is_certain}
    with open_scope(tenant=tenant_id, reason=reason):
        ids = list(Document.objects.order_by("id").values_list("id", flat=True))
    mentions: list[Mention] = []
    unread: list[UUID] = []
    for number, id in enumerate(ids, start=1):
        with open_scope(tenant=tenant_id, reason=reason):
            file = _file_of(id)
        if file is not None:
            texts, is_whole = _texts(id, file)
            if not is_whole:
                unread.append(id)
            mentions += _mentions(matcher, texts, id, certain, tenant_id=tenant_id, reason=reason)
        progress(number, len(ids))
    return FilesFound(mentions=tuple(mentions), files=len(ids), unread=tuple(unread))


def _mentions(
    matcher: Matcher,
    texts: Sequence[SearchedText],
    id: UUID,
    certain: set[Target | None],
    *,
    tenant_id: TenantId,
    reason: str,
) -> list[Mention]:
    here = [mention for text in texts for mention in mentions_in(matcher, text)]
    target = Target(type=TargetType.DOCUMENT, id=id)
    if any(mention.is_certain for mention in here) and target not in certain:
        # The pages were searched before there was a certain mention in this document, so search them for weaker ones.
        with open_scope(tenant=tenant_id, reason=reason):
            pages = list(DocumentTexts().texts_of(id))
        first = [mention for text in pages for mention in mentions_in(matcher, text)]
        beside = mentions_beside(matcher, pages, first)
        return [*here, *beside, *mentions_beside(matcher, texts, here)]
    if target in certain or any(mention.is_certain for mention in here):
        return [*here, *mentions_beside(matcher, texts, here)]
    return here


def _texts(id: UUID, file: _File) -> tuple[list[SearchedText], bool]:
    """Return the texts that could be read from the file, and whether they are complete."""
    try:
        hidden = hidden_contained(file.content, filename=file.filename)
    except ExtractionError:
        return [], False
    target = Target(type=TargetType.DOCUMENT, id=id)
    return [
        SearchedText(place=TextLocation(store=FILES, item_id=id, part=each.part, target=target), text=each.text)
        for each in hidden.texts
    ], not hidden.unread


def _file_of(document_id: UUID) -> _File | None:
    row = SourceFile.objects.filter(document_id=document_id).values_list("content", "document__filename").first()
    return _File(content=bytes(row[0]), filename=row[1]) if row else None
