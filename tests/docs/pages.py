"""The pages of docs/ as tests read them: their text, their blocks of code, and what they name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config.env import CHECKOUT

DOCS: Final = CHECKOUT / "docs"
# Beside docs/ itself, what is written for the same readers.
_BESIDE: Final = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
_FENCE: Final = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
_INLINE: Final = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of code between fences; page: where it stands."""

    page: str
    language: str
    code: str


def pages() -> dict[str, str]:
    """The text of every page, by its path in the repository."""
    found = [*sorted(DOCS.rglob("*.md")), *(CHECKOUT / name for name in _BESIDE)]
    return {str(path.relative_to(CHECKOUT)): path.read_text(encoding="utf-8") for path in found}


def blocks(language: str) -> list[Block]:
    """Those of one language; "" for those that name none, which are commands and their output."""
    return [
        Block(page=page, language=language, code=match["code"])
        for page, text in pages().items()
        for match in _FENCE.finditer(text)
        if match["language"] == language
    ]


def inline_code() -> list[tuple[str, str]]:
    """Page and text of what stands between backticks within a line."""
    return [(page, code) for page, text in pages().items() for code in _INLINE.findall(_FENCE.sub("", text))]


def relative(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))
