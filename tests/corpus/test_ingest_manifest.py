"""A folder and its manifest: every error has its own row, and the rest goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.corpus.services.ingest.manifest import PlannedFile, plan
from apps.corpus.services.ingest.metadata import KNOWN_KEYS, metadata_from_row
from apps.intents.baseline import baseline_snapshot
from apps.intents.kinds import kinds_of

KINDS = kinds_of(baseline_snapshot())


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


def written(folder: Path, *lines: bytes) -> list[PlannedFile]:
    """What a manifest of these lines plans, byte for byte."""
    path = folder / "documents.jsonl"
    path.write_bytes(b"\n".join(lines))
    return plan(paths=(), manifest=path, defaults={}, default_kind="run", kinds=KINDS)


def planned(
    folder: Path, *paths: Path, rows: tuple[dict[str, Any] | str, ...] = (), **defaults: str
) -> list[PlannedFile]:
    given = manifest(folder, *rows) if rows else None
    return plan(paths=paths, manifest=given, defaults=defaults, default_kind="run", kinds=KINDS)


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
        ('{"file": "documents/a.md", "title": "a\\u0000b"}', "null character"),
        ('{"file": "documents/a.md", "jurisdictions": ["a\\u0000b"]}', "null character"),
        ('{"file": "documents/a.md", "title": "\\ud800"}', "half a surrogate pair"),
        ('{"file": "documents/\\udc41.md"}', "half a surrogate pair"),
        ("[" * 100_000, "nested too deeply"),
        ('{"file": "documents/a.md", "company": ' + "[" * 500 + "]" * 500 + "}", "is nested"),
        ({"file": "documents/a.md", "company": {"name": "Alice Ltd"}}, "is nested"),
        ({"file": "documents/a.md", "compny": "Alice Ltd"}, 'Is "company" meant?'),
        ({"file": "documents/a.md", "Title": "A"}, 'Is "title" meant?'),
        ('{"file": "documents/a.md", "title": "A", "title": "B"}', "'title' stands twice"),
        ('{"file": "documents/a.md", "period": NaN}', "no JSON number"),
        ('{"file": "documents/a.md", "period": 1e400}', "too large"),
        ({"file": "documents/a.md", "period": "the other day"}, "period can't be"),
    ],
)
def test_a_bad_row_has_its_own_error_and_the_rest_goes_on(folder: Path, row: Any, said: str) -> None:
    files = planned(folder, rows=(row, {"file": "documents/b.md"}))
    assert sorted(bool(file.error) for file in files) == [False, True]
    refused = next(file for file in files if file.error)
    assert said in refused.error
    assert "documents.jsonl, line 1" in (refused.label, refused.place)


def test_a_line_that_is_not_utf_8_is_told_with_its_number(folder: Path) -> None:
    files = written(folder, b'{"file": "documents/a.md", "company": "M\xfcller"}', b'{"file": "documents/b.md"}')
    assert [(file.label, bool(file.error)) for file in files] == [("b.md", False), ("documents.jsonl, line 1", True)]
    assert "not UTF-8" in files[1].error


def test_a_line_separator_within_a_string_ends_no_line(folder: Path) -> None:
    [file] = written(folder, '\ufeff{"file": "documents/a.md", "company": "Alice\u2028Ltd"}'.encode())
    assert file.metadata is not None
    assert file.metadata.company == "Alice Ltd"


def test_a_file_that_two_lines_describe_is_not_taken_and_both_are_named(folder: Path) -> None:
    rows = ({"file": "documents/a.md", "company": "A"}, {"file": "documents/b.md"}, {"file": "./documents/a.md"})
    files = planned(folder, rows=rows)
    assert [(file.label, file.error) for file in files if file.error] == [
        (f"documents.jsonl, line {line}", "a.md is described by lines 1 and 3. Keep one of them; it was not ingested.")
        for line in (1, 3)
    ]
    assert [file.label for file in files if not file.error] == ["b.md"]
    assert [file.label for file in planned(folder, folder / "documents", rows=rows) if not file.error] == ["b.md"]


def test_a_key_that_is_not_known_is_told_and_the_file_taken(folder: Path) -> None:
    [file] = planned(folder, rows=({"file": "documents/a.md", "sector": "Industrials"},))
    assert (file.error, file.place) == ("", "documents.jsonl, line 1")
    assert file.notes == ('The key "sector" is not known, and was ignored.',)


def test_every_key_that_is_known_is_read(folder: Path) -> None:
    values = {"document_type": "10k", "doc_type": "10k", "type": "10k", "source_type": "news", "fiscal_quarter": 1}
    values |= {"published_on": "2023-01-31", "published": "2023-01-31", "filing_date": "2023-01-31"}
    values |= {"date": "2023-01-31", "language": "de", "jurisdictions": ["EU"], "jurisdiction": "EU", "period": 2023}
    plain = metadata_from_row({"fiscal_year": 2022}, filename="a.md")
    for key in KNOWN_KEYS:
        row = {"fiscal_year": 2022, key: values.get(key, 2021)}
        assert metadata_from_row(row, filename="a.md") != plain or key == "period", key


def test_a_name_of_no_utf_8_can_be_shown(folder: Path) -> None:
    (folder / "documents" / os.fsdecode(b"b\xfc.md")).write_text("x")
    labels = [file.label for file in planned(folder, folder / "documents")]
    assert "b\ufffd.md" in labels
    assert "".join(labels).encode()


def test_the_manifest_itself_is_not_ingested(folder: Path) -> None:
    files = planned(folder, folder, rows=({"file": "documents/a.md"},))
    assert [file.label for file in files] == ["a.md", "b.md"]


# --- a manifest reads no file that lies elsewhere ---

OUTSIDE = "the keys of the server"


@pytest.fixture
def outside(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file beside the folder, to which ways lead."""
    secret = tmp_path_factory.mktemp("elsewhere") / "secret.md"
    secret.write_text(OUTSIDE)
    (folder / "documents" / "link.md").symlink_to(secret)
    (folder / "away").symlink_to(secret.parent)
    (folder / "documents" / "here.md").symlink_to(folder / "documents" / "a.md")
    return secret


