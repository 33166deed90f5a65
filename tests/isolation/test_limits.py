"""How much time and disk a runtime role's session may take: what it begins with, and what it can't lift."""

from __future__ import annotations

import psycopg
import pytest

from config.database import ROLE_LIMITS, SERVER_LIMITS
from tests.isolation.harness import changed, held, runtime_connection, sql

pytestmark = pytest.mark.usefixtures("committed_ground")


@pytest.mark.parametrize("role", sorted(ROLE_LIMITS))
def test_a_session_of_the_role_begins_with_its_limits(role: str) -> None:
    """Whoever opens it, with whatever program: by the role's definition."""
    with runtime_connection(role) as connection:
        for name, value in ROLE_LIMITS[role].items():
            row = connection.execute("SELECT current_setting(%s) = %s, current_setting(%s)", [name, value, name])
            (found,) = row.fetchall()
            seconds = connection.execute("SELECT setting, unit FROM pg_settings WHERE name = %s", [name]).fetchone()
            assert found[0] or seconds == (str(int(value.removesuffix("s")) * 1000), "ms"), found


def test_the_application_s_own_sessions_have_them_too() -> None:
    assert sql("SELECT setting FROM pg_settings WHERE name = 'statement_timeout'") == [("300000",)]


@pytest.mark.parametrize("name", sorted(SERVER_LIMITS))
@pytest.mark.parametrize(
    "way", ["SET {} = -1", "SELECT set_config('{}', '-1', true)", "ALTER ROLE glassbox_api SET {} = -1"]
)
def test_what_is_the_server_s_is_not_lifted(name: str, way: str) -> None:
    def attack() -> object:
        sql(way.format(name))
        return sql("SELECT 'lifted'")

    brought = held(attack, loot="lifted", without=lambda: changed(f"GRANT SET ON PARAMETER {name} TO glassbox_api"))
    assert "permission denied" in brought


def test_a_statement_that_would_fill_the_disk_ends() -> None:
    """With a small limit, as only a superuser sets it."""
    fill = "SELECT count(*) FROM (SELECT n FROM generate_series(1, 400000) n ORDER BY md5(n::text)) ordered"
    with changed("SET LOCAL temp_file_limit = '1MB'", "SET LOCAL work_mem = '64kB'"):
        with pytest.raises(Exception, match="temporary file size exceeds") as raised:
            sql(fill)
        assert isinstance(raised.value.__cause__, psycopg.errors.ConfigurationLimitExceeded)


def test_the_rest_is_the_role_s_to_lift() -> None:
    """PostgreSQL has no right that withholds it: the watchdog ends what takes longer (test_watchdog.py)."""
    with runtime_connection() as connection:
        connection.execute("SET statement_timeout = 0")
        assert connection.execute("SHOW statement_timeout").fetchall() == [("0",)]
