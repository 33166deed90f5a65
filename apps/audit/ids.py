"""Ids made before the row is: what is sealed is sealed for its event's id."""

from __future__ import annotations

import secrets
import threading
import time
from uuid import UUID

_lock = threading.Lock()
_last = 0


def new_id() -> UUID:
    """A UUID of version 7 as PostgreSQL's uuidv7() makes them: milliseconds, 12 bits below them, 62 random bits.

    Those of one process ascend, also when the clock stands still or goes back.
    """
    global _last
    milliseconds, rest_ns = divmod(time.time_ns(), 1_000_000)
    with _lock:
        _last = tick = max((milliseconds << 12) | (rest_ns << 12) // 1_000_000, _last + 1)
    return UUID(int=(tick >> 12) << 80 | 0x7 << 76 | (tick & 0xFFF) << 64 | 0b10 << 62 | secrets.randbits(62))
