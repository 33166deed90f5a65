from __future__ import annotations

import psycopg
import pytest
from django.conf import settings
from django.db import connections
from django.db.backends.utils import CursorWrapper

from apps.tenants.checks import ROLE_SQL, isolation_check, role_problems, runtime_role_check
from tests.conftest import admin_dsn

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def _as_superuser(*statements: str) -> None:
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def test_the_shipped_schema_and_role_pass() -> None:
    assert runtime_role_check(databases=["default"]) == []
    assert isolation_check(databases=["default"]) == []


@pytest.mark.parametrize(
    ("breakage", "repair"),
    [
        ("DISABLE ROW LEVEL SECURITY", "ENABLE ROW LEVEL SECURITY"),
        ("NO FORCE ROW LEVEL SECURITY", "FORCE ROW LEVEL SECURITY"),
    ],
)
def test_a_table_without_its_wall_is_named(breakage: str, repair: str) -> None:
    _as_superuser(f"ALTER TABLE corpus_chunk {breakage}")
    try:
        messages = isolation_check(databases=["default"])
    finally:
        _as_superuser(f"ALTER TABLE corpus_chunk {repair}")
    assert [message.id for message in messages] == ["tenants.E002"]
    assert "corpus_chunk" in messages[0].msg


def test_a_new_table_with_a_tenant_and_no_policy_is_named() -> None:
    _as_superuser("CREATE TABLE forgotten (tenant_id uuid NOT NULL)")
    try:
        messages = isolation_check(databases=["default"])
    finally:
        _as_superuser("DROP TABLE forgotten")
    assert "forgotten" in messages[0].msg


def _problems_of(cursor: CursorWrapper | psycopg.Cursor) -> list[str]:
    cursor.execute(ROLE_SQL)
    row = cursor.fetchone()
    assert row is not None
    return role_problems(row)


def test_the_owner_of_the_tables_may_not_serve() -> None:
    with connections["owner"].cursor() as cursor:
        assert _problems_of(cursor) == ["the owner of tables"]


def test_a_superuser_may_not_serve() -> None:
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as connection:
        assert "a superuser" in _problems_of(connection.cursor())
        assert "BYPASSRLS" in _problems_of(connection.cursor())
