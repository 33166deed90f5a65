"""The demo's client says what to do when the firm it shows is not what it was any more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from django.conf import settings

from apps.demo.catalogue import demo_documents
from apps.demo.tenants import MERIDIAN
from apps.demo.tour.client import DemoApiError, DemoClient, DemoErasedError


class _Refusing(BaseHTTPRequestHandler):
    code = ""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"code": self.code, "detail": "It was erased."}).encode()
        self.send_response(409)
        self.send_header("Content-Type", "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Not in the output of the tests."""


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Refusing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(("code", "raised"), [("corpus.document_erased", DemoErasedError), ("other", DemoApiError)])
def test_a_document_of_the_demo_that_somebody_erased(
    address: str, monkeypatch: pytest.MonkeyPatch, code: str, raised: type[Exception]
) -> None:
    monkeypatch.setattr(_Refusing, "code", code)
    with DemoClient(address, "gbx_x") as client, pytest.raises(raised) as found:
        client.upload(demo_documents(MERIDIAN)[0])
    assert "It was erased." in str(found.value)
    assert (str(settings.GLASSBOX_HOME) in str(found.value)) == (raised is DemoErasedError)
