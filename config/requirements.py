"""What an installation needs: the lists of pyproject.toml, and the lock file that pins them by digest.

Standard library only: config/bootstrap.py runs this before anything is installed.
"""

from __future__ import annotations

import hashlib
import platform
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

LOCK: Final = Path(__file__).resolve().parent.parent / "requirements.lock"
# Pinned without a digest, since each index builds its own files.
UNHASHED: Final = "torch"


class BootstrapError(Exception):
    """The environment can't be made; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The requirements in pyproject.toml by group, `runtime` first."""

    requires_python: str
    groups: dict[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: Path, *, testing: bool) -> Project:
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
            groups = {"runtime": tuple(table["dependencies"])}
            if testing:
                groups["dev"] = tuple(table["optional-dependencies"]["dev"])
            return cls(requires_python=table["requires-python"], groups=groups)
        except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
            raise BootstrapError(f"{path} can't be read ({error}). Restore it from the repository.") from error

    def stamps(self) -> dict[str, str]:
        """Return a digest of each group's list."""
        return {
            name: hashlib.sha256("\n".join(sorted(requirements)).encode()).hexdigest()
            for name, requirements in self.groups.items()
        }

    def accepts(self, version: tuple[int, int]) -> bool:
        """Return whether `requires-python` allows the version; it is a list of >=, >, <= and < bounds."""
        allowed = {">=": version.__ge__, ">": version.__gt__, "<=": version.__le__, "<": version.__lt__}
        for operator, major, minor in re.findall(r"(>=|<=|<|>)\s*(\d+)\.(\d+)", self.requires_python):
            if not allowed[operator]((int(major), int(minor))):
                return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """The lock file: the pinned lines of each group, and what is pinned without a digest."""

    PLATFORM: ClassVar[str] = "linux x86_64"

    platform: str
    pythons: tuple[str, ...]
    stamps: dict[str, str]
    unhashed: tuple[str, ...]
    sections: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Lock | None:
        """Read the lock file, or return None if there is none."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        head, *sections = re.split(r"^# --- (\w+) ---$", text, flags=re.MULTILINE)
        told = dict(re.findall(r"^# (\w+): *(.*)$", head, flags=re.MULTILINE))
        return cls(
            platform=told.get("platform", ""),
            pythons=tuple(told.get("pythons", "").split()),
            stamps={name: told[name] for name in ("runtime", "dev") if name in told},
            unhashed=tuple(told.get("unhashed", "").split()),
            sections=dict(zip(sections[::2], sections[1::2], strict=True)),
        )

    def obstacle(self, project: Project, groups: list[str]) -> str:
        """Return why the lock file does not fit this machine or project, or an empty text if it fits."""
        here, python = f"{sys.platform} {platform.machine()}", f"{sys.version_info[0]}.{sys.version_info[1]}"
        if any(self.stamps.get(group) != project.stamps()[group] for group in groups):
            return "it is of another pyproject.toml (python -m config.locking makes it anew)"
        if here != self.platform:
            return f"it is for {self.platform}, and this is {here}"
        return "" if python in self.pythons else f"it is for Python {', '.join(self.pythons)}, and this is {python}"
