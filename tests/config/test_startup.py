"""What a server refuses to start with, as a process of its own against the real database."""

from __future__ import annotations

import os
import subprocess
import sys

import psycopg
import pytest
from django.conf import settings

from config.env import CHECKOUT
from tests.conftest import admin_dsn

pytestmark = pytest.mark.django_db(transaction=True)


def _start_web(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import config.wsgi"],
        cwd=CHECKOUT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings.test"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_web_process_starts_as_the_ordinary_role() -> None:
    assert _start_web().returncode == 0


def test_it_refuses_to_start_as_the_owner_of_the_tables() -> None:
    result = _start_web(GLASSBOX_DB_ROLE="glassbox_owner")
    assert result.returncode != 0
    assert "the owner of tables" in result.stderr


def test_it_refuses_to_start_over_a_table_that_is_not_isolated() -> None:
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as superuser:
        superuser.execute("CREATE TABLE forgotten (tenant_id uuid)")
        try:
            result = _start_web()
        finally:
            superuser.execute("DROP TABLE forgotten")
    assert result.returncode != 0
    assert "forgotten" in result.stderr


def test_it_refuses_to_start_over_an_older_schema() -> None:
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as superuser:
        superuser.execute("UPDATE django_migrations SET app = 'gone' WHERE app = 'corpus'")
        try:
            result = _start_web()
        finally:
            superuser.execute("UPDATE django_migrations SET app = 'corpus' WHERE app = 'gone'")
    assert result.returncode != 0
    assert "manage.py migrate" in result.stderr
