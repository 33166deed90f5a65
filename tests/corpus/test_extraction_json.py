"""JSON and JSON Lines: paths and values, numbers as they stand, broken records as warnings."""

from __future__ import annotations

import pytest

from apps.corpus.extraction import ExtractedDocument, Limits, WarningCode, extract
from apps.corpus.extraction.errors import CorruptFileError, TooComplexError


def read(text: str, filename: str = "a.json") -> ExtractedDocument:
    return extract(text.encode(), filename=filename)


def texts(text: str, filename: str = "a.json") -> list[str]:
    return [block.text for page in read(text, filename).pages for block in page.blocks]


def test_record_is_one_line_with_paths() -> None:
    assert texts('[{"fund": "Alpha", "fees": {"management": 1.50, "tiers": [1, 2]}}]') == [
        "fund: Alpha | fees.management: 1.50 | fees.tiers: 1, 2"
    ]


def test_object_is_written_value_by_value() -> None:
    assert texts('{"name": "Policy", "limits": {"drawdown": 10, "on": true}, "none": null}') == [
        "name: Policy",
        "limits",
        "limits.drawdown: 10",
        "limits.on: true",
    ]


def test_list_in_an_object_keeps_its_place() -> None:
    assert texts('{"holdings": [{"isin": "US0378331005"}, {"isin": "US5949181045"}]}') == [
        "holdings[0] | isin: US0378331005",
        "holdings[1] | isin: US5949181045",
    ]


def test_long_integers_keep_their_digits() -> None:
    assert texts('[{"id": 123456789012345678901234567890}]') == ["id: 123456789012345678901234567890"]


def test_json_lines_are_read() -> None:
    assert texts('{"a": 1}\n{"a": 2}\n', "a.jsonl") == ["a: 1", "a: 2"]


def test_broken_line_is_a_warning_with_its_number() -> None:
    document = read('{"a": 1}\n{"a":\n{"a": 3}\n', "a.jsonl")
    assert [(w.code, w.row) for w in document.warnings] == [(WarningCode.RECORD_BROKEN, 2)]


def test_broken_json_names_line_and_column() -> None:
    with pytest.raises(CorruptFileError, match="in line 2, column"):
        read('{"a": 1,\n "b" 2}')


@pytest.mark.parametrize("depth", [70, 100_000])
def test_depth_is_bounded(depth: int) -> None:
    with pytest.raises(TooComplexError, match="levels of nesting"):
        read("[" * depth + "1" + "]" * depth)


def test_number_of_values_is_bounded() -> None:
    with pytest.raises(TooComplexError, match="values, at most 10"):
        extract(b"[" + b"1," * 50 + b"1]", filename="a.json", limits=Limits(max_table_cells=10))


def test_long_text_is_a_paragraph_of_its_own() -> None:
    assert texts('[{"id": 7, "body": "' + "word " * 200 + '"}]')[1].startswith("body: word word")


def test_title_is_taken() -> None:
    assert read('{"title": "Risk policy", "version": 3}').title == "Risk policy"


def test_json_in_a_text_file_is_recognised() -> None:
    assert texts('{"a": 1}', "a.txt") == ["a: 1"]


# --- what is lost is told ---


def told(text: str, filename: str = "a.json") -> list[tuple[str, int | None, str]]:
    return [(warning.code.value, warning.row, warning.detail) for warning in read(text, filename).warnings]


def test_a_key_that_stands_twice_is_told_and_the_last_value_read() -> None:
    text = '{"fees": {"management": 1, "management": 2}, "name": "A", "name": "B", "name": "C"}'
    assert texts(text) == ["fees", "fees.management: 2", "name: C"]
    assert told(text) == [
        (
            "key_repeated",
            None,
            'the key "management" appears more than once in one object: only its last value was read',
        ),
        ("key_repeated", None, 'the key "name" appears more than once in one object: 2 values were not read'),
    ]


def test_a_key_that_stands_in_two_objects_is_no_loss() -> None:
    assert told('[{"name": "A", "of": {"name": "B"}}, {"name": "C"}]') == []


def test_in_json_lines_the_record_is_named() -> None:
    assert [(code, row) for code, row, _ in told('{"a": 1}\n{"a": 1, "a": 2}\n{"a": 3}', "a.jsonl")] == [
        ("key_repeated", 2)
    ]


def test_repeated_keys_beyond_the_limit_are_counted_out() -> None:
    text = "\n".join('{"a": 1, "a": 2}' for _ in range(12))
    warnings = extract(text.encode(), filename="a.jsonl", limits=Limits(max_warnings=10)).warnings
    assert [warning.code for warning in warnings].count(WarningCode.KEY_REPEATED) == 10
    assert WarningCode.MORE_WARNINGS in [warning.code for warning in warnings]


def test_halves_of_characters_are_told() -> None:
    text = '{"na\\udc00me": "A \\ud800 fund", "sound": "\\ud83d\\ude00"}'
    assert texts(text) == ["name: A fund", "sound: \U0001f600"]
    assert told(text) == [("characters_lost", None, "2 characters can't be read, and were left out")]
