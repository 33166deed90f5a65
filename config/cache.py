"""Django's cache on Redis with JSON and a few marked types, instead of Django's pickles.

A pickle is a program: an attacker who may write to Redis would run code in every process that reads from it. Here every
value that is read is only data.
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

# The key type of redis-py; Django's cache passes texts.
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
    # A dictionary that has our mark among its own keys.
    "dict": (dict, lambda each: [[key, _plain(value)] for key, value in each.items()], dict),
}
_NAMES: Final = {kind: name for name, (kind, _, _) in _TYPES.items() if kind is not dict}


# Redis answers within a millisecond. A process that waits longer than this will get no answer.
ANSWER_S: Final = 1.0
# After one call waited in vain, no other asks for this time, since a request may need Redis several times.
_PAUSE_S: Final = 1.0
# A request that waits for the broker keeps a browser waiting. A task that can't be sent now is found by the schedule.
# Each call is tried twice.
SERVING_BROKER: Final[Mapping[str, float]] = {"socket_timeout": 0.5, "socket_connect_timeout": 0.5}


class UnreadableValueError(ValueError):
    """The value in Redis was not written by this serializer."""


class JsonSerializer:
    def dumps(self, value: Any) -> int | bytes:
        """Return the value as JSON. Raises: TypeError, ValueError: it would not be read back unchanged."""
        # Redis can increment only what is written as a number (incr).
        if type(value) is int:
            return value
        return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()

    def loads(self, raw: bytes | str) -> Any:
        """Return the value of a JSON text. Raises: UnreadableValueError."""
        try:
            return int(raw)
        except ValueError:
            pass
        try:
            return json.loads(raw, object_hook=_restored)
        except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError, LookupError) as error:
            raise UnreadableValueError(type(error).__name__) from None


class PatientRedis(Redis):
    """Waits for Redis only once: after it did not answer, the next commands fail at once in the same way."""

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
    """Treats an unreadable value as missing: an earlier release wrote it, or a writer without authorisation."""

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
    """Return the value as JSON can hold it.

    The exact type decides, since a subclass would be read back as something else.
    """
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
