"""A record as a file and as text: the same bytes in any order of keys, every value shown and found again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.extraction import MediaType, extract
from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.errors import CorruptFileError
from apps.corpus.extraction.record_file import (
    MAX_DEPTH,
    MAX_VALUES,
    Number,
    RecordFile,
    RecordType,
    body_problems,
    exact_json,
    pointer,
    read_record,
    write_record,
)
from apps.corpus.extraction.record_pages import pointers_at, record_pages, record_places

_TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40)
_KEYS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(str.strip)
_NUMBERS = st.one_of(st.integers().map(str), st.decimals(allow_nan=False, allow_infinity=False).map(str)).filter(
    lambda text: len(text) < 60
)
_PLAIN = st.one_of(st.none(), st.booleans(), _TEXTS, _NUMBERS.map(Number), st.text("ab \n", max_size=2_500))
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=25,
)
BODIES = st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=6)
TYPES = st.sampled_from(RecordType)


def record(body: Any, type: RecordType = RecordType.WORKFLOW_OUTPUT, title: str = "Run 7") -> RecordFile:
    return RecordFile(type=type, source="flows", external_id="r-7", about={"title": title}, body=body)


def lines(body: Any, type: RecordType = RecordType.WORKFLOW_OUTPUT) -> list[str]:
    """Without the title and the sentence below it."""
    return [line for page in record_pages(record(body, type)) for line in page.text.split("\n")][2:]


def shuffled(value: Any, reverse: bool) -> Any:
    if isinstance(value, dict):
        pairs = [(key, shuffled(child, not reverse)) for key, child in value.items()]
        return dict(reversed(pairs) if reverse else pairs)
    return [shuffled(each, reverse) for each in value] if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """As JSON's own types, with numbers as text of another kind than strings."""
    if isinstance(value, Number):
        return ("number", str(value))
    if isinstance(value, dict):
        return {key: plain(child) for key, child in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@given(BODIES, TYPES)
def test_the_order_of_keys_changes_neither_file_nor_text(body: dict[str, Any], type: RecordType) -> None:
    first, other = record(body, type), record(shuffled(body, reverse=True), type)
    assert write_record(first) == write_record(other)
    assert [page.text for page in record_pages(first)] == [page.text for page in record_pages(other)]


@given(BODIES, TYPES)
def test_a_file_is_read_as_it_was_written(body: dict[str, Any], type: RecordType) -> None:
    content = write_record(record(body, type))
    read = read_record(content, filename="a")
    assert (plain(read.body), read.type, read.title) == (plain(body), type, "Run 7")
    assert write_record(read) == content


@given(BODIES, TYPES)
def test_every_value_is_shown_at_the_place_that_says_so(body: dict[str, Any], type: RecordType) -> None:
    shown = record(body, type)
    pages = {page.number: page.text for page in record_pages(shown)}
    at: dict[str, str] = {}
    for place in record_places(shown):
        text = pages[place.page][place.start : place.end]
        assert text.strip()
        assert "\n" not in text
        at[place.pointer] = f"{at.get(place.pointer, '')} {text}"
    for path, value in leaves(body, ()):
        wanted = one_line(value) if isinstance(value, str) else {None: "null", True: "true", False: "false"}[value]
        assert "".join(wanted.split()) in "".join(at[pointer(path)].split())


def leaves(value: Any, path: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        return [each for key, child in value.items() for each in leaves(child, (*path, key))]
    if isinstance(value, list):
        return [each for place, child in enumerate(value) for each in leaves(child, (*path, place))]
    return [(path, value)]


@given(BODIES, TYPES)
def test_reading_the_file_gives_the_pages_that_the_places_count(body: dict[str, Any], type: RecordType) -> None:
    content = write_record(record(body, type))
    read = extract(content, filename="r-7.record.json")
    assert read.media_type is MediaType.RECORD
    assert [page.text for page in read.pages] == [page.text for page in record_pages(record(body, type))]


def test_the_text_is_the_same_in_another_process_with_another_seed() -> None:
    """Sets and dictionaries of one process have an order that another does not share."""
    body = {"zeta": [1, {"b": True, "a": None}], "alpha": {"x": "é\u00df", "limits": [Number("1.50"), "a", "b"]}}
    code = (
        "import hashlib, sys\n"
        "from apps.corpus.extraction.record_file import read_record\n"
        "from apps.corpus.extraction.record_pages import record_pages, record_places\n"
        "made = read_record(sys.stdin.buffer.read(), filename='a')\n"
        "told = repr([page.text for page in record_pages(made)]) + repr(record_places(made))\n"
        "print(hashlib.sha256(told.encode()).hexdigest())"
    )
    content = write_record(record(json_exact(body)))
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=content,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale},
        ).stdout
        for seed, locale in (("1", "C"), ("2", "C.UTF-8"))
    }
    assert len(told) == 1
    assert len(told.pop()) == 65


def json_exact(value: Any) -> Any:
    return exact_json(json.dumps(value).encode())


def test_headings_are_paths_and_values_stand_below_them() -> None:
    body = {
        "summary": "Two limits were broken.",
        "findings": [{"rule": "concentration", "value": Number("10.50")}, {"rule": "cash", "note": "a" * 600}],
        "approval": {"by": "committee", "on": "2024-05-01"},
    }
    assert lines(body) == [
        "summary: Two limits were broken.",
        "approval",
        "by: committee",
        "on: 2024-05-01",
        "findings",
        "findings[0] | rule: concentration | value: 10.50",
        "findings[1]",
        "rule: cash",
        f"note: {'a' * 600}",
    ]


