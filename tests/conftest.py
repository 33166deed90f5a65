"""The suite's ground: real services, one migrated database a test worker, the real runtime role."""

from __future__ import annotations

import functools
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import httpcore2
import hypothesis
import psutil
import psycopg
import pytest
from django.conf import LazySettings, settings
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from django.db import connections
from django.template import Template
from django.test import TransactionTestCase
from django.test.utils import _TestState
from psycopg import sql
from pytest_django import DjangoDbBlocker

from apps.audit.classes_table import class_rows
from apps.tenants.personal_data.eraser import declared_rights, tables_of_tenant
from config.locks import FileLock
from config.services import Durability, ensure_services
from tests.pure import pure_lane
from tests.rows import admin_dsn as admin_dsn
from tests.rows import close_superuser, empty_database

if TYPE_CHECKING:
    from tests.factories import Firm

# CI tries the same examples every time, so that it speaks of the change; every other run looks for new ones. Neither
# fails since a busy machine made or tried an example slowly: what is slow is measured in tests/benchmarks.
_AT_ANY_SPEED = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("any speed", **_AT_ANY_SPEED)
hypothesis.settings.register_profile("ci", derandomize=True, **_AT_ANY_SPEED)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "any speed")

# A client reads all certificate authorities before it asks anything, which is 23 ms of work, and most tests that need
# vectors have a server, and so a client, of their own. Nothing here speaks TLS.
httpcore2.default_ssl_context = functools.cache(httpcore2.default_ssl_context)

_CHECKOUT = Path(__file__).resolve().parent.parent


# What takes longest, longest first, and the browser's together, so that a worker starts it once: a long file that is
# begun last keeps one worker busy while the others have nothing left. (`--durations=0` tells when it is out of date.)
_FIRST = (
    "tests/demo/test_demo_command.py",
    "tests/evaluation/test_floors.py",
    "tests/browser/",
    "tests/intents/test_admin_review.py",
    "tests/intents/test_life.py",
    "tests/intents/test_admin_draft.py",
    "tests/isolation/",
    "tests/config/test_services.py",
    "tests/config/test_platform.py",
    "tests/audit/",
    "tests/benchmarks/",
    "tests/corpus/test_jobs",
    "tests/retrieval/",
    "tests/intents/",
)


# Whole folders of what the short lane leaves to `manage.py test --all`; elsewhere tests are marked one by one.
_SLOW = ("tests/browser/", "tests/benchmarks/")
# Of a test that has more parameters, the short lane tries so many, drawn anew by each run.
_DRAWN = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--short",
        type=int,
        metavar="SEED",
        help=f"leave out what is marked slow, and draw {_DRAWN} parameters of each test, by this seed",
    )
    parser.addoption(
        "--order",
        type=int,
        metavar="SEED",
        help="run the files, and the tests of each file, in an order that is drawn by this seed",
    )
    parser.addoption("--pure", action="store_true", help="the tests that need no database, service or other process")


