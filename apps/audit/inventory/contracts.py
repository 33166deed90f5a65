"""What an inventory needs of the floors above: how a person is found, and what can be done with documents.

Registered in AppConfig.ready; this floor knows neither a document nor how names are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar
from uuid import UUID

from apps.audit.erasure.contracts import Target
from apps.audit.erasure.searched import Place
from apps.audit.requests.details import Details
from apps.tenants.ids import TenantId

T = TypeVar("T")
Progress = Callable[[int, int], None]  # texts done, and about how many there are


class Mentioned(Protocol):
    """A stretch of a text that may name the person; without the text. confidence: 0 to 1, a ranking."""

    @property
    def place(self) -> Place: ...
    @property
    def char_start(self) -> int: ...
    @property
    def char_end(self) -> int: ...
    @property
    def how(self) -> str: ...
    @property
    def matched(self) -> str: ...
    @property
    def confidence(self) -> float: ...
    @property
    def is_certain(self) -> bool: ...


class Search(Protocol):
    """A search under way, in the open scope: iterated once."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def unreadable(self) -> int: ...

    def __iter__(self) -> Iterator[Mentioned]: ...


class PersonFinder(Protocol):
    def __call__(self, details: Details, *, progress: Progress) -> Search:
        """Begin to look for the person through all texts of the open scope, and record that it was done.

        progress: called every few hundred texts, whether anything was found in them or not.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A stretch of a document's text that a person confirmed: of a page (its number), or of a field (its name)."""

    page: int | None
    part: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of any text, without the text: characters from start up to end."""

    place: Place
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Passage:
    """What a passage reads like now and would read like, in pieces: (text, whether it is what changes)."""

    where: str
    before: tuple[tuple[str, bool], ...]
    after: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFacts:
    """A document as the screen names it. is_current: the version that is searched, which alone can be redacted.

    detail: kind, scope, version and status in English. kind, status: their codes, for who says it in another language.
    """

    id: UUID
    name: str
    detail: str
    kind: str
    scope: str
    version: int
    status: str
    scope_id: UUID
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedState:
    """How far a redacted version is. number: which version of its document it is, from 1. ready_at: since when its text
    is there to be searched."""

    number: int
    is_ready: bool
    is_failed: bool
    percent: int
    ready_at: datetime | None = None
    error_code: str = ""


class Documents(Protocol):
    """All of it in the open scope."""

    def facts(self, ids: Iterable[UUID]) -> Mapping[UUID, DocumentFacts]: ...

    def previews(self, document_id: UUID, spots: Sequence[Spot]) -> Sequence[Passage]:
        """What the document will read like, passage by passage."""
        ...

    def redact(self, document_id: UUID, spots: Sequence[Spot]) -> UUID:
        """Make its next version without these stretches; the worker makes it searchable. Returns: that version's id.

        Raises: ApplicationError. Takes as long as reading the file does. The same once more gives the same version.
        """
        ...

    def redacted(self, ids: Iterable[UUID]) -> Mapping[UUID, RedactedState]: ...

    def try_again(self, id: UUID) -> None:
        """Put a redacted version whose making failed back to work."""
        ...

    def versions_before(self, ids: Iterable[UUID]) -> Sequence[Target]:
        """All versions of the same documents that are older than one of these. Costs: two queries."""
        ...

    def same_places(
        self, *, before: Sequence[Stretch], removed: Sequence[Stretch], after: Sequence[Stretch]
    ) -> Mapping[Stretch, Stretch]:
        """Which places of a redacted version are certainly places of the version that it was made of.

        Certainly: the text that a place stands in is the old one with nothing but the removed stretches marked, and the
        place is where that puts the old one.

        Args:    before: all places of the old version that are known, whatever was decided of them; removed: what was
                 taken out of it; after: places of the new version.
        Returns: by place of the new version, the one of the old; without those that are not certain.
        Costs:   a query for each text that holds a place.
        """
        ...


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Named:
    """text[start:end]. is_certain: needs a look and not a decision."""

    start: int
    end: int
    is_certain: bool


class WordFinder(Protocol):
    def __call__(self, phrases: Sequence[str], /) -> Callable[[str], Sequence[Named]]:
        """Names, addresses, numbers or other words about somebody, ready to be looked for in texts: as the search for
        a person would find them, in all spellings that it knows."""
        ...


FileSearchProgress = Callable[[int, int], None]  # files done, of how many


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FilesFound:
    """files: how many were looked into; unread: the documents whose file could not be read, or not all of it."""

    mentions: tuple[Mentioned, ...]
    files: int
    unread: tuple[UUID, ...]


class FileFinder(Protocol):
    def __call__(
        self,
        details: Details,
        *,
        tenant_id: TenantId,
        reason: str,
        found: Sequence[Mentioned],
        progress: FileSearchProgress,
    ) -> FilesFound:
        """Look for the person in what the files of the tenant hold beside their pages.

        Not within a transaction or a scope: each file is read from the database in one of its own, and taken apart
        outside of it.

        Args: found: what was found elsewhere; of these documents less is enough to be offered as uncertain.
              progress: called after each file, outside of any scope.
        """
        ...


_file_finders: list[FileFinder] = []
_finders: list[PersonFinder] = []
_word_finders: list[WordFinder] = []
_documents: list[Documents] = []


def register_person_finder(finder: PersonFinder) -> None:
    _once(_finders, finder)


def register_documents(documents: Documents) -> None:
    _once(_documents, documents)


def register_file_finder(finder: FileFinder) -> None:
    _once(_file_finders, finder)


def file_finder() -> FileFinder:
    return _file_finders[0]


def register_word_finder(finder: WordFinder) -> None:
    _once(_word_finders, finder)


def find_words(phrases: Sequence[str]) -> Callable[[str], Sequence[Named]]:
    return _word_finders[0](phrases)


def person_finder() -> PersonFinder:
    return _finders[0]


def documents() -> Documents:
    return _documents[0]


def _once(there: list[T], new: T) -> None:
    if there and type(there[0]) is not type(new):
        raise ValueError("an inventory asks one source, and another is registered already")
    there[:] = there[:1] or [new]
