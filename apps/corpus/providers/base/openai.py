"""A provider behind OpenAI, or behind any server that speaks its protocol."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

import openai

from apps.errors import ApplicationError

from .exchange import followed
from .http import CONNECT_TIMEOUT_SECONDS, HttpProvider, Response
from .profiles import ProfileT

# Set here, since the client would otherwise use OPENAI_BASE_URL, and an environment variable must not send a tenant's
# text to another region than the profile says.
PUBLIC_BASE_URL: Final = "https://api.openai.com/v1"


class OpenAIServer(HttpProvider[ProfileT]):
    """A provider that calls a server through OpenAI's client library, over connections that its threads share."""

    def __init__(self, profile: ProfileT) -> None:
        super().__init__(profile)
        self._client: openai.OpenAI | None = None

    def _post(
        self,
        call: Callable[[openai.OpenAI, openai.Timeout], AbstractContextManager[Response]],
        seconds: float | None = None,
    ) -> bytes:
        """Send one request and return the whole body.

        Args:    call: a streaming request of the client, with the timeout to pass on.
                 seconds: for the whole body; None for the profile's timeout. Who follows the request may leave less.
        """
        seconds = min(seconds or self._profile.timeout_seconds, followed().timeout_seconds)
        try:
            timeout = openai.Timeout(seconds, connect=CONNECT_TIMEOUT_SECONDS)
            return self._read(call(self._connected(), timeout), seconds)
        except openai.OpenAIError as error:
            raise self._translated(error, seconds) from error

    def _connected(self) -> openai.OpenAI:
        if self._client is None:
            base_url = self._profile.base_url or PUBLIC_BASE_URL
            self._client = openai.OpenAI(api_key=self._key(), base_url=base_url, max_retries=0)
        return self._client

    def _translated(self, error: openai.OpenAIError, seconds: float) -> ApplicationError:
        match error:
            case openai.APITimeoutError():
                return self._timed_out(seconds)
            case openai.APIConnectionError():
                return self._unavailable("no connection")
            case openai.APIStatusError():
                return self._refused(error.response)
            case _:
                return self._unavailable(type(error).__name__)
