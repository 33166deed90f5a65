"""What a folder of files and its manifest ask for: one planned file a row, each with its own error if it has one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError

from apps.corpus.description import InvalidFieldError
from apps.corpus.kinds import Kind
from apps.corpus.services.ingest_errors import UnknownKindError
from apps.corpus.services.ingest_metadata import DocumentMetadata, metadata_from_row


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """One file to take in; or, where error is not empty, why it can't be."""

    label: str
    path: Path | None = None
    kind: str = ""
    metadata: DocumentMetadata | None = None
    error: str = ""


def plan(
    *, paths: Sequence[Path], manifest: Path | None, defaults: Mapping[str, Any], default_kind: str
) -> list[PlannedFile]:
    """Match files and manifest.

    Args:    paths: files, and folders that are searched through. With a manifest and no paths: all that it names.
             manifest: JSON lines, each with "file" (relative to the manifest) and what metadata_from_row reads; "kind"
                 where it differs from the default.
             defaults: metadata for what the rows leave out.
    Returns: files in the order of their names; rows and paths that are in error among them.
    """
    rows = list(_manifest_rows(manifest)) if manifest else []
    planned = [row for row in rows if isinstance(row, PlannedFile)]
    by_path = {row.path: row.fields for row in rows if isinstance(row, _Row)}
    wanted: list[Path] = []
    for path in paths:
        if path.is_dir():
            wanted += sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file, path))
        elif path.is_file():
            wanted.append(path)
        else:
            planned.append(PlannedFile(label=str(path), error="There is no such file."))
    if not paths:
        wanted = list(by_path)
    own = manifest.resolve() if manifest else None
    planned += [
        _planned(path, {**defaults, **by_path.get(path, {})}, default_kind)
        for path in dict.fromkeys(file.resolve() for file in wanted)
        if path != own
    ]
    return sorted(planned, key=lambda file: file.label)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    path: Path
    fields: Mapping[str, Any]


def _manifest_rows(manifest: Path) -> Iterator[_Row | PlannedFile]:
    with manifest.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _manifest_row(line, f"{manifest.name}, line {number}", manifest.parent)


def _manifest_row(line: str, label: str, folder: Path) -> _Row | PlannedFile:
    try:
        fields = json.loads(line)
    except ValueError:
        return PlannedFile(label=label, error="The line is not a JSON object.")
    if not isinstance(fields, dict):
        return PlannedFile(label=label, error="The line is not a JSON object.")
    name = fields.get("file")
    if not isinstance(name, str) or not name:
        return PlannedFile(label=label, error='The line names no "file".')
    path = folder / name
    if not path.is_file():
        return PlannedFile(label=label, error=f"It names {name}, and there is no such file.")
    return _Row(path=path.resolve(), fields={key: value for key, value in fields.items() if key != "file"})


def _planned(path: Path, fields: Mapping[str, Any], default_kind: str) -> PlannedFile:
    kind = str(fields.get("kind") or default_kind)
    if kind not in Kind.values:
        return PlannedFile(
            label=path.name, error=UnknownKindError(kind=repr(kind), known=", ".join(Kind.values)).detail
        )
    try:
        metadata = metadata_from_row(fields, filename=path.name)
    except InvalidFieldError as error:
        return PlannedFile(label=path.name, error=error.detail)
    return PlannedFile(label=path.name, path=path, kind=kind, metadata=metadata)


def in_one_line(error: ValidationError) -> str:
    """A validation error as one sentence, the field's name first."""
    if hasattr(error, "message_dict"):
        return " ".join(f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
    return " ".join(error.messages)


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)
