"""The database or Redis away, under a platform that serves: a clear answer at once, and back as soon as they are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import psycopg
import pytest

from config.services import ServiceName, endpoints
from tests.config.conftest import state_folder
from tests.config.served import Served, served_platform, until

pytestmark = pytest.mark.slow

# Every door: the API's document, which needs no database by itself, a call, the admin, and the entry's pages.
DOORS = ("/api/v1/openapi.json", "/api/v1/me/", "/admin/login/", "/password/")
# Far below the half minute for which a pool waits by itself; far above the second or two that it takes.
AT_ONCE_S = 12.0
_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'tenants_user'::regclass"
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with state_folder() as home, served_platform(home) as platform:
        yield platform


@pytest.fixture
def up(served: Served) -> Served:
    """With open connections, as a platform that serves has them."""
    until(lambda: served.get("/admin/login/").status_code == 200, within_s=60)
    return served


def answers(served: Served, path: str) -> tuple[httpx.Response, float]:
    began = time.monotonic()
    return served.get(path), time.monotonic() - began


def all_say_that_it_is_away(served: Served) -> None:
    # Many at once: one that waits must not make the others wait in line.
    with ThreadPoolExecutor(16) as callers:
        found = list(callers.map(lambda path: (path, *answers(served, path)), DOORS * 8))
    for path, response, took_s in found:
        assert response.status_code == 503, (path, response.status_code, response.text[:300])
        assert took_s < AT_ONCE_S, (path, took_s)
        assert int(response.headers["Retry-After"]) > 0
        if path.startswith("/api/"):
            assert response.headers["Content-Type"] == PROBLEM
            assert response.json()["code"] == "api.database_unavailable"
        else:
            assert "can't be reached" in response.text
            assert response.headers["Content-Type"].startswith("text/html")


def is_back(served: Served) -> bool:
    return [served.get(path).status_code for path in DOORS] == [200, 401, 200, 200]


def away(served: Served) -> None:
    all_say_that_it_is_away(served)
    told_by(served, "/api/v1/health/")
    told_by(served, "/readyz")
    alive, took_s = answers(served, "/livez")
    assert (alive.status_code, alive.text) == (200, "ok\n")
    assert took_s < AT_ONCE_S


def told_by(served: Served, path: str) -> None:
    """Each remembers what it found for a second or two."""

    def is_told() -> bool:
        response, took_s = answers(served, path)
        assert took_s < AT_ONCE_S
        return (response.status_code, response.json()["checks"]["database"]) == (503, "failed")

    until(is_told, within_s=30)


def back(served: Served) -> None:
    assert until(lambda: is_back(served), within_s=60) < AT_ONCE_S
    until(lambda: served.get("/readyz").status_code == 200, within_s=60)
    until(lambda: served.get("/api/v1/health/").status_code == 200, within_s=60)


def test_a_database_that_hangs(up: Served) -> None:
    """Connections are accepted and nothing is said on them, nor on the open ones."""
    with up.paused(ServiceName.POSTGRES):
        away(up)
    back(up)


def test_a_database_that_is_gone(up: Served) -> None:
    with up.ended(ServiceName.POSTGRES):
        away(up)
    back(up)


def test_a_statement_that_was_under_way_when_the_server_froze_ends_too(up: Served) -> None:
    """Somebody signs in, and waits for a lock that is held here; then nothing comes any more."""
    server = f"{endpoints(up.home).admin_dsn} dbname=glassbox"
    with psycopg.connect(server) as holder, psycopg.connect(server, autocommit=True) as watcher:
        holder.execute("LOCK TABLE tenants_user IN ACCESS EXCLUSIVE MODE")
        with ThreadPoolExecutor(1) as callers:
            signing_in = callers.submit(signs_in, up)
            until(lambda: watcher.execute(_WAITING).fetchone() != (0,), within_s=60)
            with up.paused(ServiceName.POSTGRES):
                response, _ = signing_in.result(timeout=25)
                assert (response.status_code, "can't be reached" in response.text) == (503, True)
        holder.rollback()
    back(up)


def test_a_database_that_takes_nobody_new(up: Served) -> None:
    """Whoever is connected goes on; a process that is not ready for more says so."""
    with up.paused(ServiceName.POSTGRES, whole=False):
        told_by(up, "/readyz")
        response, took_s = answers(up, "/admin/login/")
        assert response.status_code in (200, 503)
        assert took_s < AT_ONCE_S
    back(up)


@pytest.mark.parametrize("how", ["paused", "ended"])
def test_redis_away(up: Served, how: str) -> None:
    """Questions and pages are answered without it; what can't be done without it says so."""
    with getattr(up, how)(ServiceName.REDIS):
        for path, expected in zip(DOORS, (200, 401, 200, 200), strict=True):
            response, took_s = answers(up, path)
            assert (path, response.status_code) == (path, expected)
            assert took_s < AT_ONCE_S
        until(lambda: up.get("/readyz").json()["checks"]["redis"] == "failed", within_s=30)
        assert up.get("/readyz").status_code == 200
        until(lambda: up.get("/api/v1/health/").json()["checks"]["redis"] == "failed", within_s=30)
        health, took_s = answers(up, "/api/v1/health/")
        assert (health.status_code, health.json()["status"]) == (200, "degraded")
        assert took_s < AT_ONCE_S
        response, took_s = asks_for_a_link(up)
        assert (response.status_code, "Nothing can be sent" in response.text) == (503, True)
        assert int(response.headers["Retry-After"]) > 0
        assert took_s < AT_ONCE_S
        response, took_s = signs_in(up)
        assert (response.status_code, "correct username and password" in response.text) == (200, True)
        assert took_s < AT_ONCE_S
    until(lambda: up.get("/readyz").json()["checks"]["redis"] == "ok", within_s=60)
    until(lambda: asks_for_a_link(up)[0].status_code == 200, within_s=60)


def asks_for_a_link(served: Served) -> tuple[httpx.Response, float]:
    return posted(served, "/password/", username="nobody")


def signs_in(served: Served) -> tuple[httpx.Response, float]:
    return posted(served, "/admin/login/", username="nobody", password="wrong-and-long-enough")


def posted(served: Served, path: str, **fields: str) -> tuple[httpx.Response, float]:
    with httpx.Client(base_url=served.base_url, timeout=25.0) as browser:
        browser.get(path)
        token = browser.cookies["csrftoken"]
        began = time.monotonic()
        response = browser.post(path, data={"csrfmiddlewaretoken": token, **fields}, headers={"Referer": path})
        return response, time.monotonic() - began
