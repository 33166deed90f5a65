"""MCP under the server that a deployment has: idle clients cost no thread and no connection to the database."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack

import anyio
import httpx2
import psycopg
import pytest
from django.conf import LazySettings
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from apps.tenants.roles import Role
from config.processes import choose_port
from config.processes.platform import start_web
from tests.conftest import admin_dsn
from tests.factories import Firm, make_key
from tests.retrieval.asking import QUESTION
from tests.retrieval.test_progress import children

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

CLIENTS = 100


def test_a_hundred_idle_clients_cost_nothing(firm: Firm, settings: LazySettings) -> None:
    _, key = make_key(firm, Role.ANALYST)
    web = start_web(
        port=choose_port(8670, search=True),
        emit=lambda name, line: None,
        environment={"DJANGO_SETTINGS_MODULE": "config.settings.test", "WEB_CONCURRENCY": "1"},
    )
    try:
        worker = children(web.supervisor.pid("web"))[0]
        headers = {"Authorization": f"Bearer {key}"}

        async def use() -> tuple[int, int, int, int, bool]:
            async with AsyncExitStack() as open_clients:
                http = await open_clients.enter_async_context(
                    httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False)
                )

                async def another() -> Client:
                    transport = streamable_http_client(f"{web.base_url}/mcp", http_client=http)
                    client: Client = await open_clients.enter_async_context(Client(transport, mode="legacy"))
                    await client.list_tools()
                    return client

                first = await another()
                await first.call_tool("facts", {})
                before = threads_of(worker), connections(settings)
                for _ in range(CLIENTS - 1):
                    await another()
                await anyio.sleep(1)
                after = threads_of(worker), connections(settings)
                answer = await first.call_tool("search", {"question": QUESTION})
                return *before, *after, answer.is_error

        threads, held, threads_then, held_then, is_error = anyio.run(use)
        # The server's own threads and its pool may have filled up meanwhile, to what they are bounded by.
        assert threads_then - threads <= THREADS
        assert held_then - held <= THREADS
        assert not is_error
    finally:
        web.supervisor.stop()


# Of one web process; see config/gunicorn.py.
THREADS = 8


def threads_of(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def connections(settings: LazySettings) -> int:
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as server:
        row = server.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'glassbox_api'"
        ).fetchone()
    assert row is not None
    return int(row[0])
