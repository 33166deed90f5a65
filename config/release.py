"""The release of this installation: its version, and the commit if it is known."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final

from config import env

_CHECKOUT: Final = Path(__file__).resolve().parent.parent
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


@lru_cache(maxsize=1)
def version() -> str:
    with (_CHECKOUT / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


@lru_cache(maxsize=1)
def commit() -> str:
    """Return GLASSBOX_COMMIT, which a container's build sets, else the commit of the checkout, else an empty text."""
    return env.text("GLASSBOX_COMMIT", default="") or _checked_out(_CHECKOUT / ".git")


def _checked_out(git: Path) -> str:
    try:
        if git.is_file():
            git = (git.parent / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if head.startswith("ref:"):
            head = _resolved(git, head.removeprefix("ref:").strip())
    except OSError:
        return ""
    return head if _COMMIT.fullmatch(head) else ""


def _resolved(git: Path, ref: str) -> str:
    common = git / "commondir"
    root = (git / common.read_text(encoding="utf-8").strip()).resolve() if common.is_file() else git
    loose = root / ref
    if loose.is_file():
        return loose.read_text(encoding="utf-8").strip()
    packed = root / "packed-refs"
    for line in packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else ():
        name, _, of = line.partition(" ")
        if of == ref:
            return name
    return ""
