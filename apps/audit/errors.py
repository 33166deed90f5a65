from __future__ import annotations

from apps.errors import ApplicationError


class UnregisteredActionError(ApplicationError):
    """A programmer's mistake that must not pass silently: the act is rolled back."""

    code = "audit.unregistered_action"
    status = 500
    message = "The action {action} is not registered. Register it with apps.audit.registry.register."


class UnregisteredFieldError(ApplicationError):
    code = "audit.unregistered_field"
    status = 500
    message = "The action {action} was recorded with fields that its registration does not name: {fields}."
