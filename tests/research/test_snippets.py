"""What the handbook shows runs as it stands, but for the address and the key."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.tenants.roles import Role
from tests.factories import Firm, make_key
from tests.research.test_mcp import call, over_http, over_stdio

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "handbooks" / "api.md"
HOST = "https://glassbox.example.com"


def shown(language: str, mark: str) -> str:
    """The block of a language with a mark in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [found] = [block for block in blocks if mark in block]
    return str(found)


def test_the_configurations_of_mcp_connect(firm: Firm, live_server: LiveServer) -> None:
    key = make_key(firm, Role.ANALYST)[1]
    by_http, by_program = (
        json.loads(shown("json", mark).replace(HOST, live_server.url).replace("${GLASSBOX_KEY}", key))["mcpServers"]
        for mark in ('"headers"', '"args"')
    )
    server = by_http["glassbox"]
    assert server["url"] == f"{live_server.url}/mcp"
    assert server["headers"] == {"Authorization": f"Bearer {key}"}
    assert over_http(live_server, key, call("facts")).structured_content is not None
    program = by_program["glassbox"]
    assert program["args"][:2] == ["manage.py", "mcp"]
    found = over_stdio(program["env"]["GLASSBOX_KEY"], call("facts"), *program["args"][2:])
    assert found.structured_content is not None


def test_the_official_client_asks(firm: Firm, live_server: LiveServer, capsys: pytest.CaptureFixture[str]) -> None:
    code = shown("python", "from openai import OpenAI").replace(HOST, live_server.url)
    exec(compile(code, "api.md", "exec"), {"GLASSBOX_KEY": make_key(firm, Role.ANALYST)[1]})  # noqa: S102
    text, *sources, end = capsys.readouterr().out.splitlines()
    assert "12.5 %" in text
    assert any(f"{live_server.url}/api/v1/documents/" in each or "/api/v1/documents/" in each for each in sources)
    assert end.startswith("answered ")
