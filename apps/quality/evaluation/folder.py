"""Read an evaluation folder: documents.jsonl, queries.jsonl and the files that they name.

A line that cannot be understood makes the folder invalid, and the error names every such line. A file that cannot be
used is a failure of its own row only. A value that cannot be true is left out with a note, and the rest is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from apps.corpus.description import InvalidFieldError
from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.services.ingest.metadata import DocumentMetadata, metadata_from_row
from apps.quality.errors import EvaluationError
from apps.quality.evaluation.accepting import Accepts, read_accepts
from apps.quality.evaluation.folder_contents import (
    DEFAULT_KIND,
    Failure,
    Folder,
    FolderDocument,
    FolderQuery,
    RelevantPage,
)
from apps.quality.evaluation.packs import EVALUATION_KINDS
from config.files import OutsideFolderError, inside
from config.strict_json import InvalidJsonError, strict_json

DOCUMENTS: Final = "documents.jsonl"
QUERIES: Final = "queries.jsonl"
# A row that names no kind is filed as a firm with the pack company_research would file it, by what it says it is.
KIND_OF_TYPE: Final[Mapping[str, str]] = {
    DocumentType.FORM_10K: "annual_report",
    DocumentType.FORM_10Q: "quarterly_report",
    DocumentType.FORM_8K: "current_report",
    DocumentType.EARNINGS_RELEASE: "current_report",
    DocumentType.EARNINGS_TRANSCRIPT: "earnings_transcript",
    DocumentType.NEWS_ARTICLE: "news",
}
# What a row may say about its document. Other fields (a sector, a source) are ignored.
_METADATA: Final = (
    "title",
    "company",
    "ticker",
    "document_type",
    "source_type",
    "period",
    "fiscal_year",
    "fiscal_quarter",
    "published_on",
    "language",
    "jurisdictions",
)
_CHARS_OF_A_QUESTION: Final = 4_000
_POLARITIES: Final = ("yes", "no")
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}")


def read_folder(path: Path) -> Folder:
    """Read and check a folder.

    Args:    path: holds documents.jsonl, queries.jsonl and the files that documents.jsonl names.
    Raises:  EvaluationError: with every line that cannot be used, by file and number.
    """
    if not path.is_dir():
        raise EvaluationError("retrieval.evaluation_folder", folder=path, problems="It is not a folder.")
    return _Reading(path.resolve()).folder()


class _Reading:
    """One pass over both files. Problems are collected, so that all are reported at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[str] = []
        self._failures: list[Failure] = []
        self._notes: list[str] = []

    def folder(self) -> Folder:
        listed: dict[str, str] = {}
        documents = [found for place, row in self._rows(DOCUMENTS) if (found := self._document(place, row, listed))]
        asked: dict[str, str] = {}
        known = frozenset(listed)
        queries = [query for place, row in self._rows(QUERIES) if (query := self._query(place, row, asked, known))]
        if not self._problems and not queries:
            self._problems.append(f"{QUERIES} holds no question.")
        if not self._problems and self._failures and not documents:
            # Going on would remove everything that is held for the folder, hours of embedding, because of a wrong path.
            told = "\n".join(f"{failure.file}: {failure.error}" for failure in self._failures)
            self._problems.append(f"None of its documents can be used.\n{told}")
        if self._problems:
            raise EvaluationError("retrieval.evaluation_folder", folder=self._path, problems="\n".join(self._problems))
        return Folder(
            name=self._path.name,
            documents=tuple(documents),
            queries=tuple(queries),
            listed=frozenset(listed),
            failures=tuple(self._failures),
            notes=tuple(self._notes),
        )

    def _rows(self, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield each line's place in words and its object; skip empty lines."""
        try:
            text = (self._path / name).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            self._problems.append(f"{name} is not there.")
            return
        except UnicodeDecodeError as error:
            at = error.object[: error.start].count(b"\n") + 1
            self._problems.append(f"{name}, line {at}: it is not UTF-8.")
            return
        # Not splitlines: a question may hold a line separator that JSON does not escape.
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            place = f"{name}, line {number}"
            try:
                row = strict_json(line.encode())
            except InvalidJsonError as error:
                self._problems.append(f"{place}: it is not JSON ({error}).")
                continue
            if isinstance(row, dict):
                yield place, row
            else:
                self._problems.append(f"{place}: it is not a JSON object.")

    def _document(self, place: str, row: Mapping[str, Any], listed: dict[str, str]) -> FolderDocument | None:
        id_, file = self._text(place, row, "id"), self._text(place, row, "file")
        if id_ is None or file is None or not self._once(place, id_, listed):
            return None
        kind = row.get("kind") or KIND_OF_TYPE.get(str(row.get("document_type")), DEFAULT_KIND)
        try:
            path = inside(self._path, file)
            is_file = path.is_file()
        except OutsideFolderError:
            self._failures.append(Failure(file=file, error=f"{place}: it is outside the folder."))
            return None
        except (OSError, ValueError):
            is_file = False
        if not is_file:
            error = "there is no such file."
        elif kind not in EVALUATION_KINDS:
            error = f"{str(kind)!r} is not a kind. The kinds are: {', '.join(EVALUATION_KINDS)}."
        else:
            return FolderDocument(id=id_, path=path, kind=Kind(kind), metadata=self._metadata(place, row, id_, path))
        self._failures.append(Failure(file=file, error=f"{place}: {error}"))
        return None

    def _metadata(self, place: str, row: Mapping[str, Any], id_: str, path: Path) -> DocumentMetadata:
        """Return what the row says about its document. Leave out what cannot be true, and note it."""
        said = {name: row[name] for name in _METADATA if name in row}
        while True:
            try:
                return metadata_from_row({**said, "external_id": id_}, filename=path.name)
            except InvalidFieldError as error:
                field = str(error.data["field"])
                wrong = [name for name in (field, "period", "fiscal_year", "fiscal_quarter") if name in said]
                if not wrong:
                    raise
                del said[wrong[0]]
                self._notes.append(f"{place}: {error.detail} The document is ingested without it.")

    def _query(
        self, place: str, row: Mapping[str, Any], asked: dict[str, str], listed: frozenset[str]
    ) -> FolderQuery | None:
        id_, text = self._text(place, row, "id"), self._text(place, row, "text", maximum=_CHARS_OF_A_QUESTION)
        relevant = self._relevant(place, row)
        accepts = self._accepts(place, row)
        polarity, language = self._polarity(place, row), self._language(place, row)
        if id_ is None or text is None or relevant is None or not self._once(place, id_, asked):
            return None
        answer, type_ = row.get("answer"), row.get("type")
        unknown = {each.document for each in relevant} - listed
        for name in sorted(unknown):
            self._notes.append(f"{place}: {DOCUMENTS} has no document {name}, so nothing can be found there.")
        return FolderQuery(
            id=id_,
            text=text,
            answer="" if answer is None else str(answer).replace("\x00", ""),
            type=type_.replace("\x00", "")[:200] if isinstance(type_, str) else "",
            relevant=relevant,
            accepts=accepts,
            polarity=polarity,
            language=language,
        )

    def _accepts(self, place: str, row: Mapping[str, Any]) -> Accepts:
        given = row.get("accepts")
        try:
            accepts = read_accepts([] if given is None else given)
        except ValueError as error:
            self._problems.append(f"{place}: {error}")
            return ()
        if accepts and not row.get("relevant"):
            self._problems.append(f'{place}: it has "accepts" and no "relevant" page or document that says so.')
        return accepts

    def _polarity(self, place: str, row: Mapping[str, Any]) -> str:
        given = row.get("polarity")
        if given is None or given in _POLARITIES:
            return given or ""
        self._problems.append(f'{place}: its "polarity" {given!r} is neither "yes" nor "no".')
        return ""

    def _language(self, place: str, row: Mapping[str, Any]) -> str:
        given = row.get("language")
        if given is None or (isinstance(given, str) and _LANGUAGE.fullmatch(given)):
            return given or ""
        self._problems.append(f'{place}: its "language" {given!r} is not a language such as "en" or "de".')
        return ""

    def _relevant(self, place: str, row: Mapping[str, Any]) -> tuple[RelevantPage, ...] | None:
        given = row.get("relevant", [])
        if not isinstance(given, list):
            self._problems.append(f'{place}: "relevant" is not a list.')
            return None
        found: list[RelevantPage] = []
        for each in given:
            document = each.get("document") if isinstance(each, dict) else None
            page = each.get("page") if isinstance(each, dict) else None
            if not isinstance(document, str) or not document:
                self._problems.append(f'{place}: an entry of "relevant" names no "document".')
                return None
            if page is not None and (not isinstance(page, int) or isinstance(page, bool) or page < 1):
                self._problems.append(f'{place}: the page {page!r} of "relevant" is not a whole number from 1.')
                return None
            found.append(RelevantPage(document=document, page=page))
        return tuple(dict.fromkeys(found))

    def _text(self, place: str, row: Mapping[str, Any], name: str, *, maximum: int = 200) -> str | None:
        value = row.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value.strip():
            self._problems.append(f'{place}: it has no "{name}".')
        elif "\x00" in value:
            self._problems.append(f'{place}: its "{name}" holds a null character.')
        elif len(value) > maximum:
            self._problems.append(f'{place}: its "{name}" is longer than {maximum} characters.')
        else:
            return value
        return None

    def _once(self, place: str, id_: str, known: dict[str, str]) -> bool:
        """Return whether the id is new, and remember it."""
        if id_ in known:
            self._problems.append(f"{place}: the id {id_} is already used in {known[id_]}.")
            return False
        known[id_] = place
        return True
