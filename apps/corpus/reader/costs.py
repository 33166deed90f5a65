"""The limits on the cost of reading a file, which the kernel enforces."""

from __future__ import annotations

import contextlib
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.corpus.extraction.contracts import Limits

_MIB = 1024 * 1024
_GRACE_SECONDS = 5
_MOST_SECONDS = 900
_MOST_FILES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The limits for one file: bytes of memory in addition to the libraries, seconds of CPU time, bytes of result.

    A wall-clock deadline, far above the other limits, ends a process that waits instead of computing.
    """

    memory_bytes: int
    seconds: int
    page_seconds: int
    output_bytes: int
    deadline_s: int

    @classmethod
    def of(cls, size_bytes: int, limits: Limits, *, recognises: bool = False) -> Costs:
        """Return the limits for a file of this size; they grow with the size, which the upload limit bounds.

        Args: recognises: whether the text of its pages may be recognised in pictures, which has seconds of its own.
        """
        mebibytes = -(-size_bytes // _MIB)
        seconds = min(limits.max_seconds + mebibytes * limits.max_seconds_per_mebibyte, _MOST_SECONDS)
        seconds += limits.max_recognition_seconds if recognises else 0
        return cls(
            memory_bytes=limits.max_memory_bytes + size_bytes * limits.max_memory_ratio,
            seconds=seconds,
            page_seconds=min(limits.max_page_seconds, seconds),
            output_bytes=limits.max_output_bytes + size_bytes * limits.max_output_ratio,
            deadline_s=60 + 10 * seconds,
        )


def hold_process(costs: Costs) -> None:
    """Set the limits on this process, which can't raise them again.

    The limit on new processes does not apply to root; a process of any other user can start none.
    """
    _limit(resource.RLIMIT_AS, _address_space_bytes() + costs.memory_bytes)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_NOFILE, _MOST_FILES)
    allow_rest(costs)


def allow_page(costs: Costs) -> None:
    """Set the CPU limit to the seconds of one page from now on, within those of the whole file."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _limit_seconds(min(used + costs.page_seconds, costs.seconds), costs)


def allow_rest(costs: Costs) -> None:
    """Set the CPU limit to that of the whole file, for files without pages and for the work after the last page."""
    _limit_seconds(costs.seconds, costs)


def _limit_seconds(seconds: int, costs: Costs) -> None:
    # At the first limit the process gets SIGXCPU, which distinguishes CPU time from other causes of its end. A process
    # that catches the signal is killed at the second limit.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, costs.seconds + _GRACE_SECONDS))


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    # Not every system has every limit (RLIMIT_AS is refused on macOS): the others hold there.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(kind, (most, most))


def _address_space_bytes() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0


def read_up_to(file: Any, most: int) -> tuple[bytes, bool]:
    """Return the whole content and False, or no content and True if it is longer than `most`."""
    parts: list[bytes] = []
    size = 0
    while block := file.read(_MIB):
        size += len(block)
        if size > most:
            return b"", True
        parts.append(block)
    return b"".join(parts), False
