"""Limits on failed attempts to authenticate, counted in Redis. Beyond a limit, further attempts must wait.

    attempt = attempt_begin(username="alice", address="192.0.2.7")
    ...the password is looked at...
    attempt_succeeded(attempt)      or      attempt_failed(attempt)

A window begins with the first failure and ends GLASSBOX_FAILURE_WINDOW_SECONDS later, whatever happens meanwhile.
Somebody who goes on failing therefore does not prolong it. Within a window, the number of failures is limited for

- a name from one address, so that somebody who guesses from one place locks out only that place;
- an address, whatever names are tried from it;
- a name, from however many addresses.

This module does not look accounts up: names without an account are counted in the same way. The counts are kept under
digests that are keyed with the installation's key, and contain neither the name nor the address.

If Redis can't be reached, failed sign-ins are not counted, and the log says so, because otherwise nobody could sign
in. Codes of a second factor are refused then, because a code has only six digits.
"""

from __future__ import annotations

import logging
import math
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.conf import settings
from django.utils.crypto import salted_hmac
from redis.exceptions import RedisError

from apps.tenants import counting
from apps.tenants.counting import Counted
from apps.tenants.errors import (
    SecondFactorError,
    TooManyAttemptsError,
    TooManyCodesError,
    TooManyKeyAttemptsError,
    TooManyLettersError,
)

logger = logging.getLogger("glassbox.tenants")

_SALT: Final = "apps.tenants.attempts"


