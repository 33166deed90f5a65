"""Keep a connection usable for the next request, or say in the answer that it will be closed.

A view that refuses a request does not read its body. The rest of the body then precedes the next request on the
connection, so it is read and dropped here, if it arrives soon. Otherwise the answer says `Connection: close`. gunicorn
would drop up to 64 KiB and close the connection without notice if there is more, and the client's next request on the
connection would be lost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Any, Final

# More than the largest upload, since many clients send all of it before they read any of the answer.
_DROPPED_BYTES: Final = 256 * 1024 * 1024
_DROPPED_WITHIN_S: Final = 10.0
_PIECE_BYTES: Final = 64 * 1024

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

_of_thread = threading.local()


def begin(request: Any) -> None:
    """Remember the request on the thread that will answer it (gunicorn's pre_request).

    The header Connection may be set only by the server.
    """
    _of_thread.request = request


def _close_afterwards() -> None:
    request = getattr(_of_thread, "request", None)
    if request is not None:
        request.force_close()


class _Body:
    """A wsgi.input that remembers whether its end was reached."""

    def __init__(self, stream: Any, length: int | None) -> None:
        self._stream = stream
        self._left = length
        self.is_read = length == 0

    def read(self, size: int | None = None) -> bytes:
        return self._noted(self._stream.read() if size is None else self._stream.read(size), size)

    def readline(self, size: int | None = None) -> bytes:
        return self._noted(self._stream.readline() if size is None else self._stream.readline(size), size)

    def readlines(self, hint: int | None = None) -> list[bytes]:
        return list(self)

    def __iter__(self) -> Iterator[bytes]:
        while line := self.readline():
            yield line

    def _noted(self, piece: bytes, size: int | None) -> bytes:
        if self._left is not None:
            self._left -= len(piece)
        if self._left == 0 or (not piece and size != 0):
            self.is_read = True
        return piece


class CleanConnections:
    """A wrapper around the WSGI application, so that it also covers refusals by middleware and by Django itself."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        body = _Body(environ["wsgi.input"], _length(environ))
        environ["wsgi.input"] = body

        def start(*args: Any) -> Any:
            if not body.is_read and not _dropped(body, environ.get("gunicorn.socket")):
                _close_afterwards()
            return start_response(*args)

        return self._application(environ, start)


def _length(environ: Environ) -> int | None:
    """Return the length of the body, or None if it is not announced because the body is sent in chunks."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        return None
    text = environ.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isascii() and text.isdigit() else 0


def _dropped(body: _Body, connection: Any) -> bool:
    """Read the rest of the body. Returns: whether its end was reached."""
    deadline, left = monotonic() + _DROPPED_WITHIN_S, _DROPPED_BYTES
    patience = connection.gettimeout() if connection is not None else None
    try:
        while left > 0 and (remaining := deadline - monotonic()) > 0:
            if connection is not None:
                connection.settimeout(remaining)
            left -= len(body.read(_PIECE_BYTES))
            if body.is_read:
                return True
    except OSError:
        # The sender has stopped, or has closed the connection.
        return False
    finally:
        if connection is not None:
            connection.settimeout(patience)
    return False
