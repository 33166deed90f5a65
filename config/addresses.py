"""Which addresses are for programs: a key opens them, and what goes wrong there is told as JSON."""

from __future__ import annotations

from typing import Final

FOR_PROGRAMS: Final = ("/api/", "/v1/", "/mcp")


def is_for_programs(path: str) -> bool:
    return path.startswith(FOR_PROGRAMS)