class Of(StrEnum):
    """What failures are counted by."""

    NAME_FROM_ADDRESS = "name_from_address"
    ADDRESS = "address"
    NAME = "name"
    KEY_FROM_ADDRESS = "key_from_address"
    CODES = "codes"
    LETTERS_TO_NAME = "letters_to_name"
    LETTERS_TO_NAME_FROM_ADDRESS = "letters_to_name_from_address"
    LETTERS_FROM_ADDRESS = "letters_from_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit on the failures in one window. most: the greatest number allowed. key: the Redis key of the count."""

    of: Of
    key: str
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt that was let through.

    limits: the limits that it is counted by; empty without Redis. last: those of them that it used up.
    """

    limits: tuple[Limit, ...] = ()
    last: tuple[Limit, ...] = ()


def attempt_begin(*, username: str, address: str) -> Attempt:
    """Count an attempt to sign in before its password is checked, so that simultaneous guesses are all counted.

    Args:   address: the client's address; empty if the server does not know it (client_address.py).
    Raises: TooManyAttemptsError: the password is not checked.
    Costs:  one round trip to Redis.
    """
    limits = _sign_in_limits(username, address)
    try:
        counted = _added(limits)
    except RedisError as error:
        _say_that_nothing_is_counted(error)
        return Attempt()
    if counted.is_refused:
        raise TooManyAttemptsError(seconds=_seconds(counted.wait_s))
    last = tuple(limit for limit, count in zip(limits, counted.counts, strict=True) if count == limit.most)
    return Attempt(limits=limits, last=last)


def attempt_succeeded(attempt: Attempt) -> None:
    """Undo the count of an attempt that succeeded.

    The earlier failures of this name from this address are forgotten too.
    """
    try:
        counting.forget([limit.key for limit in attempt.limits if limit.of is Of.NAME_FROM_ADDRESS])
        counting.give_back([limit.key for limit in attempt.limits if limit.of is not Of.NAME_FROM_ADDRESS])
    except RedisError as error:
        _say_that_nothing_is_counted(error)


def attempt_failed(attempt: Attempt) -> tuple[Limit, ...]:
    """Keep the count of an attempt that failed, and log if it used up the limit of its address.

    Returns: the other limits that the attempt used up; the caller can record that further attempts are refused.
    """
    if any(limit.of is Of.ADDRESS for limit in attempt.last):
        # The log does not name the address. The name that was tried is recorded at each failure.
        logger.warning(
            "sign-ins from one address are refused for %d s: %d failed",
            settings.GLASSBOX_FAILURE_WINDOW_SECONDS,
            settings.GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS,
        )
    return tuple(limit for limit in attempt.last if limit.of is not Of.ADDRESS)


def key_attempt(*, prefix: str, address: str, is_right: bool) -> bool:
    """Count a wrong secret of an API key. Beyond the limit refuse every secret from that address, even the right one.

    The check and the count are one step, after the secret was compared and before the caller learns the result. Of
    simultaneous guesses, no more are answered than the limit allows; calls with the right secret are not counted. The
    limit applies to one key prefix, so that other keys from the same address, which may be a firm's only one, go on
    working.

    Raises:  TooManyKeyAttemptsError: the caller does not learn whether the secret was right.
    Returns: whether this was the last wrong secret that is answered in this window.
    Costs:   one round trip to Redis.
    """
    limit = _key_limit(prefix, address)
    try:
        if is_right:
            wait_s, count = counting.look(limit.key, most=limit.most), 0
        else:
            counted = _added((limit,))
            wait_s, count = counted.wait_s, max(counted.counts, default=0)
    except RedisError as error:
        _say_that_nothing_is_counted(error)
        return False
    if wait_s:
        raise TooManyKeyAttemptsError(seconds=_seconds(wait_s))
    return count == limit.most


def letter_asked(*, username: str, address: str) -> bool:
    """Count a request for a link to set a password: by address and by name from that address, and then by name.

    Somebody who asks too often from one address is refused there, and does not use up the letters of the name. A name
    that was asked for from many addresses gets no further letter in this window; the links already sent work for an
    hour each.

    Returns: whether to send a letter; the client gets the same answer either way.
    Raises:  TooManyLettersError: nothing is sent. It is raised for names without an account too.
    """
    name = _plain(username)
    ofs = [
        (Of.LETTERS_TO_NAME_FROM_ADDRESS, (name, address), settings.GLASSBOX_SIGN_IN_FAILURES),
        (Of.LETTERS_TO_NAME, (name,), settings.GLASSBOX_SIGN_IN_FAILURES_OF_NAME),
    ]
    if address:
        ofs.insert(0, (Of.LETTERS_FROM_ADDRESS, (address,), settings.GLASSBOX_SIGN_IN_FAILURES_OF_ADDRESS))
    limits = [Limit(of=of, key=_key(of, *parts), most=most) for of, parts, most in ofs]
    try:
        counted = _added(tuple(limits[:-1]))
        if counted.is_refused:
            raise TooManyLettersError(seconds=_seconds(counted.wait_s))
        return not _added((limits[-1],)).is_refused
    except RedisError as error:
        _say_that_nothing_is_counted(error)
        return True


def factor_tried(*, user_id: UUID) -> Limit:
    """Count a code of a second factor before it is checked. The limit is GLASSBOX_SIGN_IN_FAILURES.

    Raises: TooManyCodesError: the code is not checked. SecondFactorError: Redis can't be reached, so the code is not
            checked.
    """
    limit = Limit(of=Of.CODES, key=_key(Of.CODES, str(user_id)), most=settings.GLASSBOX_SIGN_IN_FAILURES)
    try:
        counted = _added((limit,))
    except RedisError as error:
        logger.error("codes of second factors are refused: Redis can't be reached (%s)", type(error).__name__)  # noqa: TRY400
        raise SecondFactorError("tenants.codes_not_counted") from error
    if counted.is_refused:
        raise TooManyCodesError(seconds=_seconds(counted.wait_s))
    return limit


def factor_used(limit: Limit) -> None:
    """Forget the wrong codes of a person who has now entered a right one."""
    try:
        counting.forget([limit.key])
    except RedisError as error:
        _say_that_nothing_is_counted(error)


def _plain(username: str) -> str:
    return unicodedata.normalize("NFKC", username).strip().casefold()


def _sign_in_limits(username: str, address: str) -> tuple[Limit, ...]:
    name = _plain(username)
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


def _added(limits: tuple[Limit, ...]) -> Counted:
    return counting.add(
        [limit.key for limit in limits],
        most=[limit.most for limit in limits],
        window_s=settings.GLASSBOX_FAILURE_WINDOW_SECONDS,
    )


def _seconds(wait_s: float) -> int:
    return max(1, math.ceil(wait_s))


def _say_that_nothing_is_counted(error: RedisError) -> None:
    logger.error("failures to sign in are not limited: Redis can't be reached (%s)", type(error).__name__)
