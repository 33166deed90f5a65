"""What the handbook shows runs as it stands, but for the address and the key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from apps.tenants.roles import Role
from tests.factories import Firm, make_key

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "handbooks" / "api.md"
HOST = "https://glassbox.example.com"


def shown(language: str, mark: str) -> str:
    """The block of a language with a mark in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    [found] = [block for block in blocks if mark in block]
    return str(found)


def test_the_official_client_asks(firm: Firm, live_server: LiveServer, capsys: pytest.CaptureFixture[str]) -> None:
    code = shown("python", "from openai import OpenAI").replace(HOST, live_server.url)
    exec(compile(code, "api.md", "exec"), {"GLASSBOX_KEY": make_key(firm, Role.ANALYST)[1]})  # noqa: S102
    text, *sources, end = capsys.readouterr().out.splitlines()
    assert "12.5 %" in text
    assert any(f"{live_server.url}/api/v1/documents/" in each or "/api/v1/documents/" in each for each in sources)
    assert end.startswith("answered ")
