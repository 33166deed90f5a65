"""Which addresses are for programs: a key opens them, and what goes wrong there is told as JSON."""

from __future__ import annotations

from typing import Final

MCP: Final = "/mcp"
_BELOW: Final = ("/api/", "/v1/")


def is_for_programs(path: str) -> bool:
    return path == MCP or path.startswith(_BELOW)
