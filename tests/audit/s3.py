"""A store that speaks of S3 what is used of it, and the role of an instance that may write to it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

# Amazon's own examples of signed requests: "Authenticating Requests: Using the Authorization Header".
EXAMPLE: dict[str, Any] = {
    "region": "us-east-1",
    "access_key": "AKIAIOSFODNN7EXAMPLE",
    "secret_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "now": datetime(2013, 5, 24, tzinfo=UTC),
}


def authorised(
    *,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes,
    region: str,
    access_key: str,
    secret_key: str,
    now: datetime,
) -> dict[str, str]:
    """The headers with those that authorise the request. Args: path: quoted; headers: names in lower case."""
    moment, digest = now.strftime("%Y%m%dT%H%M%SZ"), hashlib.sha256(body).hexdigest()
    every = {**headers, "x-amz-content-sha256": digest, "x-amz-date": moment}
    names = ";".join(sorted(every))
    lines = "".join(f"{name}:{every[name].strip()}\n" for name in sorted(every))
    canonical = "\n".join((method, path, "", lines, names, digest))
    scope = f"{moment[:8]}/{region}/s3/aws4_request"
    text = "\n".join(("AWS4-HMAC-SHA256", moment, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    credential = f"Credential={access_key}/{scope},SignedHeaders={names},Signature={signature}"
    return {**every, "authorization": f"AWS4-HMAC-SHA256 {credential}"}


class Store(BaseHTTPRequestHandler):
    """PUT and GET of an object, and no for who signs wrongly.

    token: that requests must carry, of credentials that end. busy: too much so for any. It is also the metadata service
    that an instance asks for its role's credentials.
    """

    protocol_version = "HTTP/1.1"  # in which "Expect: 100-continue" is answered
    objects: ClassVar[dict[str, bytes]] = {}
    token: ClassVar[str] = ""
    busy: ClassVar[bool] = False
    asked: ClassVar[list[str]] = []

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/latest/api/token":
            self._answer(200, b"a session with the metadata service")
        elif self._is_signed(body):
            right = self.headers["Content-MD5"] == base64.b64encode(hashlib.md5(body).digest()).decode()  # noqa: S324
            self.objects.update({self.path: body} if right else {})
            self._answer(200 if right else 400, b"")

    def do_GET(self) -> None:
        if self.path.startswith("/latest/meta-data/iam/security-credentials"):
            self._answer(200, self._credentials() if self.path.endswith("/writer") else b"writer")
        elif self._is_signed(b""):
            self._answer(200 if self.path in self.objects else 404, self.objects.get(self.path, b""))

    def _credentials(self) -> bytes:
        return json.dumps(
            {
                "Code": "Success",
                "AccessKeyId": EXAMPLE["access_key"],
                "SecretAccessKey": EXAMPLE["secret_key"],
                "Token": self.token,
                "Expiration": f"{datetime.now(UTC) + timedelta(hours=6):%Y-%m-%dT%H:%M:%SZ}",
            }
        ).encode()

    def _is_signed(self, body: bytes) -> bool:
        self.asked.append(self.command)
        now = datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        names = self.headers["Authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
        every = authorised(
            method=self.command,
            path=self.path,
            headers={name: self.headers[name] for name in names if name not in ("x-amz-content-sha256", "x-amz-date")},
            body=body,
            **{**EXAMPLE, "now": now},
        )
        right = every["authorization"].replace(" ", "") == self.headers["Authorization"].replace(" ", "")
        right = right and self.headers["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest()
        right = right and {"host", "x-amz-content-sha256", "x-amz-date"} <= set(names)
        right = right and self.headers.get("x-amz-security-token", "") == self.token
        if not right or self.busy:
            self._answer(503 if right else 403, b"")
        return right and not self.busy

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Not to the terminal."""
