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
    message = "There is no delivery {delivery} that you may see. Those that ended are kept for 30 days."


class WebhookUrlError(ApplicationError):
    code = "audit.webhook_url"
    message = "Nothing is sent to this address: {problem}."


class WebhookClassError(ApplicationError):
    code = "audit.webhook_class"
    message = "Not a class of events that webhooks are told of: {action}. GET /api/v1/webhooks/classes/ lists them."


class TooManyWebhooksError(ApplicationError):
    code = "audit.webhook_too_many"
    status = 409
    message = "This tenant has {most} webhooks, and no more can be made. Delete one first."


class WebhookStateError(ApplicationError):
    code = "audit.webhook_state"
    status = 409
    message = "That can't be done: {problem}."
