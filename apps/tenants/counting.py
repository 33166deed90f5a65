"""Counting against a limit in one step of Redis: requests of one moment can't all pass by the same count.

Each function is one script, which Redis runs as a whole. A count and its end are one key, so that no crash between two
commands leaves a count that never ends. Whoever calls says what happens without Redis: all raise RedisError.

The keys are named, and classified as personal data, by those who count: throttling and attempts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import cache
from redis import Redis

# The times of the calls that were let through, oldest first, by Redis' own clock.
_SLIDE: Final = """
local most, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
    redis.call('LPOP', KEYS[1])
    oldest = redis.call('LINDEX', KEYS[1], 0)
end
if redis.call('LLEN', KEYS[1]) >= most then
    return math.max(1, (oldest and tonumber(oldest) or now) + window - now)
end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return 0
"""

# Either all counts go up by one, or none. The first that is used up is told, with the milliseconds until it ends.
_ADD: Final = """
local window = tonumber(ARGV[1])
for place, key in ipairs(KEYS) do
    if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[place + 1]) then
        return {place, math.max(1, redis.call('PTTL', key))}
    end
end
local counts = {0, 0}
for _, key in ipairs(KEYS) do
    local count = redis.call('INCR', key)
    if count == 1 then
        redis.call('PEXPIRE', key, window)
    end
    table.insert(counts, count)
end
return counts
"""

_LOOK: Final = """
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then
    return math.max(1, redis.call('PTTL', KEYS[1]))
end
return 0
"""

# A count whose window has ended meanwhile has nothing to give back: it must not begin below zero, nor without an end.
_GIVE_BACK: Final = """
for _, key in ipairs(KEYS) do
    if tonumber(redis.call('GET', key) or '0') > 0 then
        redis.call('DECR', key)
    end
end
return 0
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """counts: of each key, this one included; empty where one was used up, and then wait_s until its window ends."""

    counts: tuple[int, ...] = ()
    wait_s: float = 0.0

    @property
    def is_refused(self) -> bool:
        return not self.counts


def slide(key: str, *, most: int, window_s: int) -> float:
    """Let a call through where fewer than `most` were in the window that ends now.

    Returns: 0 where it was let through and counted, else the seconds until one more would be.
    """
    wait_us: int = _run(_SLIDE, [key], most, window_s * 1_000_000)
    return wait_us / 1_000_000


def add(keys: Sequence[str], *, most: Sequence[int], window_s: int) -> Counted:
    """Count one more under each key, unless one of them is used up already. A window begins with its first count."""
    used_up, wait_ms, *counts = _run(_ADD, keys, window_s * 1000, *most)
    return Counted(wait_s=wait_ms / 1000) if used_up else Counted(counts=tuple(int(count) for count in counts))


def look(key: str, *, most: int) -> float:
    """Returns: the seconds until the window ends of a count that is used up, else 0. Counts nothing."""
    wait_ms: int = _run(_LOOK, [key], most)
    return wait_ms / 1000


def give_back(keys: Sequence[str]) -> None:
    """Take one off each count, as far as its window has not ended."""
    if keys:
        _run(_GIVE_BACK, keys)


def forget(keys: Sequence[str]) -> None:
    if keys:
        client().delete(*map(cache.make_key, keys))


def _run(script: str, keys: Sequence[str], *arguments: int) -> Any:
    # Sent by its digest; the text follows where this Redis does not know it yet.
    return client().register_script(script)(keys=[*map(cache.make_key, keys)], args=arguments)


def client() -> Redis:
    """A client of the cache's own pool, with its address and its rights."""
    client: Redis = cache._cache.get_client(None, write=True)  # type: ignore[attr-defined]
    return client
