"""What an evaluation folder holds, as folder.py reads it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from apps.corpus.kinds import Kind
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.intents.fund_house import FundHouse
from apps.quality.evaluation.accepting import Accepts

DEFAULT_KIND: Final = FundHouse.REFERENCE_REPORT


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A document of the folder that is not in the corpus, and the reason."""

    file: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderDocument:
    """A row of documents.jsonl whose file exists."""

    id: str
    path: Path
    kind: Kind
    metadata: DocumentMetadata


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantPage:
    """An expected document or page. page: from 1; None if finding the document is enough."""

    document: str
    page: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderQuery:
    """A row of queries.jsonl; contracts.py says what its fields mean.

    relevant: empty for a question whose answer is not in the corpus.
    """

    id: str
    text: str
    answer: str
    type: str
    relevant: tuple[RelevantPage, ...]
    accepts: Accepts = ()
    polarity: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The content of a folder. listed: the ids of all rows, including those with errors."""

    name: str
    documents: tuple[FolderDocument, ...]
    queries: tuple[FolderQuery, ...]
    listed: frozenset[str]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...]

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(document.kind for document in self.documents) or frozenset({DEFAULT_KIND})
