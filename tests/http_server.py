"""A local HTTP server that ends its connections when it is closed."""

from __future__ import annotations

import contextlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class HttpServer(ThreadingHTTPServer):
    """Answers each connection in a thread of its own, until it is closed.

    A client keeps its connection for the next request, and with it the thread here. The library's server leaves both
    when it closes: after a thousand tests a process had two hundred such threads.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._open: dict[Any, threading.Thread] = {}
        self._lock = threading.Lock()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        # Here, where connections are accepted: in the thread itself it could be too late for `hang_up` to see it.
        with self._lock:
            self._open[request] = thread
        thread.start()

    def shutdown_request(self, request: Any) -> None:
        # Forgotten before it is closed: nobody may hang up on another connection that got its number.
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End every connection and wait for its thread. Call it when no more are accepted."""
        with self._lock:
            threads = list(self._open.values())
            for connection in self._open:
                # The client may have ended it.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(timeout=5)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up on a fault is what the tests are about, not news."""
