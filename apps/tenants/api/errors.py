"""What can be wrong with a request before any of it is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class RequestRefusedError(CodedError):
    """What is wrong with a request's address, headers or size."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "api.body_too_large": (413, "The body is larger than {limit_bytes} bytes. Send less data per request."),
        "api.unknown_address": (404, "There is no address {path} in this API. {hint}"),
        "api.idempotency_key_invalid": (
            400,
            "An Idempotency-Key is 1 to 255 printable ASCII characters, such as a UUID.",
        ),
        "api.precondition_failed": (
            412,
            (
                "It has changed since you read it, so nothing was done. Get it again, check its current state, and "
                "send the request with the new ETag."
            ),
        ),
        # Data: size_bytes.
        "api.range_not_satisfiable": (
            416,
            "There are {size_bytes} bytes, and the Range begins after them. Omit the header to get them all.",
        ),
    }


class IdempotencyKeyReusedError(ApplicationError):
    code = "api.idempotency_key_reused"
    status = 422
    message = "You used this Idempotency-Key for a different request. Use a new key for every new request."


class RequestInProgressError(ApplicationError):
    """The first request with this key has not ended yet."""

    code = "api.request_in_progress"
    status = 409
    message = "A request with this Idempotency-Key is being worked on. Wait a moment and send the same request again."
    retry_after_seconds: ClassVar[int] = 1