def ways(folder: Path, outside: Path) -> tuple[str, ...]:
    return (
        str(outside),
        os.path.relpath(outside, folder),
        f"documents/../{os.path.relpath(outside, folder)}",
        "documents/link.md",
        "away/secret.md",
        "/etc/passwd",
        "/proc/self/environ",
    )


def read(files: list[PlannedFile]) -> str:
    return "".join(file.path.read_text() for file in files if file.path)


def test_a_manifest_names_no_file_outside_its_folder(folder: Path, outside: Path) -> None:
    named = ways(folder, outside)
    assert all((folder / name).is_file() for name in named), "each leads to a file"
    files = planned(folder, rows=tuple({"file": name} for name in named))
    assert [file.error for file in files] == [
        f"It names {name}, which is outside the manifest's folder." for name in named
    ]
    assert read(files) == ""


def test_without_the_check_it_would(folder: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.corpus.services.ingest.manifest.inside", lambda folder, name: (folder / name).resolve())
    assert OUTSIDE in read(planned(folder, rows=({"file": "documents/link.md"},)))


def test_a_link_within_the_folder_is_followed(folder: Path, outside: Path) -> None:
    assert read(planned(folder, rows=({"file": "documents/here.md"}, {"file": "./documents/../documents/b.md"}))) == (
        "a.mdb.md"
    )


def test_a_link_that_was_put_into_a_folder_is_not_followed_out(folder: Path, outside: Path) -> None:
    files = planned(folder, folder / "documents")
    assert read(files) == "a.mdb.md"
    [refused] = [file for file in files if file.error]
    assert refused.error == "It is a link that leads out of the folder."


@pytest.mark.parametrize("name", ["a\x00b.md", "a" * 5_000, "documents", "documents/"])
def test_what_is_no_file_s_name_is_an_error_of_its_row(folder: Path, name: str) -> None:
    [file] = planned(folder, rows=({"file": name},))
    assert "there is no such file" in file.error
