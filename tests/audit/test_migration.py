"""A log of the release before: its payloads are sealed on the way, and leave no plain bytes behind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from pytest_django import DjangoDbBlocker

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of, with_term
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from tests.benchmarks.wall_databases import Databases, connect, superuser
from tests.conftest import _migrate

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner"])]

WORD = "kestrelmigrated"
EVENTS = 1_203  # more than two batches


@contextmanager
def owned(database: str) -> Iterator[None]:
    """The owner's connection, at another database."""
    owner = connections["owner"]
    name = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = database
    try:
        yield
    finally:
        owner.close()
        owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = name


def back(database: str) -> None:
    from django.core.management.commands.migrate import Command

    with owned(database):
        call_command(Command(), "audit", "0001", database="owner", verbosity=0, interactive=False)


@contextmanager
def serving(database: str) -> Iterator[None]:
    """The runtime role's connection, at another database."""
    ordinary, other = connections["default"], connect(database, "glassbox_api")
    connections["default"] = other
    try:
        yield
    finally:
        other.close()
        connections["default"] = ordinary


def holds(database: str, word: str) -> bool:
    """Whether the file of the events' table holds the word, outside of any row or in one."""
    with superuser(database) as connection:
        connection.execute("CHECKPOINT")
        row = connection.execute(
            "SELECT position(%s::bytea IN pg_read_binary_file(pg_relation_filepath('audit_event')))", [word.encode()]
        ).fetchone()
        return bool(row and row[0])


@pytest.fixture(scope="module")
def databases(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Databases]:
    with django_db_blocker.unblock(), Databases() as made:
        yield made


@pytest.fixture(scope="module")
def old(databases: Databases) -> tuple[str, TenantId]:
    """A database of the release before, with events of two tenants. It is copied, never changed."""
    name = databases.copy("old")
    back(name)
    with superuser(name) as connection:
        for slug in ("acme", "bolt"):
            connection.execute(
                "INSERT INTO tenants_tenant (slug, name, status, residency_region, residency_strict, "
                "embedding_profile, generation_profile, created_at) "
                "VALUES (%s, %s, 'active', 'eu', false, 'local', 'extractive', now())",
                [slug, slug],
            )
        connection.execute(
            "INSERT INTO audit_event (tenant_id, scope_ids, action, outcome, occurred_at, actor_kind, "
            "actor_label, subject_type, payload) SELECT t.id, '{}', 'retrieval.question.answered', 'success', "
            "now(), 'user', 'alice', '', %s::jsonb || jsonb_build_object('answer', jsonb_build_object('n', n)) "
            "FROM tenants_tenant t, generate_series(1, %s) AS n",
            [json.dumps({"core": {"intent": "performance", "model": WORD, "score": 0.5}}), EVENTS],
        )
        row = connection.execute("SELECT id FROM tenants_tenant WHERE slug = 'acme'").fetchone()
        assert row is not None
    return name, TenantId(row[0])


@pytest.fixture(scope="module")
def migrated(databases: Databases, old: tuple[str, TenantId]) -> str:
    """The same after the migrations since. It is copied, never changed."""
    name = databases.copy("migrated", source=old[0])
    _migrate(name)
    return name


def test_the_events_of_an_older_release_are_sealed(
    databases: Databases, old: tuple[str, TenantId], migrated: str
) -> None:
    before, tenant = old
    assert holds(before, WORD)
    assert not holds(migrated, WORD)
    database = databases.copy("going_on", source=migrated)
    with serving(database), open_scope(tenant=tenant, scopes=[], reason="a test"):
        events = list(Event.objects.all())
        told = payloads_of(events)
        assert len(events) == EVENTS
        assert {each["core"]["model"] for each in told.values()} == {WORD}
        assert sorted(each["answer"]["n"] for each in told.values()) == list(range(1, EVENTS + 1))
        assert all(set(event.commitments) == {"actor", "answer", "core"} for event in events)
        assert Event.objects.filter(with_term(group=Group.CORE, name="intent", value="performance")).count() == EVENTS
        # The application goes on with the key that was made on the way.
        assert record(action="tenants.scope.created", core={"key": "x"}).payload == {"core": {"key": "x"}}
    with superuser(database) as connection:
        row = connection.execute(
            "SELECT bool_and(relforcerowsecurity), (SELECT count(*) FROM pg_trigger WHERE tgenabled = 'D'), "
            "(SELECT count(*) FROM audit_datakey) FROM pg_class "
            "WHERE relname IN ('audit_event', 'audit_payload', 'audit_datakey')"
        ).fetchone()
    assert row == (True, 0, 2)


def test_what_was_sealed_is_not_written_in_plain_again(databases: Databases, migrated: str) -> None:
    database = databases.copy("going_back", source=migrated)
    with pytest.raises(RuntimeError, match="can't be taken back"):
        back(database)
