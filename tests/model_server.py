"""A small model server that speaks the OpenAI protocol over real HTTP, and can be told to misbehave.

In a test:

    with ModelServer() as server:
        server.fail_with(Fault.RATE_LIMITED, times=1)
        ...
        assert server.requests[0].body["model"] == "text-embedding-3-small"

On its own: `python -m tests.model_server --port 8099 [--fault error_500]`; there `POST /control/fault` with
`{"fault": "hang", "times": 2}` switches a fault and `GET /control/requests` lists what came in.

Vectors are sums of one pseudo-random direction a word, so texts that share words are near one another, and the same
text gives the same bytes in every process.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import threading
import time
from collections.abc import Mapping
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tests.http_server import HttpServer
from tests.model_script import Fault, RecordedRequest, Script, hashed_vector

__all__ = ["Fault", "ModelServer", "RecordedRequest", "hashed_vector"]

MODELS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
TRICKLE_SECONDS_PER_BYTE = 0.05
TRICKLE_SECONDS_PER_EVENT = 2.0
LONGEST_HANG_SECONDS = 60.0


class ModelServer(Script):
    """The server as a context manager; it listens on a free local port from construction to `close`."""

    def __init__(self, *, port: int = 0, retry_after_seconds: int = 7, api_key: str | None = None) -> None:
        super().__init__()
        self.retry_after_seconds = retry_after_seconds
        self.api_key = api_key
        self.released = threading.Event()
        self._http = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """What a client is configured with, `/v1` included."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        """Stop listening; requests that hang are let go, and kept connections are ended."""
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._http.hang_up()
        self._thread.join(timeout=5)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Server(HttpServer):
    def __init__(self, address: tuple[str, int], owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    _retry_at_date = False
    server: _Server

    def do_GET(self) -> None:
        if self.path == "/control/requests":
            self._send_json(
                200, [{"path": request.path, "body": request.body} for request in self.server.owner.requests]
            )
            return
        if self._failed(fault := self._recorded({})):
            return
        if self.path == "/v1/models":
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in MODELS]
            self._send_json(200, {"object": "list", "data": models}, fault)
        else:
            self._send_error(404, "unknown_url", f"Unknown request URL: GET {self.path}")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        if self.path == "/control/fault":
            self.server.owner.fail_with(Fault(body["fault"]) if body.get("fault") else None, times=body.get("times"))
            self._send_json(200, {})
            return
        if self._failed(fault := self._recorded(body)):
            return
        match self.path:
            case "/v1/embeddings":
                self._embeddings(body, fault)
            case "/v1/chat/completions":
                self._chat(body, fault)
            case _:
                self._send_error(404, "unknown_url", f"Unknown request URL: POST {self.path}")

    def _recorded(self, body: Mapping[str, Any]) -> Fault | None:
        fault = self.server.owner.record(
            RecordedRequest(
                self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body
            )
        )
        wanted = self.server.owner.api_key
        if fault is None and wanted is not None and self.headers.get("Authorization") != f"Bearer {wanted}":
            return Fault.UNAUTHORISED
        return fault

    def _failed(self, fault: Fault | None) -> bool:
        """Act out the faults that are the same for every path; True where nothing more is to be sent."""
        match fault:
            case Fault.HANG:
                self.server.owner.released.wait(LONGEST_HANG_SECONDS)
                self.close_connection = True
            case Fault.DROPPED:
                self.close_connection = True
            case Fault.ERROR_500:
                self._send_error(500, "server_error", "The server had an error while processing your request.")
            case Fault.RATE_LIMITED | Fault.RETRY_AT_DATE:
                self._retry_at_date = fault is Fault.RETRY_AT_DATE
                self._send_error(429, "rate_limit_exceeded", "Rate limit reached.")
            case Fault.UNAUTHORISED:
                self._send_error(401, "invalid_api_key", "Incorrect API key provided.")
            case Fault.BAD_REQUEST:
                self._send_error(400, "invalid_request_error", "The model does not exist.")
            case Fault.MALFORMED_JSON:
                self._send(200, b'{"object": "list", "data": [', "application/json")
            case Fault.NOT_JSON:
                self._send(200, b"<html><body>gateway page</body></html>", "text/html")
            case _:
                return False
        return True

    def _embeddings(self, body: Mapping[str, Any], fault: Fault | None) -> None:
        texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
        dimension = int(body.get("dimensions") or MODELS.get(body["model"], 384))
        vectors = [hashed_vector(text, dimension) for text in texts]
        match fault:
            case Fault.WRONG_LENGTH:
                vectors = [vector[:-1] for vector in vectors]
            case Fault.WRONG_COUNT:
                vectors = vectors[:-1]
            case Fault.NOT_A_NUMBER:
                vectors[-1][0] = np.nan
            case Fault.ZERO_VECTOR:
                vectors[-1][:] = 0
            case Fault.NOT_UNIT_NORM:
                vectors[-1] *= 1.5
        as_base64 = body.get("encoding_format") == "base64"
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": _base64(vector) if as_base64 else vector.tolist(),
            }
            for index, vector in enumerate(vectors)
        ]
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        self._send_json(200, {"object": "list", "data": data, "model": body["model"], "usage": usage}, fault)

    def _chat(self, body: Mapping[str, Any], fault: Fault | None) -> None:
        if problem := _unacceptable(body):
            self._send_error(400, "invalid_request_error", problem)
            return
        content = self.server.owner.next_reply(body)
        common = {"id": "chatcmpl-1", "created": 0, "model": body.get("model", "")}
        if body.get("stream"):
            self._stream(content, common, fault)
            return
        ends = {Fault.CUT_SHORT: "length", Fault.FILTERED: "content_filter"}
        if fault is Fault.CUT_SHORT:
            content = content[: len(content) // 2]
        message = {"role": "assistant", "content": None if fault is Fault.NO_CONTENT else content}
        choice = {"index": 0, "message": message, "finish_reason": ends.get(fault, "stop"), "logprobs": None}
        choices = [] if fault is Fault.NO_CHOICES else [choice]
        tokens = len(content.split())
        usage = {"prompt_tokens": 0, "completion_tokens": tokens, "total_tokens": tokens}
        self._send_json(200, {**common, "object": "chat.completion", "choices": choices, "usage": usage}, fault)

    def _stream(self, content: str, common: Mapping[str, Any], fault: Fault | None) -> None:
        """Server-sent events, one a word; TRUNCATED breaks off in the middle without the closing mark, TRICKLE waits
        between two, STREAM_ERROR tells an error in the middle as OpenAI does.
        """
        pieces = re.findall(r"\S+\s*|\s+", content)
        if fault is Fault.TRUNCATED:
            pieces = pieces[: len(pieces) // 2]
        deltas: list[tuple[dict[str, str], str | None]] = [({"role": "assistant", "content": ""}, None)]
        deltas += [({"content": piece}, None) for piece in pieces]
        if fault is not Fault.TRUNCATED:
            deltas.append(({}, "stop"))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, (delta, finish_reason) in enumerate(deltas):
            if fault is Fault.STREAM_ERROR and number == len(deltas) // 2:
                told = {"message": "The server had an error.", "type": "server_error", "param": None, "code": None}
                self._send_event(json.dumps({"error": told}))
                break
            if fault is Fault.TRICKLE and self.server.owner.released.wait(TRICKLE_SECONDS_PER_EVENT):
                break
            choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
            self._send_event(json.dumps({**common, "object": "chat.completion.chunk", "choices": [choice]}))
        if fault is Fault.TRUNCATED:
            self.close_connection = True
            return
        self._send_event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _send_event(self, text: str) -> None:
        block = f"data: {text}\n\n".encode()
        self.wfile.write(f"{len(block):x}\r\n".encode() + block + b"\r\n")
        self.wfile.flush()

    def _send_error(self, status: int, code: str, message: str) -> None:
        self._send_json(status, {"error": {"message": message, "type": code, "param": None, "code": code}})

    def _send_json(self, status: int, value: Any, fault: Fault | None = None) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", fault)

    def _send(self, status: int, body: bytes, content_type: str, fault: Fault | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            seconds = self.server.owner.retry_after_seconds
            at = formatdate(time.time() + seconds, usegmt=True)
            self.send_header("Retry-After", at if self._retry_at_date else str(seconds))
        self.end_headers()
        if fault is Fault.TRUNCATED:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
        elif fault is Fault.TRICKLE:
            for value in body:
                if self.server.owner.released.wait(TRICKLE_SECONDS_PER_BYTE):
                    break
                self.wfile.write(bytes([value]))
                self.wfile.flush()
            self.close_connection = True
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are recorded, not printed."""


def _unacceptable(body: Mapping[str, Any]) -> str:
    """What OpenAI refuses: no model, no messages, or JSON mode without the word in any message."""
    messages = body.get("messages")
    if not body.get("model") or not isinstance(messages, list) or not messages:
        return "you must provide a model and messages parameter"
    said = " ".join(str(message.get("content", "")) for message in messages).lower()
    wants_json = (body.get("response_format") or {}).get("type") == "json_object"
    if wants_json and "json" not in said:
        return "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return ""


def _base64(vector: NDArray[np.float32]) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the OpenAI protocol locally, for tests and demonstrations.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--fault", type=Fault, choices=list(Fault), default=None)
    arguments = parser.parse_args()
    with ModelServer(port=arguments.port) as server:
        server.fail_with(arguments.fault)
        print(json.dumps({"base_url": server.base_url}), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
