"""How often somebody may fail to prove who they are, before they must wait. Counted in Redis.

    attempt = attempt_begin(username="alice", address="192.0.2.7")
    ...the password is looked at...
    attempt_succeeded(attempt)      or      attempt_failed(attempt)

A window begins with the first failure and ends GLASSBOX_FAILURE_WINDOW_SECONDS later, whatever comes meanwhile: nobody
is kept out for longer by somebody who goes on failing. Within it, so many failures are let through of

- a name from one address: whoever guesses from one place shuts out themselves, and not the person elsewhere;
- an address, whatever names are tried from there;
- a name, from however many addresses.

Whether there is an account of that name, nobody asks here: names that nobody has are counted alike. What is counted is
kept under digests that are keyed with the installation's own key, without the name or the address.

Without Redis failures are not counted, and the log says so.
"""

from __future__ import annotations

import logging
import math
import time
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError

from apps.tenants.errors import TooManyAttemptsError, TooManyKeyAttemptsError

logger = logging.getLogger("glassbox.tenants")

_SALT: Final = "apps.tenants.attempts"


class Of(StrEnum):
    """Of what failures are counted."""

    NAME_FROM_ADDRESS = "name_from_address"
    ADDRESS = "address"
    NAME = "name"
    KEY_FROM_ADDRESS = "key_from_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """At most so many failures of one thing in a window. key: where they are counted."""

    of: Of
    key: str
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One that was let through. limits: what it is counted by; none without Redis. last: of these it was the last."""

    limits: tuple[Limit, ...] = ()
    last: tuple[Limit, ...] = ()


def attempt_begin(*, username: str, address: str) -> Attempt:
    """Count an attempt to sign in before its password is looked at, so that guesses at one moment are all counted.

    Args:   address: of the client; empty where the server does not know it (client_address.py).
    Raises: TooManyAttemptsError: nobody looks at the password.
    Costs:  six round trips to Redis at most.
    """
    limits = _sign_in_limits(username, address)
    taken: list[Limit] = []
    last: list[Limit] = []
    try:
        for limit in limits:
            count = _added(limit)
            if count > limit.most:
                _given_back(taken)
                raise TooManyAttemptsError(seconds=_wait_seconds(limit))
            taken.append(limit)
            if count == limit.most:
                last.append(limit)
    except RedisError as error:
        _say_that_nothing_is_counted(error)
        return Attempt()
    return Attempt(limits=tuple(taken), last=tuple(last))


def attempt_succeeded(attempt: Attempt) -> None:
    """Take it back: it was no failure. What the person mistyped before, under this name from here, is forgotten too."""
    try:
        cache.delete_many([limit.key for limit in attempt.limits if limit.of is Of.NAME_FROM_ADDRESS])
        _given_back([limit for limit in attempt.limits if limit.of is not Of.NAME_FROM_ADDRESS])
    except RedisError as error:
        _say_that_nothing_is_counted(error)


def attempt_failed(attempt: Attempt) -> tuple[Limit, ...]:
    """Returns: the limits that are used up with it, for whoever records that the next one is refused."""
    if any(limit.of is Of.ADDRESS for limit in attempt.last):
        # Of which address is nobody's business who reads the log; who was tried is recorded at each failure.
        logger.warning(
            "sign-ins from one address are refused for %d s: %d failed",
            settings.GLASSBOX_FAILURE_WINDOW_SECONDS,
            settings.GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS,
        )
    return tuple(limit for limit in attempt.last if limit.of is not Of.ADDRESS)


def key_attempt_begin(*, prefix: str, address: str) -> None:
    """Refuse a key whose secret was wrong too often from that address, before anybody looks at it.

    Of one prefix alone: other keys of the same address, a firm's single way out perhaps, go on.

    Raises: TooManyKeyAttemptsError.
    Costs:  one round trip to Redis.
    """
    limit = _key_limit(prefix, address)
    try:
        if cache.get(limit.key, 0) >= limit.most:
            raise TooManyKeyAttemptsError(seconds=_wait_seconds(limit))
    except RedisError as error:
        _say_that_nothing_is_counted(error)


def key_attempt_failed(*, prefix: str, address: str) -> bool:
    """Count a wrong secret. Returns: whether it was the last that is looked at in this window."""
    limit = _key_limit(prefix, address)
    try:
        return _added(limit) == limit.most
    except RedisError as error:
        _say_that_nothing_is_counted(error)
        return False


def _sign_in_limits(username: str, address: str) -> tuple[Limit, ...]:
    name = unicodedata.normalize("NFKC", username).strip().casefold()
    limits = [
        Limit(
            of=Of.NAME_FROM_ADDRESS,
            key=_key(Of.NAME_FROM_ADDRESS, name, address),
            most=settings.GLASSBOX_SIGN_IN_FAILURES,
        ),
        Limit(of=Of.NAME, key=_key(Of.NAME, name), most=settings.GLASSBOX_SIGN_IN_FAILURES_OF_NAME),
    ]
    if address:
        most = settings.GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS
        limits.insert(0, Limit(of=Of.ADDRESS, key=_key(Of.ADDRESS, address), most=most))
    return tuple(limits)


def _key_limit(prefix: str, address: str) -> Limit:
    key = _key(Of.KEY_FROM_ADDRESS, prefix, address)
    return Limit(of=Of.KEY_FROM_ADDRESS, key=key, most=settings.GLASSBOX_KEY_FAILURES)


def _key(of: Of, *parts: str) -> str:
    digest = salted_hmac(_SALT, "\0".join((of, *parts)), algorithm="sha256").hexdigest()
    return f"attempts:{of}:{digest}"


def _added(limit: Limit) -> int:
    """Count one more, atomically. Returns: how many there are in this window."""
    window: int = settings.GLASSBOX_FAILURE_WINDOW_SECONDS
    if cache.add(limit.key, 0, timeout=window):
        cache.set(_end_of(limit), time.time() + window, timeout=window)
    try:
        return int(cache.incr(limit.key))
    except ValueError:
        # The window ended between the two.
        cache.set(limit.key, 1, timeout=window)
        cache.set(_end_of(limit), time.time() + window, timeout=window)
        return 1


def _given_back(limits: list[Limit]) -> None:
    for limit in limits:
        try:
            cache.decr(limit.key)
        except ValueError:
            continue  # its window has ended: there is nothing to give back


def _end_of(limit: Limit) -> str:
    return f"{limit.key}:end"


def _wait_seconds(limit: Limit) -> int:
    now = time.time()
    end: float = cache.get(_end_of(limit), now)
    return max(1, math.ceil(end - now))


def _say_that_nothing_is_counted(error: RedisError) -> None:
    logger.error("failures to sign in are not limited: Redis can't be reached (%s)", type(error).__name__)
