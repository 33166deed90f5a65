"""All places where this application keeps something, as they are: read from the database, the sources and the settings.

table.column      of every table and materialised view in public and authz
cache:module      of the application, that writes to Redis' cache
task:name         of Celery, whose messages wait in Redis
memory:module     that remembers what it was asked, as long as its process lives
folder:name       in the folder of the application's state
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_COLUMNS: Final = _SQL["columns"]
# What a module imports that writes to the cache, or that remembers.
_CACHES: Final = frozenset({"django.core.cache", "rest_framework.throttling", "apps.tenants.counting"})
_MEMORIES: Final = frozenset({"lru_cache", "cache", "KeyCache"})
# Of a checkout's state folder: the tests' own state, which is such a folder itself, and what their runs leave in it.
_OF_TESTS: Final = frozenset({"test", "template.lock", "screenshots"})


def columns() -> set[str]:
    return set(column_types())


def column_types() -> dict[str, str]:
    """The type of each column, as PostgreSQL names it: text, jsonb, _uuid."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        return dict(cursor.fetchall())


def caches(sources: Path | None = None) -> set[str]:
    return {f"cache:{name}" for name, tree in _modules(sources) if _imported(tree) & _CACHES}


def memories(sources: Path | None = None) -> set[str]:
    """Of functions and objects at the level of a module."""
    return {f"memory:{name}" for name, tree in _modules(sources) if _remembers(tree)}


def tasks() -> set[str]:
    # Imported here: it names Celery's settings, and this module is loaded while Django's are still being read.
    from config.celery import app

    app.loader.import_default_modules()
    return {f"task:{name}" for name in app.tasks if not name.startswith("celery.")}


def folders() -> set[str]:
    """What lies in the state folder now, and what settings say would lie there."""
    home: Path = settings.GLASSBOX_HOME
    configured = (settings.STATIC_ROOT, settings.GLASSBOX_CHECKPOINT_URL, settings.GLASSBOX_TOMBSTONES_URL)
    found = {path.name for path in home.iterdir()} if home.is_dir() else set()
    found |= {Path(path).relative_to(home).parts[0] for path in configured if Path(path).is_relative_to(home)}
    # Half-written files, for a moment.
    return {f"folder:{name}" for name in found - _OF_TESTS if not name.startswith(".")}


def everything() -> set[str]:
    """Costs: one query, and reading the sources (a second)."""
    return columns() | caches() | memories() | tasks() | folders()


def _modules(sources: Path | None) -> Iterator[tuple[str, ast.Module]]:
    root = settings.BASE_DIR if sources is None else sources
    for top in ("apps", "config"):
        for path in sorted((root / top).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if any(word in text.lower() for word in ("cache", "throttl", "counting")):
                yield ".".join(path.relative_to(root).with_suffix("").parts), ast.parse(text)


def _imported(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return found


def _remembers(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and any(
            _name(each) in _MEMORIES for each in node.decorator_list
        ):
            return True
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _name(node.value) in _MEMORIES:
            return True
    return False


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
