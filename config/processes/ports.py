"""A TCP port for the web process."""

from __future__ import annotations

import os
import socket
from typing import Final

from .errors import PortTakenError

_SEARCHED: Final = 100


def choose_port(port: int, *, host: str = "127.0.0.1", search: bool = False) -> int:
    """A port that a server can listen on at this moment.

    Args:
        search: take the next free one when `port` is taken.
    Raises: PortTakenError: it is taken, or none of the next hundred is free; or the host is not ours.
    """
    last = min(65535, port + _SEARCHED if search else port)
    reason = ""
    for candidate in range(port, last + 1):
        reason = _obstacle(host, candidate)
        if not reason:
            return candidate
    raise PortTakenError(port=port if last == port else f"{port} to {last}", host=host, reason=reason)


def _obstacle(host: str, port: int) -> str:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            probe.bind(address)
    except OSError as error:
        return os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return ""
