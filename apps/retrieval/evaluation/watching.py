"""Who is told how far an evaluation is: the command draws it on a terminal, a test counts along."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    def begin(self, what: str, total: float) -> None:
        """A new part of the work, which has so much to do."""

    def progress(self, done: float, detail: str = "") -> None:
        """How much of the part is done."""

    def say(self, line: str) -> None:
        """Something that the person should read, such as a file that failed."""
