"""Ids that exist before their rows, because an event's content is sealed for the event's id."""

from __future__ import annotations

import secrets
import threading
import time
from uuid import UUID

# One second, in ticks of 1/4096 millisecond.
_PUT_BACK_TICKS = 1_000 << 12
_lock = threading.Lock()
_last = 0


def new_id() -> UUID:
    """Return a UUID of version 7 as PostgreSQL's uuidv7() makes it: milliseconds, 12 bits below them, 62 random bits.

    The ids of one process ascend, even when the clock stands still or is set back by up to a second. When the clock is
    set back further, the ids follow it: an id tells when its event was recorded, and a clock that was once ahead must
    not falsify that for ever.
    """
    global _last
    milliseconds, rest_ns = divmod(time.time_ns(), 1_000_000)
    now = (milliseconds << 12) | (rest_ns << 12) // 1_000_000
    with _lock:
        _last = tick = max(now, _last + 1) if _last - now < _PUT_BACK_TICKS else now
    return UUID(int=(tick >> 12) << 80 | 0x7 << 76 | (tick & 0xFFF) << 64 | 0b10 << 62 | secrets.randbits(62))
