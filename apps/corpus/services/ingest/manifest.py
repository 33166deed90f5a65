"""Read a folder of files and its manifest into planned files: one per row, each with its own error if it has one."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ValidationError

from apps.corpus.description import InvalidFieldError
from apps.corpus.registry import KindInForce
from apps.corpus.services.ingest.kind import kind_problem
from apps.corpus.services.ingest.metadata import KNOWN_KEYS, DocumentMetadata, metadata_from_row
from config.files import OutsideFolderError, inside
from config.strict_json import InvalidJsonError, strict_json

_LEADS_OUT: Final = "It is a link that leads out of the folder."
_KEYS: Final = frozenset({"file", "kind"}) | KNOWN_KEYS
_ALIKE: Final = 0.75  # "compny" is 0.92 of "company"; no sector, source or url comes near a known key
# What a terminal or UTF-8 rejects: control characters, and lone surrogates for the non-UTF-8 bytes of a file name.
_NOT_PRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """One file to ingest, or the error that prevents it.

    place: the manifest's line that describes the file. notes: what was ignored in that line.
    """

    label: str
    path: Path | None = None
    kind: str = ""
    metadata: DocumentMetadata | None = None
    error: str = ""
    place: str = ""
    notes: tuple[str, ...] = ()


def plan(
    *,
    paths: Sequence[Path],
    manifest: Path | None,
    defaults: Mapping[str, Any],
    default_kind: str,
    kinds: Sequence[KindInForce],
) -> list[PlannedFile]:
    """Match the files with the rows of the manifest.

    Args:    paths: files, and folders that are searched recursively. With a manifest and no paths: every file that the
                 manifest names.
             manifest: JSON lines, each with "file" (in the manifest's folder or below), the fields that
                 metadata_from_row reads, and "kind" where it differs from the default. A file that two lines describe
                 is refused, because it is unclear which line is meant.
             defaults: metadata for what the rows leave out.
             kinds: those of the policy in force.
    Returns: files in the order of their names, including the rows and paths that have an error.
    Raises:  OSError: the manifest can't be read.
    """
    rows = list(_manifest_rows(manifest)) if manifest else []
    planned = [row for row in rows if isinstance(row, PlannedFile)]
    by_path: dict[Path, list[_Row]] = defaultdict(list)
    for row in rows:
        if isinstance(row, _Row):
            by_path[row.path].append(row)
    wanted: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file, path))
            planned += [
                PlannedFile(label=printable(str(file)), error=_LEADS_OUT) for file in found if not _stays(file, path)
            ]
            wanted += [file for file in found if _stays(file, path)]
        elif path.is_file():
            wanted.append(path)
        else:
            planned.append(PlannedFile(label=printable(str(path)), error="There is no such file."))
    if not paths:
        wanted = list(by_path)
    own = manifest.resolve() if manifest else None
    for file in dict.fromkeys(file.resolve() for file in wanted):
        lines = by_path.get(file, [])
        if len(lines) > 1:
            planned += _described_twice(file, lines)
        elif file != own:
            planned.append(_planned(file, lines[0] if lines else None, defaults, default_kind, kinds))
    return sorted(planned, key=lambda file: file.label)


def printable(text: str) -> str:
    """Return a name that can be shown and stored, with the replacement character for anything else."""
    return _NOT_PRINTABLE.sub("\ufffd", text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A line that names an existing file. place: for example "documents.jsonl, line 3"."""

    path: Path
    place: str
    fields: Mapping[str, Any]
    notes: tuple[str, ...]


def _manifest_rows(manifest: Path) -> Iterator[_Row | PlannedFile]:
    # Read lines of bytes: a line that is not UTF-8 is then an error of that line alone, and a line separator inside a
    # JSON string does not split the line.
    with manifest.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if line.strip():
                yield _manifest_row(line, f"{manifest.name}, line {number}", manifest.parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRow:
    """The contents of one manifest line. name: the file. notes: what was ignored in the line."""

    name: str
    fields: Mapping[str, Any]
    notes: tuple[str, ...]


class UnusableLineError(ValueError):
    """A line of a manifest can't be used; the message says why, as a sentence."""


def read_line(line: bytes) -> ManifestRow:
    """Parse one line of a manifest, from a folder or from a request. Raises: UnusableLineError."""
    try:
        fields = strict_json(line)
    except InvalidJsonError as error:
        raise UnusableLineError(f"The line is not a JSON object: {error}.") from None
    if not isinstance(fields, dict):
        raise UnusableLineError("The line is not a JSON object.")
    if problem := _unusable(fields):
        raise UnusableLineError(problem)
    name = fields.get("file")
    if not isinstance(name, str) or not name:
        raise UnusableLineError('The line names no "file".')
    passed_over = [f'The key "{printable(key)[:60]}" is not known, and was ignored.' for key in fields.keys() - _KEYS]
    return ManifestRow(
        name=name,
        fields={key: value for key, value in fields.items() if key in _KEYS and key != "file"},
        notes=tuple(sorted(passed_over)),
    )


def _manifest_row(line: bytes, place: str, folder: Path) -> _Row | PlannedFile:
    try:
        row = read_line(line)
    except UnusableLineError as error:
        return PlannedFile(label=place, error=str(error))
    try:
        path = inside(folder, row.name)
        is_file = path.is_file()
    except OutsideFolderError:
        said = f"It names {printable(row.name)}, which is outside the manifest's folder."
        return PlannedFile(label=place, error=said)
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        return PlannedFile(label=place, error=f"It names {printable(row.name)}, and there is no such file.")
    return _Row(path=path, place=place, fields=row.fields, notes=row.notes)


def _unusable(fields: Mapping[str, Any]) -> str:
    """Return why a row can't be used, or "": a value can't be read or stored, or a key is a misspelt known key.

    The value of a misspelt key would be lost without notice.
    """
    for key, value in fields.items():
        parts = value if isinstance(value, list) else [value]
        if any(isinstance(part, (dict, list)) for part in parts):
            return f'The value of "{printable(key)[:60]}" is nested; a text, a number or a list of texts can be read.'
        if key != "file" and any("\x00" in text for text in (key, *parts) if isinstance(text, str)):
            return f'The value of "{printable(key)[:60]}" contains a null character.'
        if key not in _KEYS and (alike := difflib.get_close_matches(key.lower(), _KEYS, n=1, cutoff=_ALIKE)):
            return f'There is no key "{printable(key)[:60]}". Is "{alike[0]}" meant?'
    return ""


def _described_twice(path: Path, rows: Sequence[_Row]) -> Iterator[PlannedFile]:
    places = " and ".join(row.place.rpartition(" ")[2] for row in rows)
    for row in rows:
        error = f"{printable(path.name)} is described by lines {places}. Keep one of them; it was not ingested."
        yield PlannedFile(label=row.place, error=error)


def _planned(
    path: Path, row: _Row | None, defaults: Mapping[str, Any], default_kind: str, kinds: Sequence[KindInForce]
) -> PlannedFile:
    label, place = printable(path.name), row.place if row else ""
    fields = {**defaults, **(row.fields if row else {})}
    kind = str(fields.get("kind") or default_kind)
    problem = kind_problem(kind, kinds)
    if problem is not None:
        return PlannedFile(label=label, place=place, error=problem.detail)
    try:
        metadata = metadata_from_row(fields, filename=path.name)
    except InvalidFieldError as error:
        return PlannedFile(label=label, place=place, error=error.detail)
    return PlannedFile(
        label=label, path=path, kind=kind, metadata=metadata, place=place, notes=row.notes if row else ()
    )


def in_one_line(error: ValidationError) -> str:
    """Return a validation error as one line, with the field's name before its messages."""
    if hasattr(error, "message_dict"):
        return " ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
    return " ".join(error.messages)


def _stays(file: Path, folder: Path) -> bool:
    """Return whether a file found in a folder really lies there, since a link may lead anywhere."""
    return file.resolve().is_relative_to(folder.resolve())


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
