"""Statements in files beside their modules: how they are read, and that long ones lie nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from apps.sql_files import read_statements


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    def written(text: str) -> dict[str, str]:
        (tmp_path / "ranking.sql").write_text(text, encoding="utf-8")
        return dict(read_statements(str(tmp_path / "ranking.py")))

    return written


def test_each_statement_has_its_name(read: Callable[[str], dict[str, str]]) -> None:
    text = "-- name: one\nSELECT 1\n\n-- name: two\nSELECT a\n  FROM b\n"
    assert read(text) == {"one": "SELECT 1\n", "two": "SELECT a\n  FROM b\n"}


def test_a_line_that_is_only_a_comment_is_not_sent(read: Callable[[str], dict[str, str]]) -> None:
    text = "-- Of 100% of {them}.\n\n-- name: one\n-- Why.\nSELECT 1,\n  -- the second\n       '--', 2 -- of two\n"
    assert read(text) == {"one": "SELECT 1,\n       '--', 2 -- of two\n"}


def test_what_psycopg_and_format_read_is_left_as_it_is(read: Callable[[str], dict[str, str]]) -> None:
    text = r"SELECT %(a)s, {table}, '{{0}}' FROM x WHERE y LIKE '%%z\000'"
    assert read(f"-- name: one\n{text}\n") == {"one": f"{text}\n"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1\n-- name: one\nSELECT 2\n",
        "-- name: one\nSELECT 1\n-- name: one\nSELECT 2\n",
        "-- name: one\n-- Nothing.\n-- name: two\nSELECT 2\n",
    ],
    ids=["without a name", "two of one name", "without a text"],
)
def test_an_unclear_file_is_refused(read: Callable[[str], dict[str, str]], text: str) -> None:
    with pytest.raises(ValueError, match=r"ranking\.sql"):
        read(text)