def pytest_report_header(config: pytest.Config) -> str:
    short, order = config.getoption("--short"), config.getoption("--order")
    drawn = [f"short lane, drawn by --short={short}"] if short is not None else []
    if order is not None:
        drawn.append(f"random order, drawn by --order={order}")
    return ", ".join(drawn)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the lane, and put long files first or in a random order.

    config/testing.py keeps xdist from ordering the files again by how many tests they have.
    """
    found = list(items)
    if config.getoption("--pure"):
        items[:] = [item for item in pure_lane(items) if not item.nodeid.startswith(_SLOW)]
    seed = config.getoption("--short")
    if seed is not None:
        items[:] = draw_short_lane(items, seed=seed)
    config.hook.pytest_deselected(items=sorted(set(found) - set(items), key=found.index))
    order = config.getoption("--order")
    if order is not None:
        items[:] = shuffle_tests(items, seed=order)
        return
    items.sort(key=lambda item: next((n for n, name in enumerate(_FIRST) if item.nodeid.startswith(name)), len(_FIRST)))


def draw_short_lane(items: Sequence[pytest.Item], *, seed: int) -> list[pytest.Item]:
    """Return the tests of the short lane, in the order given: the same ones for one seed, on every worker."""
    by_function: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not item.nodeid.startswith(_SLOW) and item.get_closest_marker("slow") is None:
            by_function[item.nodeid.partition("[")[0]].append(item)
    drawn: set[pytest.Item] = set()
    for function, cases in by_function.items():
        # By the function's name too: a new test does not change what is drawn of the others.
        drawn.update(Random(f"{seed} {function}").sample(cases, min(_DRAWN, len(cases))))
    return [item for item in items if item in drawn]


def shuffle_tests(items: Sequence[pytest.Item], *, seed: int) -> list[pytest.Item]:
    """Return the tests with the files, and the tests of each file, in a random order: one order for one seed.

    A file's tests stay together, since what a file makes once for all of them is taken away after the last one.
    """
    random = Random(seed)
    by_file: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        by_file[item.nodeid.partition("::")[0]].append(item)
    files = list(by_file.values())
    random.shuffle(files)
    return [item for file in files for item in random.sample(file, len(file))]


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: pytest.FixtureRequest) -> Iterator[None]:
    """A database of this worker, copied from a template that is migrated once for each state of the schema."""
    home = settings.GLASSBOX_HOME
    home.mkdir(parents=True, exist_ok=True)
    admin_url = ensure_services(home=home, durability=Durability.DISPOSABLE).admin_dsn
    with FileLock(home / "template.lock", timeout_s=300):
        template = f"glassbox_template_{_schema_digest()}"
        with psycopg.connect(admin_url, autocommit=True) as server:
            known = {row[0] for row in server.execute("SELECT datname FROM pg_database").fetchall()}
            if template not in known:
                for stale in known:
                    if stale.startswith("glassbox_template_"):
                        _drop(server, stale)
                with django_db_blocker.unblock():
                    _migrate(f"{template}_new")
                server.execute(
                    sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                        sql.Identifier(f"{template}_new"), sql.Identifier(template)
                    )
                )
            for database in known:
                if database.startswith("glassbox_test_") and not _is_running(database.split("_")[2]):
                    _drop(server, database)
            _copy(server, template)
    yield
    with django_db_blocker.unblock():
        for connection in connections.all(initialized_only=True):
            connection.close()
            connection.close_pool()
    close_superuser()
    with psycopg.connect(admin_url, autocommit=True) as server:
        _drop(server, settings.TEST_DATABASE)


def _migrate(database: str) -> None:
    from django.core.management import call_command

    owner = connections["owner"]
    name = owner.settings_dict["NAME"]
    owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = database
    try:
        call_command("migrate", verbosity=0, interactive=False)
    finally:
        owner.close()
        owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = name


def _copy(server: psycopg.Connection, template: str) -> None:
    name = sql.Identifier(settings.TEST_DATABASE)
    _drop(server, settings.TEST_DATABASE)
    server.execute(
        sql.SQL("CREATE DATABASE {} OWNER glassbox_owner TEMPLATE {} STRATEGY file_copy").format(
            name, sql.Identifier(template)
        )
    )
    _settle_copy(server, settings.TEST_DATABASE)


def _settle_copy(server: psycopg.Connection, database: str) -> None:
    """What `migrate` gives a database and a copy loses; a process that starts in production's way refuses without."""
    from apps.tenants.provision import set_defaults

    set_defaults(server, database)
    name = sql.Identifier(database)
    server.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    server.execute(
        sql.SQL(
            "GRANT CONNECT ON DATABASE {} TO glassbox_owner, glassbox_api, glassbox_worker, glassbox_auditor, "
            "glassbox_eraser, glassbox_backup"
        ).format(name)
    )


def _drop(server: psycopg.Connection, database: str) -> None:
    server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))


def _is_running(pid: str) -> bool:
    return pid.isdigit() and psutil.pid_exists(int(pid))


