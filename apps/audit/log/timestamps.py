"""A time stamp of a checkpoint (RFC 3161): a service that the operator names attests when the checkpoint existed.

The stamp covers the note as it was signed and exported, with SHA-256. Anybody can check it without this program:

    openssl ts -verify -data SIZE.note -in SIZE.tsr -CAfile ROOTS.pem
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Final

import httpx
from cryptography import x509
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from apps.audit.errors import TimestampError

TIMEOUT_S: Final = 10.0
_LARGEST_ANSWER: Final = 256 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TimestampService:
    """A time-stamping service. url: takes requests by POST. roots: PEM of the roots of its certificate chain."""

    url: str
    roots: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A time stamp. content: the service's answer (DER), base64. at: the time that it states."""

    content: str
    at: datetime


def stamped(service: TimestampService, note: str) -> Stamp:
    """Have a note stamped and verify the answer. Raises: TimestampError. Costs: one request."""
    request = TimestampRequestBuilder().data(note.encode()).hash_algorithm(HashAlgorithm.SHA256).build()
    raw = _asked(service, request.as_bytes())
    return _verified(service, raw, note, nonce=request.nonce)


def stamp_of(service: TimestampService, note: str, content: str) -> Stamp:
    """Verify a stored stamp. Raises: TimestampError: it is not of this note, or does not lead to one of the roots."""
    try:
        raw = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise TimestampError(problem="it is not base64") from error
    return _verified(service, raw, note)


def _verified(service: TimestampService, raw: bytes, note: str, *, nonce: int | None = None) -> Stamp:
    try:
        response: TimeStampResponse = decode_timestamp_response(raw)
        builder = VerifierBuilder(nonce=nonce)
        for root in x509.load_pem_x509_certificates(service.roots.read_bytes()):
            builder = builder.add_root_certificate(root)
        builder.build().verify(response, hashlib.sha256(note.encode()).digest())
        moment = response.tst_info.gen_time
    except VerificationError as error:
        raise TimestampError(problem=str(error)[:200]) from error
    except (ValueError, OSError) as error:
        raise TimestampError(
            problem=f"{type(error).__name__}: it, or GLASSBOX_TIMESTAMP_ROOTS, can't be read"
        ) from error
    return Stamp(content=base64.b64encode(raw).decode(), at=moment.astimezone(UTC))


def _asked(service: TimestampService, body: bytes) -> bytes:
    headers = {"Content-Type": "application/timestamp-query"}
    try:
        with (
            httpx.Client(timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream("POST", service.url, content=body, headers=headers) as answer,
        ):
            if answer.status_code != 200:
                raise TimestampError(problem=f"the service answers {answer.status_code}")
            read, until = b"", monotonic() + TIMEOUT_S
            for part in answer.iter_bytes():
                read += part
                if len(read) > _LARGEST_ANSWER or monotonic() > until:
                    raise TimestampError(problem="its answer is longer than any, or does not end")
            return read
    except httpx.HTTPError as error:
        raise TimestampError(problem=type(error).__name__) from error
