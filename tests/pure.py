"""The lane of pure tests: no database, no service, no other process. Seen by what a test asks for and imports."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Final

import pytest

# What a fixture or marker of pytest-django's is named by that opens the database.
_DATABASE: Final = frozenset({"django_db_setup", "db", "transactional_db", "live_server"})
# What a file of tests has in hand that starts a process or talks to a service, by the name that it has there.
_SERVICES: Final = frozenset(
    {"cache", "call_command", "caches", "connection", "connections", "ensure_services", "psutil", "psycopg", "redis"}
    | {"subprocess", "Thread", "multiprocessing"}
)


def pure_lane(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return the tests that need nothing but this process, in the order given."""
    impure: dict[str, bool] = {}
    return [item for item in items if isinstance(item, pytest.Function) and _is_pure(item, impure)]


def _is_pure(item: pytest.Function, impure: dict[str, bool]) -> bool:
    if item.get_closest_marker("slow") or item.get_closest_marker("django_db") or _DATABASE & set(item.fixturenames):
        return False
    fixtures = [each for name in item.fixturenames for each in item._fixtureinfo.name2fixturedefs.get(name, ())[-1:]]
    modules = {item.module.__name__, *(each.func.__module__ for each in fixtures if _is_ours(each.func.__module__))}
    return not any(_needs_services(name, impure) for name in modules - {"tests.conftest"})


def _needs_services(name: str, known: dict[str, bool]) -> bool:
    """Whether a file of the suite, or one that it takes something from, has a service in hand."""
    if name not in known:
        known[name] = False  # for a circle
        module = sys.modules[name]
        known[name] = bool(_SERVICES & set(vars(module))) or any(
            _needs_services(each, known) for each in set(_taken_from(module)) - {name, "tests.conftest"}
        )
    return known[name]


def _taken_from(module: ModuleType) -> Iterator[str]:
    for value in vars(module).values():
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if isinstance(name, str) and _is_ours(name) and name in sys.modules:
            yield name


def _is_ours(module: str) -> bool:
    return module.startswith("tests.")
