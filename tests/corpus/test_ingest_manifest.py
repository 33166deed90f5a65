"""A folder and its manifest: every error has its own row, and the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from apps.corpus.services.ingest_manifest import PlannedFile, plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    for name in ("a.md", "b.md"):
        (tmp_path / "documents" / name).write_text(name)
    return tmp_path


def manifest(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "documents.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def planned(
    folder: Path, *paths: Path, rows: tuple[dict[str, Any] | str, ...] = (), **defaults: str
) -> list[PlannedFile]:
    given = manifest(folder, *rows) if rows else None
    return plan(paths=paths, manifest=given, defaults=defaults, default_kind="run")


def test_files_and_folders_are_found(folder: Path) -> None:
    assert [file.label for file in planned(folder, folder / "documents")] == ["a.md", "b.md"]


def test_a_file_named_twice_is_taken_once(folder: Path) -> None:
    assert len(planned(folder, folder / "documents" / "a.md", folder / "documents", folder / "documents")) == 2


def test_hidden_files_are_passed_over(folder: Path) -> None:
    (folder / "documents" / ".secret").write_text("x")
    assert len(planned(folder, folder / "documents")) == 2


def test_a_path_that_is_not_there_is_an_error_of_its_own(folder: Path) -> None:
    files = planned(folder, folder / "nowhere.md", folder / "documents")
    assert [bool(file.error) for file in files] == [True, False, False]


def test_a_manifest_alone_names_the_files(folder: Path) -> None:
    files = planned(folder, rows=({"file": "documents/b.md", "company": "Bob Ltd"},))
    assert [(file.label, file.metadata and file.metadata.company) for file in files] == [("b.md", "Bob Ltd")]


def test_with_paths_the_manifest_only_describes(folder: Path) -> None:
    rows = ({"file": "documents/a.md", "company": "Alice Ltd"}, {"file": "documents/b.md"})
    files = planned(folder, folder / "documents" / "a.md", rows=rows)
    assert [(file.label, file.metadata and file.metadata.company) for file in files] == [("a.md", "Alice Ltd")]


def test_what_a_row_says_wins_over_the_defaults(folder: Path) -> None:
    rows = ({"file": "documents/a.md", "company": "Alice Ltd"}, {"file": "documents/b.md"})
    companies = [file.metadata.company for file in planned(folder, rows=rows, company="Default") if file.metadata]
    assert companies == ["Alice Ltd", "Default"]


def test_a_row_may_name_its_own_kind(folder: Path) -> None:
    files = planned(folder, rows=({"file": "documents/a.md", "kind": "methodology"}, {"file": "documents/b.md"}))
    assert [file.kind for file in files] == ["methodology", "run"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"file": "documents/missing.md"}, "no such file"),
        ({"file": "documents/a.md", "kind": "novel"}, "no kind 'novel'"),
        ({"file": "documents/a.md", "document_type": "novel"}, "document_type"),
        ({"company": "Alice Ltd"}, 'names no "file"'),
        ("not json", "not a JSON object"),
        ("[1, 2]", "not a JSON object"),
    ],
)
def test_a_bad_row_has_its_own_error_and_the_rest_goes_on(folder: Path, row: Any, said: str) -> None:
    files = planned(folder, rows=(row, {"file": "documents/b.md"}))
    assert sorted(bool(file.error) for file in files) == [False, True]
    assert said in next(file.error for file in files if file.error)


def test_the_manifest_itself_is_not_ingested(folder: Path) -> None:
    files = planned(folder, folder, rows=({"file": "documents/a.md"},))
    assert [file.label for file in files] == ["a.md", "b.md"]
