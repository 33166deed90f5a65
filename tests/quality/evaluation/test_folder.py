"""Reading an evaluation folder: every line that can't be used is named, and a file that can't be is one failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.intents.fund_house import FundHouse
from apps.quality.evaluation.folder import read_folder
from apps.quality.evaluation.folder_contents import RelevantPage
from tests.quality.evaluation.folders import DOCUMENTS, QUERIES, write_lines
from tests.raising import raises_code


def problems(folder: Path) -> str:
    with raises_code("retrieval.evaluation_folder") as raised:
        read_folder(folder)
    return raised.value.detail


def changed(position: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**row, **fields} if place == position else row for place, row in enumerate(DOCUMENTS)]


def test_a_folder_is_read_with_its_kinds_and_periods(folder: Path) -> None:
    read = read_folder(folder)
    assert (read.name, read.kinds) == ("reports", {FundHouse.REFERENCE_REPORT, FundHouse.COMPLIANCE_PROFILE})
    assert [(each.id, each.metadata.fiscal_year) for each in read.documents] == [
        ("kestrel-2022", 2022),
        ("kestrel-2023", 2023),
        ("dealing", None),
    ]
    assert [each.id for each in read.queries] == ["drawdown", "dealing", "nowhere"]
    assert read.queries[0].relevant == (RelevantPage(document="kestrel-2023", page=1),)
    assert (read.failures, read.notes) == ((), ())


def test_every_line_that_cannot_be_used_is_named_with_its_file_and_number(folder: Path) -> None:
    lines = (folder / "documents.jsonl").read_text()
    (folder / "documents.jsonl").write_text(
        f'\n{lines}{{"id": \n["a"]\n{{"id": "dealing", "file": "x"}}\n{{"id": "y"}}\n'
    )
    write_lines(
        folder / "queries.jsonl",
        [
            {"id": "a", "text": "What?", "relevant": "kestrel-2022"},
            {"id": "b", "text": "What?", "relevant": [{"page": 3}]},
            {"id": "c", "text": "What?", "relevant": [{"document": "dealing", "page": 0}]},
            {"id": "d", "text": " "},
        ],
    )
    found = problems(folder)
    for place in (
        "documents.jsonl, line 5: it is not JSON",
        "documents.jsonl, line 6: it is not a JSON object",
        "documents.jsonl, line 7: the id dealing is already used in documents.jsonl, line 4",
        'documents.jsonl, line 8: it has no "file"',
        'queries.jsonl, line 1: "relevant" is not a list',
        'queries.jsonl, line 2: an entry of "relevant" names no "document"',
        "queries.jsonl, line 3: the page 0",
        'queries.jsonl, line 4: it has no "text"',
    ):
        assert place in found


def test_what_a_right_answer_says_is_read(folder: Path) -> None:
    said = {"accepts": [["12.5%", "12.5 %"], ["2023"]], "polarity": "yes", "language": "en"}
    write_lines(folder / "queries.jsonl", [{**QUERIES[0], **said}, {**QUERIES[2], "accepts": []}])
    first, second = read_folder(folder).queries
    assert (first.accepts, first.polarity, first.language) == ((("12.5%", "12.5 %"), ("2023",)), "yes", "en")
    assert (second.accepts, second.polarity, second.language) == ((), "", "")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"accepts": "12.5%"}, "is not a list of lists"),
        ({"accepts": ["12.5%"]}, "is not a list of lists"),
        ({"accepts": [[]]}, "is not a list of lists"),
        ({"accepts": [[12.5]]}, "is no string"),
        ({"accepts": [["12.5%", " * "]]}, "nothing to find"),
        ({"accepts": [["a\x00"]]}, "null character"),
        ({"accepts": [["a" * 301]]}, "longer than 300 characters"),
        ({"accepts": [["12.5%"]], "relevant": []}, 'no "relevant" page'),
        ({"polarity": "maybe"}, 'neither "yes" nor "no"'),
        ({"polarity": True}, 'neither "yes" nor "no"'),
        ({"language": "the English one"}, "is not a language"),
    ],
)
def test_what_no_answer_could_be_judged_by_is_named(folder: Path, fields: dict[str, Any], error: str) -> None:
    write_lines(folder / "queries.jsonl", [{**QUERIES[0], **fields}])
    found = problems(folder)
    assert "queries.jsonl, line 1" in found
    assert error in found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"id": "a", "text": "\\ud800"}', "half a surrogate pair"),
        ('{"id": "a", "text": "What?", "text": "Which?"}', "'text' stands twice"),
    ],
)
def test_json_that_can_not_be_read_in_one_way_is_named(folder: Path, line: str, said: str) -> None:
    (folder / "queries.jsonl").write_text(f'{{"id": "b", "text": "What?"}}\n{line}\n')
    found = problems(folder)
    assert "queries.jsonl, line 2: it is not JSON" in found
    assert said in found


def test_a_null_character_in_what_a_row_says_is_noted(folder: Path) -> None:
    write_lines(folder / "documents.jsonl", changed(0, company="A\x00B"))
    assert any("company can't be" in note for note in read_folder(folder).notes)


@pytest.mark.parametrize("name", ["documents.jsonl", "queries.jsonl"])
def test_a_file_that_is_missing_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert f"{name} is not there" in problems(folder)


def test_a_line_that_is_no_text_is_named(folder: Path) -> None:
    (folder / "queries.jsonl").write_bytes(b'{"id": "a", "text": "What?"}\n{"id": "b", "text": "\xff"}\n')
    assert "queries.jsonl, line 2: it is not UTF-8" in problems(folder)


def test_a_folder_without_questions_has_nothing_to_measure(folder: Path) -> None:
    (folder / "queries.jsonl").write_text("\n")
    assert "holds no question" in problems(folder)


def test_what_is_no_folder_is_said(tmp_path: Path) -> None:
    assert "not a folder" in problems(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"file": "documents/gone.pdf"}, "there is no such file"),
        ({"file": "../../etc/passwd"}, "outside the folder"),
        ({"kind": "poem"}, "is not a kind"),
    ],
)
def test_a_row_whose_file_cannot_be_used_is_one_failure(folder: Path, fields: dict[str, str], error: str) -> None:
    write_lines(folder / "documents.jsonl", changed(0, **fields))
    read = read_folder(folder)
    assert [each.id for each in read.documents] == ["kestrel-2023", "dealing"]
    (failure,) = read.failures
    assert failure.error.startswith("documents.jsonl, line 1:")
    assert error in failure.error


def test_a_folder_of_which_no_document_can_be_used_is_an_error_and_no_reason_to_remove_what_is_held(
    folder: Path,
) -> None:
    write_lines(folder / "documents.jsonl", [{**row, "file": f"../{row['file']}"} for row in DOCUMENTS])
    found = problems(folder)
    assert "None of its documents can be used" in found
    assert found.count("outside the folder") == len(DOCUMENTS)


def test_a_value_that_cannot_be_true_is_left_out_with_a_note(folder: Path) -> None:
    write_lines(folder / "documents.jsonl", changed(1, period="the day after", title="Kestrel"))
    read = read_folder(folder)
    (note,) = read.notes
    assert "documents.jsonl, line 2" in note
    assert "period" in note
    assert read.documents[1].metadata.title == "Kestrel"


def test_a_document_that_is_not_listed_is_noted_and_not_refused(folder: Path) -> None:
    write_lines(folder / "queries.jsonl", [{**QUERIES[0], "relevant": [{"document": "left-out", "page": 1}]}])
    assert "has no document left-out" in read_folder(folder).notes[0]


def test_a_mark_at_the_beginning_and_other_line_ends_do_no_harm(folder: Path) -> None:
    text = (folder / "queries.jsonl").read_text()
    (folder / "queries.jsonl").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert len(read_folder(folder).queries) == 3
