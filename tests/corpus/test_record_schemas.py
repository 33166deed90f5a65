"""The schemas of records: what each type demands, told by its pointer, and the same as a general checker finds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.corpus.extraction.csv_profile import profile_csv
from apps.corpus.extraction.record_file import Number, RecordType, exact_json, pointer
from apps.corpus.extraction.record_schemas import SCHEMAS, schema_problems


def problems(type: RecordType, body: Any) -> list[tuple[str, str]]:
    """Return (pointer, reason) of what is wrong with a body as a client sends it."""
    return [(pointer(each.path), each.reason) for each in schema_problems(type, exact_json(json.dumps(body).encode()))]


@pytest.mark.parametrize(
    ("type", "body"),
    [
        (RecordType.WORKFLOW_OUTPUT, {"whatever": {"a firm": ["says"]}}),
        (RecordType.WORKFLOW_OUTPUT, {"summary": None, "run": 7, "limits": {"cash": 5.0}, "findings": ["None."]}),
        (RecordType.EDIT_PATTERN, {"before": "will", "after": "may", "count": 3, "desk": "Equities"}),
        (
            RecordType.SCHEDULE,
            {"entries": [{"name": "NAV", "date": "2025-03-31", "owner": "Ops"}], "calendar": "TARGET"},
        ),
        (RecordType.COMPLIANCE_CONFIGURATION, {"rules": ["No shorts."]}),
        (RecordType.COMPLIANCE_CONFIGURATION, {"limits": [{"name": "cash", "value": 5}], "version": 2}),
    ],
)
def test_what_a_type_demands_and_a_firms_own_fields_beside_it_are_taken(type: RecordType, body: Any) -> None:
    assert problems(type, body) == []


@pytest.mark.parametrize(
    ("type", "body", "wrong"),
    [
        (RecordType.WORKFLOW_OUTPUT, {"summary": 5}, [("/summary", "must be a text or null")]),
        (RecordType.WORKFLOW_OUTPUT, {"limits": [{"name": ""}]}, [("/limits/0/name", "must not be empty")]),
        (RecordType.EDIT_PATTERN, {"before": "a"}, [("/after", "is missing")]),
        (RecordType.EDIT_PATTERN, {"before": "a", "after": "b", "count": 1.5}, [("/count", "must be a whole number")]),
        (RecordType.SCHEDULE, {"entries": []}, [("/entries", "must have at least one")]),
        (RecordType.SCHEDULE, {"entries": [{"date": "2025-03-31"}]}, [("/entries/0/name", "is missing")]),
        (
            RecordType.SCHEDULE,
            {"entries": [{"name": "NAV", "date": "soon"}]},
            [("/entries/0/date", "must be a day, or a time of one, such as 2025-03-31T17:00:00Z")],
        ),
        (RecordType.COMPLIANCE_CONFIGURATION, {"name": "x"}, [("", "must have rules or limits")]),
        (RecordType.COMPLIANCE_CONFIGURATION, {"rules": "none"}, [("/rules", "must be a list or an object")]),
        (
            RecordType.DATA_PROFILE,
            {"file": {}, "rows": 1, "columns": {}, "rows_left_out": {"a/b": 1}},
            [("/rows_left_out/a~1b", "is no field of it")],
        ),
    ],
)
def test_what_is_wrong_is_told_by_its_pointer(type: RecordType, body: Any, wrong: list[tuple[str, str]]) -> None:
    assert problems(type, body) == wrong


@pytest.mark.parametrize("header", [True, False])
def test_a_profile_that_the_product_makes_is_as_its_schema_says(header: bool) -> None:
    body = profile_csv(b"day,nav\n2025-01-02,101.2\n2025-01-03,101.9\n", filename="nav.csv", header=header)
    assert schema_problems(RecordType.DATA_PROFILE, body) == []


def test_at_most_twenty_problems_are_told() -> None:
    assert len(problems(RecordType.SCHEDULE, {"entries": [{}] * 50})) == 20


_NAMES = st.sampled_from(
    [
        *("summary", "run", "status", "started_at", "before", "after", "count", "entries"),
        *("name", "date", "rules", "limits", "rows", "file", "columns", "x"),
    ]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "2025-03-31", 1.5, 2.0]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("type", RecordType)
@given(body=st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=6))
def test_a_general_checker_of_the_published_schema_agrees(type: RecordType, body: dict[str, Any]) -> None:
    assert (problems(type, body) == []) == Draft202012Validator(SCHEMAS[type]).is_valid(body)


@pytest.mark.parametrize("type", RecordType)
def test_each_schema_is_a_json_schema(type: RecordType) -> None:
    Draft202012Validator.check_schema(SCHEMAS[type])
    assert exact_json(b"1.0") == Number("1.0")