def _schema_digest() -> str:
    digest = hashlib.sha256()
    sources = [
        *_CHECKOUT.glob("apps/*/migrations/*.py"),
        *_CHECKOUT.glob("apps/*/sql/*.sql"),
        _CHECKOUT / "apps/tenants/columns.py",
        _CHECKOUT / "apps/tenants/operations.py",
        _CHECKOUT / "apps/tenants/eraser_operations.py",
        _CHECKOUT / "apps/tenants/eraser_rights.py",
        _CHECKOUT / "apps/tenants/isolation_sql.py",
        _CHECKOUT / "apps/tenants/rights.py",
        _CHECKOUT / "apps/tenants/stamping.py",
        _CHECKOUT / "apps/audit/recorded_operations.py",
        _CHECKOUT / "config/database.py",
        _CHECKOUT / "apps/tenants/provision.py",
    ]
    for path in sorted(sources):
        digest.update(path.read_bytes())
    for key in settings.GLASSBOX_SCOPE_KEYS:
        digest.update(key.key)
    # Written into the template (apps/audit/classes_table.py, apps/tenants/eraser_rights.py).
    digest.update(repr((class_rows(), declared_rights(), tables_of_tenant())).encode())
    return digest.hexdigest()[:16]


def _empty(self: TransactionTestCase) -> None:
    """Do what Django's flush does, as the superuser."""
    empty_database()


TransactionTestCase._fixture_teardown = _empty


@pytest.fixture(autouse=True, scope="session")
def _payload_of_one_event() -> None:
    """Give an event its payload, kept after the first access. The product reads payloads in bulk; tests look at one."""
    # Imported here, since this file is loaded before the models can be.
    from apps.audit.models import Event
    from apps.audit.selectors import payloads_of

    Event.payload = functools.cached_property(lambda event: payloads_of([event])[event.id])
    Event.payload.__set_name__(Event, "payload")


@pytest.fixture(autouse=True, scope="session")
def _render_without_telling(django_test_environment: None) -> None:
    """Render templates as the product does. Django's test environment sends a signal with a copy of the context for
    each, which no test of ours reads."""
    Template._render = _TestState.saved_data.template_render


@pytest.fixture(autouse=True, scope="session")
def _clear_what_is_one_s_own() -> None:
    """Have `cache.clear()` take away what this worker wrote, and nothing of the others, which use the same database."""

    def clear(self: RedisCache) -> bool:
        held = self._cache.get_client(None, write=True)
        for key in held.scan_iter(match=f"{self.key_prefix}:*", count=1_000):
            held.delete(key)
        return True

    RedisCache.clear = clear


@pytest.fixture
def own_cache(settings: LazySettings) -> None:
    """An empty cache in a database of its own, for tests that stop or count what Redis does."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    configured = settings.CACHES["default"]
    location = configured["LOCATION"].replace("?db=1", f"?db={3 + worker % 12}")
    settings.CACHES = {"default": {**configured, "LOCATION": location}}
    cache.clear()


@pytest.fixture(scope="module")
def _shared_acme(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Firm]:
    from tests.factories import make_firm
    from tests.grounds import shared_ground

    with shared_ground(functools.partial(make_firm, "acme"), blocker=django_db_blocker) as firm:
        yield firm


@pytest.fixture
def acme(_shared_acme: Firm, db: None) -> Firm:
    """A firm, made once a file; for files whose tests are of one transaction each. Others make their own."""
    from tests.grounds import for_one_test

    return for_one_test(_shared_acme)


# What a module imports that has its tests look at the disk of the suite's server.
_LOOKS_AT_THE_DISK = ("own_access", "turn_over_wal")


@pytest.fixture(autouse=True, scope="module")
def _one_look_at_the_disk_at_a_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """A control writes to WAL what it must find there, and another run's turning it over would take that away.

    In production there is one prover, and it holds a lock. For a whole file, since some prove once for all its tests.
    """
    if not any(hasattr(request.module, name) for name in _LOOKS_AT_THE_DISK):
        yield
        return
    # Beside the state folder, not in it: what lies there has to be classified.
    with FileLock(settings.GLASSBOX_HOME.with_name(f"{settings.GLASSBOX_HOME.name}-disk.lock"), timeout_s=900):
        yield