@pytest.mark.parametrize(
    ("type", "body", "first"),
    [
        (RecordType.WORKFLOW_OUTPUT, {"a": "1", "summary": "s"}, "summary: s"),
        (RecordType.EDIT_PATTERN, {"after": "b", "before": "a"}, "before: a"),
        (RecordType.SCHEDULE, {"audience": "x", "frequency": "monthly"}, "frequency: monthly"),
        (RecordType.DATA_PROFILE, {"columns": "3", "dataset": "x"}, "dataset: x"),
        (RecordType.COMPLIANCE_CONFIGURATION, {"limits": "x", "effective_from": "2024"}, "effective_from: 2024"),
    ],
)
def test_each_type_shows_first_what_its_readers_look_for(type: RecordType, body: dict[str, Any], first: str) -> None:
    assert lines(body, type)[0] == first


def test_nothing_is_left_out_because_it_is_empty() -> None:
    body: dict[str, Any] = {"a": None, "b": "", "c": [], "d": {}, "e": False, "f": [None, ""]}
    assert lines(body) == ["a: null", 'b: ""', "c: []", "d: {}", "e: false", 'f: null, ""']


def test_a_name_that_would_be_taken_apart_is_quoted() -> None:
    assert lines({"a.b": {"c[0]": "x"}}) == ['["a.b"]', '["c[0]"]: x']


def test_a_citation_names_the_innermost_fields_it_touches() -> None:
    shown = record({"limits": {"cash": Number("5"), "a/b": "~"}})
    [page] = record_pages(shown)
    start = page.text.index("cash")
    assert pointers_at(record_places(shown), page=1, start=start, end=start + 4) == ("/limits/cash",)
    assert pointers_at(record_places(shown), page=1, start=0, end=len(page.text)) == ("/limits/a~1b", "/limits/cash")
    assert pointers_at(record_places(shown), page=2, start=0, end=9) == ()


@pytest.mark.parametrize(
    ("body", "path", "reason"),
    [
        ([], "", "must be an object"),
        ({}, "", "must not be empty"),
        ({"a": {"b": ["x\x07"]}}, "/a/b/0", "contains the control character U+0007"),
        ({"a": {"b\n": "x"}}, "/a", "has a name with the control character U+000A"),
        ({"a": {" ": "x"}}, "/a", "has an empty name"),
        ({"a": {"k" * 201: "x"}}, "/a", "has a name of more than 200 characters"),
        ({"a": "\ud800"}, "/a", "contains half a surrogate pair, which is not a character"),
        ({"a": Number("1" * 65)}, "/a", "is a number of too many digits"),
        ({"a": 1.5}, "/a", "is no value of JSON"),
        ({"a": ["x"] * MAX_VALUES}, "", f"has more than {MAX_VALUES:,} values"),
    ],
)
def test_what_can_not_be_stored_is_named_where_it_stands(body: Any, path: str, reason: str) -> None:
    problem = body_problems(body)[-1]
    assert (pointer(problem.path), problem.reason) == (path, reason)


def test_depth_is_bounded() -> None:
    def nested(levels: int) -> dict[str, Any]:
        body: dict[str, Any] = {"end": "x"}
        for _ in range(levels):
            body = {"in": body}
        return body

    assert body_problems(nested(MAX_DEPTH - 1)) == []
    [problem] = body_problems(nested(MAX_DEPTH))
    assert problem.reason == f"is nested deeper than {MAX_DEPTH} levels"
    [deepest] = body_problems(nested(50_000))
    assert deepest.reason == problem.reason


def test_texts_of_several_lines_are_taken() -> None:
    assert body_problems({"a": "one\r\n\ttwo\n\nthree"}) == []
    assert lines({"a": "one\n\ntwo"}) == ["a: one", "two"]


@pytest.mark.parametrize(
    "content",
    [
        b'{"glassbox_record":1,',
        b'{"glassbox_record":1,"type":"run"}',
        b'{"glassbox_record":1,"about":{"title":"a"},"body":{"a":1},"external_id":"a","source":"b","type":"other"}',
        b'{"glassbox_record":1,"about":{"title":" "},"body":{"a":1},"external_id":"a","source":"b","type":"schedule"}',
        b'{"glassbox_record":1,"about":{"title":"a"},"body":{},"external_id":"a","source":"b","type":"schedule"}',
        b'{"glassbox_record":1,"about":[],"body":{"a":1},"external_id":"a","source":"b","type":"schedule"}',
        b'{"glassbox_record":1,"about":{"title":"a"},"body":{"a":1,"a":2},"external_id":"a","source":"b",'
        b'"type":"schedule"}',
        b'{"glassbox_record":1,"about":{"title":"a"},"body":{"a":NaN},"external_id":"a","source":"b",'
        b'"type":"schedule"}',
        b'{"glassbox_record":1,"about":{"title":"a"},"body":' + b"[" * 100_000,
    ],
)
def test_a_file_that_only_begins_as_a_record_is_refused(content: bytes) -> None:
    with pytest.raises(CorruptFileError):
        extract(content, filename="a.record.json")
