"""Count against a limit in one atomic step of Redis, so that simultaneous requests can't all pass on the same count.

Each function is one script, which Redis runs as a whole. A count and its expiry belong to one key, so that a crash
between two commands can't leave a count that never expires. All functions raise RedisError if Redis can't be reached,
and the caller decides what happens then.

The callers (throttling and attempts) name the keys and classify them as personal data.
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

# Either all counts go up by one, or none does. In that case the result is the place of the first count that is used
# up, and the milliseconds until its window ends.
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

# A count whose window has ended meanwhile is not changed: otherwise it would begin below zero, and without an expiry.
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
    """The result of counting.

    counts: the count of each key, including this one; empty if one of them was used up already.
    wait_s: the seconds until the window of the used-up count ends; 0 if none was.
    """

    counts: tuple[int, ...] = ()
    wait_s: float = 0.0

    @property
    def is_refused(self) -> bool:
        return not self.counts


def slide(key: str, *, most: int, window_s: int) -> float:
    """Let a call through if there were fewer than `most` in the window that ends now.

    Returns: 0 if the call was let through and counted; otherwise the seconds until another call would be let through.
    """
    wait_us: int = _run(_SLIDE, [key], most, window_s * 1_000_000)
    return wait_us / 1_000_000


def add(keys: Sequence[str], *, most: Sequence[int], window_s: int) -> Counted:
    """Add one to the count of each key, unless one of them is used up already. A window begins with its first count."""
    used_up, wait_ms, *counts = _run(_ADD, keys, window_s * 1000, *most)
    return Counted(wait_s=wait_ms / 1000) if used_up else Counted(counts=tuple(int(count) for count in counts))


def look(key: str, *, most: int) -> float:
    """Return the seconds until the window of a used-up count ends, and 0 if it is not used up. Counts nothing."""
    wait_ms: int = _run(_LOOK, [key], most)
    return wait_ms / 1000


def give_back(keys: Sequence[str]) -> None:
    """Take one off each count whose window has not ended."""
    if keys:
        _run(_GIVE_BACK, keys)


def forget(keys: Sequence[str]) -> None:
    if keys:
        client().delete(*map(cache.make_key, keys))


def _run(script: str, keys: Sequence[str], *arguments: int) -> Any:
    # The client sends only the script's digest, and then its text if Redis does not know the script yet.
    return client().register_script(script)(keys=[*map(cache.make_key, keys)], args=arguments)


def client() -> Redis:
    """Return a client of the cache's connection pool, with the same address and rights."""
    client: Redis = cache._cache.get_client(None, write=True)  # type: ignore[attr-defined]
    return client
