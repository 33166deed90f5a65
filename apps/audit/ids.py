"""Ids made before the row is: what is sealed is sealed for its event's id."""

from __future__ import annotations

import secrets
import threading
import time
from uuid import UUID

# A second, in ticks of a millisecond's 4096th part.
_PUT_BACK_TICKS = 1_000 << 12
_lock = threading.Lock()
_last = 0


def new_id() -> UUID:
    """A UUID of version 7 as PostgreSQL's uuidv7() makes them: milliseconds, 12 bits below them, 62 random bits.

    Those of one process ascend, also when the clock stands still or is put back by a little. By more than that they
    follow it: an id tells when its event was recorded, and a clock that was once ahead must not make it lie for ever.
    """
    global _last
    milliseconds, rest_ns = divmod(time.time_ns(), 1_000_000)
    now = (milliseconds << 12) | (rest_ns << 12) // 1_000_000
    with _lock:
        _last = tick = max(now, _last + 1) if _last - now < _PUT_BACK_TICKS else now
    return UUID(int=(tick >> 12) << 80 | 0x7 << 76 | (tick & 0xFFF) << 64 | 0b10 << 62 | secrets.randbits(62))
