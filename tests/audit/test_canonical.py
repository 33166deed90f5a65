"""What an offline verifier must come to as well: bytes and digests, made here by printf and OpenSSL."""

from __future__ import annotations

import ast
import json
import math
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.audit import canonical
from apps.audit.canonical import NotCanonicalError, canonical_bytes, commitment, event_header, leaf_bytes, leaf_hash

SALT = bytes(range(32))
TENANT = UUID("00000000-0000-7000-8000-0000000000aa")
FIRST, SECOND = UUID("00000000-0000-7000-8000-000000000001"), UUID("00000000-0000-7000-8000-000000000002")

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


def header(**changes: Any) -> dict[str, Any]:
    return event_header(
        **{
            "tenant_id": TENANT,
            "event_id": UUID("01a1f2c9-02aa-7d10-8a3e-5b0c7e9d1f22"),
            "action": "retrieval.question.answered",
            "outcome": "success",
            "occurred_at": datetime(2026, 11, 22, 5, 59, 59, 999_999, tzinfo=UTC),
            "actor_kind": "system",
            "actor_id": None,
            "subject_type": "",
            "subject_id": None,
            "scope_ids": [SECOND, FIRST],
            **changes,
        }
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [True, None]}, b'{"a":[true,null],"b":1}'),
        ({"é": 1, "z": 2, "\U0001f600": 3, "\uffee": 4}, '{"z":2,"é":1,"\uffee":4,"\U0001f600":3}'.encode()),
        ({"text": 'say "é"\\\n\t\x01\x7f/'}, b'{"text":"say \\"\xc3\xa9\\"\\\\\\n\\t\\u0001\x7f/"}'),
        ([5, 5.0, 0.1, 1e-07, 1e16, -0.0, 123456789012345678901234567890], None),
        ((1, (2,)), b"[1,[2]]"),
        ({}, b"{}"),
    ],
)
def test_a_value_has_one_form(value: Any, expected: bytes | None) -> None:
    wanted = b"[5,5.0,0.1,1e-07,1e+16,-0.0,123456789012345678901234567890]" if expected is None else expected
    assert canonical_bytes(value) == wanted


def test_the_order_of_names_does_not_matter() -> None:
    assert canonical_bytes({"a": 1, "b": 2}) == canonical_bytes({"b": 2, "a": 1})


def test_a_whole_float_is_not_an_integer() -> None:
    assert canonical_bytes({"n": 5}) != canonical_bytes({"n": 5.0})


@given(JSON)
def test_what_was_written_reads_back_and_is_written_the_same(value: Any) -> None:
    written = canonical_bytes(value)
    assert canonical_bytes(json.loads(written)) == written


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, {"a": {1: 2}}, {"a": TENANT}, {"a": b"x"}, {"a": {1, 2}}, "\ud800", {"\udfff": 1}]
)
def test_what_has_no_form_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonicalError):
        canonical_bytes(value)


@pytest.mark.parametrize(
    ("group", "content", "expected"),
    [
        (
            "core",
            {"score": 0.5, "policy_version": 3, "intent": "performance"},
            "ef39335fa16d502d89257de8c5be6c51ab9bfa8f67a593c8883f1c735efbd6c3",
        ),
        (
            "question",
            {"text": "Wie hoch war der Ärger?\n"},
            "e6cb3164793152243e3a1eefd8a76880e9770008ad5a4239a21d3830369cda89",
        ),
    ],
)
def test_commitments_are_those_of_openssl(group: str, content: dict[str, Any], expected: str) -> None:
    assert commitment(salt=SALT, group=group, content=canonical_bytes(content)).hex() == expected


def test_a_commitment_is_of_its_group_and_its_salt() -> None:
    made = {
        commitment(salt=salt, group=group, content=b"{}")
        for salt in (SALT, bytes(32))
        for group in ("core", "actor", "question")
    }
    assert len(made) == 6


def test_a_leaf_is_that_of_openssl() -> None:
    found = leaf_hash(header(), {"question": "ab" * 32, "core": "11" * 32})
    assert found.hex() == "aeb876c721fe3a78fabf23b63171bf84f58f5726de437e3452fc687a31b9c6f3"


def test_the_time_of_a_leaf_is_cut_to_the_second_of_utc() -> None:
    late = header(occurred_at=datetime(2026, 11, 22, 5, 59, 59, 1, tzinfo=UTC))
    elsewhere = header(occurred_at=datetime(2026, 11, 22, 6, 59, 59, tzinfo=timezone(timedelta(hours=1))))
    assert header() == late == elsewhere
    assert header()["occurred_at"] == "2026-11-22T05:59:59Z"


@pytest.mark.parametrize(
    "change",
    [
        {"tenant_id": FIRST},
        {"event_id": FIRST},
        {"action": "retrieval.question.failed"},
        {"outcome": "refused"},
        {"occurred_at": datetime(2026, 11, 22, 6, 0, tzinfo=UTC)},
        {"actor_kind": "user"},
        {"actor_id": FIRST},
        {"subject_type": "document"},
        {"subject_id": FIRST},
        {"scope_ids": [FIRST]},
    ],
)
def test_every_field_of_the_header_is_in_the_leaf(change: dict[str, Any]) -> None:
    commitments = {"core": "11" * 32}
    assert leaf_bytes(header(**change), commitments) != leaf_bytes(header(), commitments)


def test_the_order_of_scopes_and_groups_is_not_in_the_leaf() -> None:
    one = leaf_hash(header(scope_ids=[FIRST, SECOND]), {"a": "1", "b": "2"})
    assert one == leaf_hash(header(scope_ids=[SECOND, FIRST]), {"b": "2", "a": "1"})


def test_it_needs_the_standard_library_alone() -> None:
    tree = ast.parse(Path(canonical.__file__).read_text(encoding="utf-8"))
    names = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
