"""What can be wrong with a request before any of it is carried out."""

from __future__ import annotations

from typing import ClassVar

from apps.errors import ApplicationError


class BodyTooLargeError(ApplicationError):
    code = "api.body_too_large"
    status = 413
    message = "The body is larger than {limit_bytes} bytes. Send less data per request."


class UnknownAddressError(ApplicationError):
    code = "api.unknown_address"
    status = 404
    message = "There is no address {path} in this API. {hint}"


class InvalidIdempotencyKeyError(ApplicationError):
    code = "api.idempotency_key_invalid"
    status = 400
    message = "An Idempotency-Key is 1 to 255 printable ASCII characters, such as a UUID."


class IdempotencyKeyReusedError(ApplicationError):
    code = "api.idempotency_key_reused"
    status = 422
    message = "You used this Idempotency-Key for a different request. Use a new key for every new request."


class PreconditionFailedError(ApplicationError):
    code = "api.precondition_failed"
    status = 412
    message = (
        "It has changed since you read it, so nothing was done. Get it again, check its current state, and send the "
        "request with the new ETag."
    )


class RangeNotSatisfiableError(ApplicationError):
    """Data: size_bytes."""

    code = "api.range_not_satisfiable"
    status = 416
    message = "There are {size_bytes} bytes, and the Range begins after them. Omit the header to get them all."


class RequestInProgressError(ApplicationError):
    """The first request with this key has not ended yet."""

    code = "api.request_in_progress"
    status = 409
    message = "A request with this Idempotency-Key is being worked on. Wait a moment and send the same request again."
    retry_after_seconds: ClassVar[int] = 1
