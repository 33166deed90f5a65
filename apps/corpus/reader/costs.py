"""What reading a file may cost, and the kernel's limits that hold it."""

from __future__ import annotations

import contextlib
import resource
from dataclasses import dataclass
from pathlib import Path

from apps.corpus.extraction.contracts import Limits

_MIB = 1024 * 1024
_GRACE_SECONDS = 5
_MOST_SECONDS = 900
_MOST_FILES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The most that one file may cost: bytes of memory beside the libraries, seconds of computing, bytes of result.

    A deadline by the clock ends a process that waits instead of computing; it is far above what the others allow.
    """

    memory_bytes: int
    seconds: int
    page_seconds: int
    output_bytes: int
    deadline_s: int

    @classmethod
    def of(cls, size_bytes: int, limits: Limits) -> Costs:
        """A larger file may cost more, in proportion: both are bounded by the upload's own limit."""
        mebibytes = -(-size_bytes // _MIB)
        seconds = min(limits.max_seconds + mebibytes * limits.max_seconds_per_mebibyte, _MOST_SECONDS)
        return cls(
            memory_bytes=limits.max_memory_bytes + size_bytes * limits.max_memory_ratio,
            seconds=seconds,
            page_seconds=min(limits.max_page_seconds, seconds),
            output_bytes=limits.max_output_bytes + size_bytes * limits.max_output_ratio,
            deadline_s=60 + 10 * seconds,
        )


def hold_process(costs: Costs) -> None:
    """Put the limits on this process; it can't lift them again.

    A process that runs as root may still have as many others as it likes; for every other user none at all.
    """
    _limit(resource.RLIMIT_AS, _address_space_bytes() + costs.memory_bytes)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_NOFILE, _MOST_FILES)
    allow_rest(costs)


def allow_page(costs: Costs) -> None:
    """From now on the seconds of one page count; those of the whole file stay as they are."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _limit_seconds(min(used + costs.page_seconds, costs.seconds), costs)


def allow_rest(costs: Costs) -> None:
    """What has no pages, and what comes after the last one, has the seconds of the whole file."""
    _limit_seconds(costs.seconds, costs)


def _limit_seconds(seconds: int, costs: Costs) -> None:
    # At the first limit the process gets SIGXCPU, which tells computing time from all else that ends a process. Who
    # catches that signal is killed at the second.
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
