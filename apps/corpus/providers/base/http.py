"""HTTP to a provider: one deadline and one limit for the whole body, and our errors for every way to fail."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, Protocol

import httpx2

from apps.errors import ApplicationError

from .exchange import followed
from .prices import read_price
from .profiles import ProfileT

CONNECT_TIMEOUT_SECONDS: Final = 5.0


class Response(Protocol):
    """A response whose body is still to be read."""

    def iter_bytes(self) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The errors of one kind of provider, one for each way in which a call can fail.

    unusable: an answer came that can't be used. Data besides whose failure it is: timeout_seconds, reason (of
    unavailable and unusable), api_key_env, retry_after_seconds (None if not said), http_status.
    """

    timed_out: type[ApplicationError]
    unavailable: type[ApplicationError]
    unusable: type[ApplicationError]
    key_refused: type[ApplicationError]
    rate_limited: type[ApplicationError]
    request_refused: type[ApplicationError]


class HttpProvider(Generic[ProfileT]):
    """A provider that asks a server. It never retries: its caller does, visibly."""

    failures: ClassVar[Failures]
    largest_body_bytes: ClassVar[int]

    def __init__(self, profile: ProfileT) -> None:
        self._profile = profile
        self.name, self.model, self.region = profile.name, profile.model, profile.region
        self.price = read_price(profile.price)

    def _failed(self, error: type[ApplicationError], **data: Any) -> ApplicationError:
        return error(provider=self.name, **data)

    def _timed_out(self, seconds: float) -> ApplicationError:
        return self._failed(self.failures.timed_out, timeout_seconds=seconds)

    def _unavailable(self, reason: str) -> ApplicationError:
        return self._failed(self.failures.unavailable, reason=reason)

    def _unusable(self, reason: str) -> ApplicationError:
        return self._failed(self.failures.unusable, reason=reason)

    def _rate_limited(self, retry_after: str | None) -> ApplicationError:
        """Read Retry-After in seconds; its other form, a date, is left to the caller's own pauses."""
        try:
            seconds = max(0.0, float(retry_after)) if retry_after else None
        except ValueError:
            seconds = None
        return self._failed(self.failures.rate_limited, retry_after_seconds=seconds)

    def _key(self) -> str:
        """Return the key to send, which a server without keys ignores."""
        variable = self._profile.api_key_env
        key = os.environ.get(variable, "") if variable else "unused"
        if not key:
            raise self._failed(self.failures.key_refused, api_key_env=variable)
        return key

    def _read(self, call: AbstractContextManager[Response], seconds: float) -> bytes:
        """Send one request and read the whole body before the deadline.

        The client's own timeout counts from one received block to the next, so a server that sends one byte per second
        would hold a worker for ever. Reading the body block by block applies the deadline to the whole body.

        Args: call: sends the request when it is entered.
        """
        deadline = time.monotonic() + seconds
        blocks: list[bytes] = []
        size_bytes = 0
        exchange = followed()
        try:
            with call as response:
                exchange.reply_begins()
                for block in response.iter_bytes():
                    blocks.append(block)
                    size_bytes += len(block)
                    if time.monotonic() > deadline:
                        raise self._timed_out(seconds)
                    if size_bytes > self.largest_body_bytes:
                        raise self._unusable("the answer is too large")
        except httpx2.TimeoutException as error:
            raise self._timed_out(seconds) from error
        except httpx2.RequestError as error:
            raise self._unavailable("the connection broke off") from error
        return b"".join(blocks)

    def _refused(self, response: httpx2.Response) -> ApplicationError:
        """Return the error that the status of a response means."""
        match response.status_code:
            case 401 | 403:
                return self._failed(self.failures.key_refused, api_key_env=self._profile.api_key_env or "the key")
            case 429:
                return self._rate_limited(response.headers.get("retry-after"))
            case status if status >= 500 or status in (408, 409):
                return self._unavailable(f"HTTP {status}")
            case status:
                return self._failed(self.failures.request_refused, http_status=status)
