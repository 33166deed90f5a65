from __future__ import annotations

from apps.errors import ApplicationError


class WebhookNotFoundError(ApplicationError):
    """The webhook does not exist, or is of a scope that the caller does not hold; the answer does not say which."""

    code = "audit.webhook_not_found"
    status = 404
    message = "There is no webhook {webhook} that you may see."


class DeliveryNotFoundError(ApplicationError):
    code = "audit.webhook_delivery_not_found"
    status = 404
    message = "There is no delivery {delivery} that you may see. Finished deliveries are kept for 30 days."


class WebhookUrlError(ApplicationError):
    code = "audit.webhook_url"
    message = "Nothing is sent to this address: {problem}."


class WebhookClassError(ApplicationError):
    code = "audit.webhook_class"
    message = "Webhooks can't receive this class of events: {action}. GET /api/v1/webhooks/classes/ lists them."


class TooManyWebhooksError(ApplicationError):
    code = "audit.webhook_too_many"
    status = 409
    message = "This tenant already has {most} webhooks, the most that are allowed. Delete one first."


class WebhookStateError(ApplicationError):
    code = "audit.webhook_state"
    status = 409
    message = "This can't be done: {problem}."
