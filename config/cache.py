"""What Django's cache writes to Redis: JSON, with a few types of ours. Django's own unpickles what it reads.

A pickle is a program: whoever may write to Redis would run code in every process that reads from it. Here what is read
is data or nothing.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from time import monotonic
from typing import Any, Final
from uuid import UUID
from weakref import WeakKeyDictionary

from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

logger = logging.getLogger("glassbox")

# As redis-py has it; Django's cache gives texts.
_Key = str | bytes | memoryview

# The key that marks a value of another type: {"!": "uuid", "v": "..."}.
_MARK: Final = "!"
_TYPES: Final[Mapping[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "tuple": (tuple, lambda each: [_plain(one) for one in each], tuple),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "seconds": (timedelta, timedelta.total_seconds, lambda seconds: timedelta(seconds=seconds)),
    "uuid": (UUID, str, UUID),
    "decimal": (Decimal, str, Decimal),
    "bytes": (bytes, lambda raw: base64.b64encode(raw).decode(), lambda text: base64.b64decode(text, validate=True)),
    # One that has our mark among its own keys.
    "dict": (dict, lambda each: [[key, _plain(value)] for key, value in each.items()], dict),
}
_NAMES: Final = {kind: name for name, (kind, _, _) in _TYPES.items() if kind is not dict}


# Redis answers within a millisecond. Whoever waits longer waits for nobody.
ANSWER_S: Final = 1.0
# So long nobody asks again after one waited in vain: a request may want something of it several times.
_PAUSE_S: Final = 1.0
# Whoever waits for the broker in a request is somebody's browser; what isn't sent now is found by the clock.
# It is tried twice.
SERVING_BROKER: Final[Mapping[str, float]] = {"socket_timeout": 0.5, "socket_connect_timeout": 0.5}


class UnreadableValueError(ValueError):
    """What lies in Redis was not written by this serializer."""


class JsonSerializer:
    def dumps(self, value: Any) -> int | bytes:
        """Raises: TypeError, ValueError: it holds what would not come back as itself."""
        # Redis counts up what is written as a number (incr).
        if type(value) is int:
            return value
        return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()

    def loads(self, raw: bytes | str) -> Any:
        """Raises: UnreadableValueError."""
        try:
            return int(raw)
        except ValueError:
            pass
        try:
            return json.loads(raw, object_hook=_restored)
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError, LookupError) as error:
            raise UnreadableValueError(type(error).__name__) from None


class PatientRedis(Redis):
    """Waits for Redis once: where it did not answer just now, the next commands fail at once, as it would."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        if monotonic() < _not_before.get(self.connection_pool, 0.0):
            raise RedisConnectionError("Redis did not answer a moment ago")
        try:
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        except (RedisConnectionError, RedisTimeoutError):
            _not_before[self.connection_pool] = monotonic() + _PAUSE_S
            raise


_not_before: WeakKeyDictionary[Any, float] = WeakKeyDictionary()


class JsonRedisCacheClient(RedisCacheClient):
    """What can't be read counts as not there: an earlier release wrote it, or somebody who should not write here."""

    _serializer: JsonSerializer

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"socket_timeout": ANSWER_S, "socket_connect_timeout": ANSWER_S, **options})
        self._client = PatientRedis

    def get(self, key: _Key, default: Any) -> Any:
        raw = self.get_client(key).get(key)
        return default if raw is None else self._read(key, raw, default)

    def get_many(self, keys: Iterable[_Key]) -> dict[_Key, Any]:
        names, missing = list(keys), object()
        found = zip(names, self.get_client(None).mget(names), strict=True)
        read = {key: self._read(key, raw, missing) for key, raw in found if raw is not None}
        return {key: value for key, value in read.items() if value is not missing}

    def _read(self, key: _Key, raw: bytes | str, default: Any) -> Any:
        try:
            return self._serializer.loads(raw)
        except UnreadableValueError as error:
            logger.warning("what lies in Redis under %s is none of ours, and is left alone (%s)", key, error)
            return default


class JsonRedisCache(RedisCache):
    """Django's cache on Redis, without pickles."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        super().__init__(server, {**params, "OPTIONS": {"serializer": JsonSerializer, **params.get("OPTIONS", {})}})
        self._class = JsonRedisCacheClient


def _plain(value: Any) -> Any:
    """As JSON has it. By the exact type: a subclass would come back as something else."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if kind is list:
        return [_plain(each) for each in value]
    if kind is dict:
        if not all(type(key) is str for key in value):
            raise TypeError("a dictionary whose keys are not all texts can't be cached")
        if _MARK in value:
            return {_MARK: "dict", "v": _TYPES["dict"][1](value)}
        return {key: _plain(each) for key, each in value.items()}
    if kind in _NAMES:
        name = _NAMES[kind]
        return {_MARK: name, "v": _TYPES[name][1](value)}
    raise TypeError(f"{kind.__name__} can't be cached: JSON does not have it, and config/cache.py does not name it")


def _restored(found: dict[str, Any]) -> Any:
    if _MARK not in found:
        return found
    if found.keys() != {_MARK, "v"}:
        raise ValueError("a mark without its value")
    return _TYPES[found[_MARK]][2](found["v"])
