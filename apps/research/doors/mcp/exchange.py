"""One message of MCP over HTTP, answered by the SDK's own transport: nothing is kept from one message to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


@dataclass(slots=True)
class Sent:
    """An answer of the transport."""

    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def exchange(server: Server[Any], *, path: str, headers: Mapping[str, str], body: bytes) -> Sent:
    """Answer one POST. Call it where no event loop runs.

    Args: headers: those that the transport reads.
    """
    sent = Sent()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
        "client": None,
        "server": None,
    }
    anyio.run(_handle, server, scope, body, sent)
    return sent


async def _handle(server: Server[Any], scope: dict[str, Any], body: bytes, sent: Sent) -> None:
    unread = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not unread:
            # The client is there until the answer is sent.
            await anyio.sleep_forever()
        return unread.pop()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            sent.status = message["status"]
            sent.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        else:
            sent.body += message.get("body", b"")

    manager = StreamableHTTPSessionManager(app=server, json_response=True, stateless=True)
    async with manager.run():
        await manager.handle_request(scope, receive, send)
