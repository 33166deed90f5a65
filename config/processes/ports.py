"""A TCP port for the web process."""

from __future__ import annotations

import os
import socket
from typing import Final

from .errors import PortTakenError

_SEARCHED: Final = 100
# As in gunicorn.
_BACKLOG: Final = 2048


def take_port(port: int, *, host: str = "127.0.0.1", search: bool = False) -> socket.socket:
    """Bind a socket to pass to a server. From then on no other process can take the port.

    Args:
        search: take the next free one when `port` is taken.
    Raises: PortTakenError: it is taken, or none of the next hundred is free; or the host is not ours.
    """
    last = min(65535, port + _SEARCHED if search else port)
    reason = ""
    for candidate in range(port, last + 1):
        bound = _bound(host, candidate)
        if isinstance(bound, socket.socket):
            return bound
        reason = bound
    raise PortTakenError(port=port if last == port else f"{port} to {last}", host=host, reason=reason)


def choose_port(port: int, *, host: str = "127.0.0.1", search: bool = False) -> int:
    """Return a port that is free now, for programs that can't be given a socket. Raises as take_port does."""
    with take_port(port, host=host, search=search) as bound:
        return int(bound.getsockname()[1])


def _bound(host: str, port: int) -> socket.socket | str:
    """Return the socket, or the reason why it can't be bound."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        return _words(error)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # servers set this too
        bound.bind(address)
        # Listen as well: two processes can bind the same port, and the first that listens gets it.
        bound.listen(_BACKLOG)
    except OSError as error:
        bound.close()
        return _words(error)
    return bound


def _words(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
