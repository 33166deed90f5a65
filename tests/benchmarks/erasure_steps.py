"""What a part of a benchmark took: seconds, and seconds of CPU, of this process and of the server together.

On a machine that others use too, the second number says more than the first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import Any

import psutil
import psycopg


class Steps:
    """lines: name, seconds, cpu_s, items of each part that was measured; parts of which only seconds are known too."""

    def __init__(self, admin_dsn: str) -> None:
        with psycopg.connect(admin_dsn) as connection:
            backend = psutil.Process(connection.info.backend_pid)
            postmaster = backend.parent()
        if postmaster is None:
            raise AssertionError("a server's process has a parent")
        self._postmaster = postmaster
        self.lines: list[dict[str, Any]] = []

    @contextmanager
    def measured(self, name: str) -> Iterator[Callable[[int], None]]:
        """Yields: what takes the number of items that the part was about."""
        line: dict[str, Any] = {"name": name, "items": 0}
        began, cpu_began = perf_counter(), self._cpu_s()

        def told(items: int) -> None:
            line["items"] = items

        self.lines.append(line)
        yield told
        line |= {"seconds": perf_counter() - began, "cpu_s": self._cpu_s() - cpu_began}
        print(f"  {name}: {line['seconds']:.1f} s, {line['cpu_s']:.1f} s of CPU", file=sys.stderr, flush=True)

    def known(self, name: str, seconds: float, items: int = 0) -> None:
        """A part of the last one, by what somebody else noted of it."""
        self.lines.append({"name": f"  {name}", "seconds": seconds, "items": items})

    def _cpu_s(self) -> float:
        """Of this process and those that it waited for, and of the server's; what ends meanwhile is its parent's."""
        mine = os.times()
        total = mine.user + mine.system + mine.children_user + mine.children_system
        times = self._postmaster.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
        for process in self._postmaster.children():
            with suppress(psutil.NoSuchProcess):
                used = process.cpu_times()
                total += used.user + used.system
        return float(total)
