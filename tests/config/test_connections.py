"""Connections that are kept: after a refusal the next request on one is answered, or its end was announced."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from pytest_django import DjangoDbBlocker

from apps.tenants.roles import Role
from config import gunicorn
from config.processes import choose_port
from config.processes.platform import start_web
from tests.factories import make_firm, make_key

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def web(django_db_setup: None) -> Iterator[str]:
    started = start_web(
        port=choose_port(8600, search=True),
        emit=lambda name, line: None,
        environment={"DJANGO_SETTINGS_MODULE": "config.settings.test"},
    )
    yield started.base_url
    started.supervisor.stop()


@pytest.fixture(scope="module")
def key(web: str, django_db_blocker: DjangoDbBlocker) -> str:
    with django_db_blocker.unblock():
        _, made = make_key(make_firm("connections"), Role.ANALYST)
        return made


def connected(web: str) -> http.client.HTTPConnection:
    parts = urlsplit(web)
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)


def refused(connection: http.client.HTTPConnection, path: str, body: bytes, **headers: str) -> tuple[int, bool]:
    """Returns: the status, and whether the connection may be used again, as the answer says."""
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    response.read()
    return response.status, not response.will_close


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "size", "content_type", "status"),
    [
        ("/api/v1/query/", 2 * MIB, "application/json", 413),
        ("/api/v1/query/", 200, "application/json", 400),
        ("/api/v1/query/?nothing=1", 900_000, "application/json", 400),
        ("/api/v1/nowhere/", 3 * MIB, "application/json", 404),
        ("/admin/login/", 5 * MIB, "application/octet-stream", 403),
        ("/api/v1/documents/", 101 * MIB, "multipart/form-data; boundary=x", 413),
    ],
)
def test_the_next_request_is_answered_or_the_end_was_announced(
    web: str, key: str, path: str, size: int, content_type: str, status: int
) -> None:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": content_type}
    connection = connected(web)
    for _ in range(15 if size < 10 * MIB else 2):
        found, is_kept = refused(connection, path, b"x" * size, **headers)
        assert found == status
        if not is_kept:
            connection.close()
        connection.request("GET", "/api/v1/me/", headers=headers)
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
    connection.close()


def test_a_refusal_of_a_little_too_much_keeps_the_connection(web: str, key: str) -> None:
    connection = connected(web)
    found = refused(connection, "/api/v1/query/", b"x" * 2 * MIB, Authorization=f"Bearer {key}")
    assert found == (413, True)
    connection.close()


def question_of(length: int, key: str) -> bytes:
    lines = ("POST /api/v1/query/ HTTP/1.1", "Host: x", f"Authorization: Bearer {key}", f"Content-Length: {length}")
    return "\r\n".join((*lines, "", "")).encode()


def test_what_is_left_of_a_refused_body_is_no_request(web: str, key: str) -> None:
    """Whoever writes a request into a body must not have it answered."""
    inner = b"GET /api/v1/me/ HTTP/1.1\r\nHost: x\r\n\r\n"
    body = inner * (2 * MIB // len(inner))
    parts = urlsplit(web)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as raw:
        raw.sendall(question_of(len(body), key) + body + b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answered = b""
        while piece := raw.recv(65536):
            answered += piece
    assert answered.count(b"HTTP/1.1 ") == 2
    assert answered.startswith(b"HTTP/1.1 413 ")
    assert answered.endswith(b"ok\n")


def test_a_body_in_chunks_that_is_refused_is_read_to_its_end(web: str, key: str) -> None:
    connection = connected(web)
    pieces = (b"x" * 65_536 for _ in range(40))
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "text/plain"}
    connection.request("POST", "/api/v1/query/", pieces, headers, encode_chunked=True)
    response = connection.getresponse()
    assert response.status in (400, 413, 415)
    response.read()
    if response.will_close:
        connection.close()
    connection.request("GET", "/livez")
    assert connection.getresponse().read() == b"ok\n"
    connection.close()


@pytest.mark.slow
def test_a_sender_that_stops_in_the_middle_is_told_that_this_is_the_end(web: str, key: str) -> None:
    parts = urlsplit(web)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as raw:
        raw.sendall(question_of(2 * MIB, key) + b"x" * 1000)
        answered = b""
        while piece := raw.recv(65536):
            answered += piece
    assert answered.startswith(b"HTTP/1.1 413 ")
    assert b"Connection: close" in answered


def test_the_server_keeps_connections_longer_than_any_proxy() -> None:
    assert gunicorn.keepalive > 60
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE >= MIB
