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

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def _start_web(**variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "import config.wsgi"],
        cwd=CHECKOUT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings.test"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def _start_worker(**variables: str) -> subprocess.CompletedProcess[str]:
    """One that is told to stop as soon as it has begun."""
    return subprocess.run(
        [sys.executable, "-c", _BEGINS_AND_STOPS],
        cwd=CHECKOUT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings.test"} | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


_BEGINS_AND_STOPS = """
from celery.signals import worker_ready
from config.celery import app

@worker_ready.connect
def stop(sender, **_):
    print("it began", flush=True)
    sender.stop()

app.worker_main(["worker", "--pool=solo", "--queues=nobody", "--without-gossip", "--without-mingle"])
"""


def test_a_worker_starts_as_the_ordinary_role() -> None:
    result = _start_worker(GLASSBOX_DB_ROLE="glassbox_worker")
    assert "it began" in result.stdout + result.stderr


def test_a_worker_refuses_to_start_as_the_owner_of_the_tables() -> None:
    """Celery goes on after what a receiver of its signals raises."""
    result = _start_worker(GLASSBOX_DB_ROLE="glassbox_owner")
    assert result.returncode == 1
    assert "it began" not in result.stdout + result.stderr
    assert "the owner of tables" in result.stderr


def test_the_web_process_starts_as_the_ordinary_role() -> None:
    assert _start_web().returncode == 0


def test_it_says_what_it_was_given_and_does_not_need() -> None:
    result = _start_web(GLASSBOX_DB_PASSWORD_OWNER="a-password-of-the-owner")
    assert result.returncode == 0
    assert "This process (web) was given GLASSBOX_DB_PASSWORD_OWNER, which it does not need." in result.stderr
    assert "a-password-of-the-owner" not in result.stderr


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
