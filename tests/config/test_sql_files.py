"""Statements in files beside their modules: how they are read, and that long ones lie nowhere else."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from django.conf import settings

from apps.sql_files import read_statements

# A longer statement lies in a file, but for what a migration runs once.
_MOST_LINES: Final = 6
_STATEMENT: Final = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|CREATE|ALTER|GRANT|REVOKE)\b")


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


# --- Where they lie ---------------------------------------------------------------------------------------------------


def long_statements(source: str) -> set[int]:
    """Return the lines where a statement of more than _MOST_LINES lines begins."""
    found = set()
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) or id(node) in docstrings:
            continue
        if (node.end_lineno or node.lineno) - node.lineno < _MOST_LINES:
            continue
        texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
        if any(isinstance(text, str) and _STATEMENT.search(text) for text in texts):
            found.add(node.lineno)
    return found


def test_no_long_statement_lies_in_a_module() -> None:
    root = Path(settings.BASE_DIR)
    found = {
        f"{path.relative_to(root)}:{line}"
        for folder in ("apps", "config")
        for path in (root / folder).rglob("*.py")
        if "migrations" not in path.parts
        for line in long_statements(path.read_text(encoding="utf-8"))
    }
    assert found == set(), "put it into the .sql file beside the module, and read it by apps/sql_files.py"


def test_every_statement_of_a_file_is_run_by_the_module_beside_it() -> None:
    files = [path for path in Path(settings.BASE_DIR, "apps").rglob("*.sql") if path.parent.name != "sql"]
    assert files
    for path in files:
        run = re.findall(r'_SQL\["(\w+)"\]', path.with_suffix(".py").read_text(encoding="utf-8"))
        assert set(run) == read_statements(str(path)).keys(), path


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ('_Q = """\nSELECT 1\n\n\n\n\n"""', {1}),
        ('_Q = f"""\nDELETE FROM {t}\n\n\n\n\n"""', {1}),
        ('run(\n"SELECT a"\n" FROM b"\n" WHERE c"\n" AND d"\n" AND e"\n" AND f"\n" AND g")', {2}),
        ('_Q = (\n"SELECT a" +\n"FROM b" +\n"WHERE c" +\n"AND d" +\n"AND e" +\n"AND f" +\n"AND g")', {2}),
        ('_Q = """\nSELECT 1\n\n\n\n"""', set()),
        ('def ask():\n    """SELECT\n\n\n\n\n\n\n    """', set()),
        ('_TEXT = """\nSelect one of these,\n\n\n\n\nwith care."""', set()),
    ],
    ids=["long", "with names", "in pieces", "added up", "six lines", "docstring", "prose"],
)
def test_the_reading_finds_what_is_long(written: str, lines: set[int]) -> None:
    assert long_statements(written) == lines
