"""Checkpoints as objects of an S3-compatible store: s3://bucket/prefix, addressed by path, signed by version 4.

Two requests are all that is needed, so the signature is made here. Lock the bucket's objects (WORM) for what it keeps
to be out of reach of whoever has the keys, too.

Source: AWS, Signature Version 4 for the Authorization header.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote, urlsplit

import httpx

from apps.audit.errors import CheckpointExportError

_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Bucket:
    """endpoint: such as https://s3.eu-central-1.amazonaws.com; the bucket is the first part of the path."""

    bucket: str
    prefix: str
    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)

    def put(self, origin: str, name: str, note: str) -> None:
        response = self._request("PUT", origin, name, note.encode())
        if response.status_code not in (200, 201, 204):
            raise CheckpointExportError(place=self._place, problem=f"it answers {response.status_code}")

    def get(self, origin: str, name: str) -> str | None:
        response = self._request("GET", origin, name, b"")
        if response.status_code == 404:
            return None
        if response.status_code != 200:
            raise CheckpointExportError(place=self._place, problem=f"it answers {response.status_code}")
        return response.text

    @property
    def _place(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    def _request(self, method: str, origin: str, name: str, body: bytes) -> httpx.Response:
        if not (self.endpoint and self.access_key and self.secret_key):
            raise CheckpointExportError(
                place=self._place, problem="GLASSBOX_CHECKPOINT_S3_ENDPOINT, _ACCESS_KEY and _SECRET_KEY are wanted"
            )
        path = quote("/" + "/".join(part for part in (self.bucket, self.prefix, origin, name) if part))
        url = f"{self.endpoint.rstrip('/')}{path}"
        headers = {"host": urlsplit(url).netloc}
        signed = authorised(
            method=method,
            path=urlsplit(url).path,
            headers=headers,
            body=body,
            region=self.region,
            access_key=self.access_key,
            secret_key=self.secret_key,
            now=datetime.now(UTC),
        )
        try:
            # Not through a proxy of the environment: it would be shown what only the store should see.
            with httpx.Client(timeout=_TIMEOUT_S, trust_env=False) as client:
                return client.request(method, url, content=body, headers=signed)
        except httpx.HTTPError as error:
            raise CheckpointExportError(place=self._place, problem=type(error).__name__) from error


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
