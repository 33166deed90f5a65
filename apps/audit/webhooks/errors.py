from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class WebhookNotFoundError(ApplicationError):
    """The webhook does not exist, or is of a scope that the caller does not hold; the answer does not say which."""

    code = "audit.webhook_not_found"
    status = 404
    message = "There is no webhook {webhook} that you may see."


class WebhookError(CodedError):
    """What stands against making, changing or using a webhook."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "audit.webhook_delivery_not_found": (
            404,
            "There is no delivery {delivery} that you may see. Finished deliveries are kept for 30 days.",
        ),
        "audit.webhook_class": (
            400,
            "Webhooks can't receive this class of events: {action}. GET /api/v1/webhooks/classes/ lists them.",
        ),
        "audit.webhook_too_many": (
            409,
            "This tenant already has {most} webhooks, the most that are allowed. Delete one first.",
        ),
        "audit.webhook_state": (409, "This can't be done: {problem}."),
    }


class WebhookUrlError(ApplicationError):
    code = "audit.webhook_url"
    message = "Nothing is sent to this address: {problem}."
