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

Without Redis failed sign-ins are not counted, and the log says so: otherwise nobody got in. A code of a second factor
has six digits, and is not looked at then.
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
    CodesNotCountedError,
    TooManyAttemptsError,
    TooManyCodesError,
    TooManyKeyAttemptsError,
    TooManyLettersError,
)

logger = logging.getLogger("glassbox.tenants")

_SALT: Final = "apps.tenants.attempts"


class Of(StrEnum):
    """Of what failures are counted."""

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
    """Take it back: it was no failure. What the person mistyped before, under this name from here, is forgotten too."""
    try:
        counting.forget([limit.key for limit in attempt.limits if limit.of is Of.NAME_FROM_ADDRESS])
        counting.give_back([limit.key for limit in attempt.limits if limit.of is not Of.NAME_FROM_ADDRESS])
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


def key_attempt(*, prefix: str, address: str, is_right: bool) -> bool:
    """Count a wrong secret, and refuse every one once too many from that address were wrong, a right one included.

    In one step, after the secret was compared and before anybody is told how that went: of guesses at one moment no
    more are answered than the limit lets through, and calls with the right secret at one moment do not count at all.
    Of one prefix alone: other keys of the same address, a firm's single way out perhaps, go on.

    Raises:  TooManyKeyAttemptsError: whether the secret was right is not told.
    Returns: whether it was the last wrong one that is answered in this window.
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
    """Count that somebody asked for a link to set a password: from an address, and of a name from there, before a name.

    Whoever asks too often from one place is refused there, and uses up nobody else's letters. A name that was asked for
    from many places gets no further letter in this window: those that are under way work, for an hour each.

    Returns: whether a letter is to be sent; whoever asked is told the same either way.
    Raises:  TooManyLettersError: nothing is sent. The same for a name that nobody has.
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
    """Count a code of a second factor before it is looked at. As many as sign-ins of a name fail.

    Raises: TooManyCodesError: nobody looks at it. CodesNotCountedError: nor without Redis.
    """
    limit = Limit(of=Of.CODES, key=_key(Of.CODES, str(user_id)), most=settings.GLASSBOX_SIGN_IN_FAILURES)
    try:
        counted = _added((limit,))
    except RedisError as error:
        logger.error("codes of second factors are refused: Redis can't be reached (%s)", type(error).__name__)  # noqa: TRY400
        raise CodesNotCountedError from error
    if counted.is_refused:
        raise TooManyCodesError(seconds=_seconds(counted.wait_s))
    return limit


def factor_used(limit: Limit) -> None:
    """The code was right: what was mistyped before is forgotten."""
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
