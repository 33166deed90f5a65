"""How a tool asks the API of an installation: over HTTP, or within this process. Either way it is a request with a key.

So a tool has no rights of its own. What authenticates, limits, permits and records a request of the API does so here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any, Final, Protocol, cast
from urllib.parse import urlencode, urlsplit

import httpx
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.db import connections
from django.http import HttpResponse

from apps.tenants.api.not_found import UnknownAddressView

Json = dict[str, Any]
# Longer than a question takes, whose requests to models share a minute.
_TIMEOUT_S: Final = 180.0
# Where a request comes from and how: what checks hosts, redirects and counts attempts reads these.
_NO_PATH: Final = "This is no address of the API."
_OF_THE_REQUEST: Final = (
    *("REMOTE_ADDR", "SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "wsgi.url_scheme", "wsgi.version"),
    *("HTTP_HOST", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_REQUEST_ID"),
)
# Nothing in it begins a query or a fragment, or is written in another way than it is read.
_PATH: Final = re.compile(r"/[A-Za-z0-9/_.-]+")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of the API. body: its JSON; of a refusal, the problem."""

    status: int
    body: Json

    @property
    def is_refused(self) -> bool:
        return self.status >= 400


class Api(Protocol):
    """address: scheme and host under which a reader finds the pages that answers name."""

    @property
    def address(self) -> str: ...

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> Answered: ...

    def post(self, path: str, body: Json) -> Answered: ...


class HttpApi:
    """The API of an installation at an address."""

    def __init__(self, address: str, key: str) -> None:
        self.address = address.rstrip("/")
        self._client = httpx.Client(
            base_url=self.address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=_TIMEOUT_S,
            follow_redirects=False,
        )

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> Answered:
        return self._asked("GET", path, params=dict(params or {}))

    def post(self, path: str, body: Json) -> Answered:
        return self._asked("POST", path, json=body)

    def _asked(self, method: str, path: str, **more: Any) -> Answered:
        if not _is_plain(path):
            return invalid(_NO_PATH)
        try:
            response = self._client.request(method, path, **more)
        except httpx.HTTPError as error:
            return _unreadable(503, f"{self.address} can't be reached ({type(error).__name__}).")
        return _read(response.status_code, response.content)


class OwnApi:
    """The API of this process.

    meta: of the request that asks, as WSGI has it. count: how many of its requests came to a view that counts them.
    """

    def __init__(self, address: str, authorization: str, meta: Mapping[str, Any]) -> None:
        self.address = address.rstrip("/")
        self.count = 0
        self._environ = {name: meta[name] for name in _OF_THE_REQUEST if name in meta}
        self._environ["HTTP_AUTHORIZATION"] = authorization

    @classmethod
    def with_key(cls, address: str, key: str) -> OwnApi:
        """Return the API for a process that serves nobody else."""
        split = urlsplit(address)
        meta = {
            "REMOTE_ADDR": "127.0.0.1",
            "SERVER_NAME": split.hostname or "localhost",
            "SERVER_PORT": str(split.port or (443 if split.scheme == "https" else 80)),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": split.netloc,
            "HTTP_X_FORWARDED_PROTO": split.scheme,
            "wsgi.url_scheme": split.scheme,
        }
        return cls(address, f"Bearer {key}", meta)

    def get(self, path: str, params: Mapping[str, Any] | None = None) -> Answered:
        return self._asked("GET", path, query=urlencode(dict(params or {}), doseq=True))

    def post(self, path: str, body: Json) -> Answered:
        return self._asked("POST", path, content=json.dumps(body).encode())

    def _asked(self, method: str, path: str, *, query: str = "", content: bytes = b"") -> Answered:
        """Call it in a thread of its own: its connection to the database ends with the request."""
        if not _is_plain(path):
            return invalid(_NO_PATH)
        environ = {
            **self._environ,
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": "application/json" if content else "",
            "CONTENT_LENGTH": str(len(content)) if content else "",
            "HTTP_ACCEPT": "application/json",
            "wsgi.input": BytesIO(content),
        }
        try:
            request = WSGIRequest(environ)
            response = cast("HttpResponse", _handler().get_response(request))
            found = request.resolver_match
            # An address that is none is no request that a rate limit counts.
            if found is not None and getattr(found.func, "cls", UnknownAddressView) is not UnknownAddressView:
                self.count += 1
            return _read(response.status_code, response.content)
        finally:
            connections.close_all()


@cache
def _handler() -> WSGIHandler:
    return WSGIHandler()


def _is_plain(path: str) -> bool:
    return _PATH.fullmatch(path) is not None and ".." not in path


def invalid(detail: str) -> Answered:
    """Return the answer to a request that is not sent."""
    return Answered(400, {"code": "api.invalid", "detail": detail})


def _read(status: int, content: bytes) -> Answered:
    try:
        body = json.loads(content)
    except ValueError:
        return _unreadable(status, f"The answer has the status {status} and is no JSON.")
    return Answered(status, body) if isinstance(body, dict) else _unreadable(status, "The answer is no JSON object.")


def _unreadable(status: int, detail: str) -> Answered:
    return Answered(max(status, 502), {"code": "api.unavailable", "detail": detail})
