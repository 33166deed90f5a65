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


class PayloadDamagedError(ApplicationError):
    """A part of an event is there and is not what was recorded. Never shown; never passed over."""

    code = "audit.payload_damaged"
    status = 500
    message = "The {group} part of event {event} can't be trusted: {problem}."


class KeyEncryptionKeyMissingError(ApplicationError):
    """The data keys were wrapped by a key that the environment does not hold."""

    code = "audit.key_encryption_key_missing"
    status = 500
    message = (
        "The log is sealed under the key-encryption key {kek!r}, which GLASSBOX_AUDIT_KEKS does not hold. Put it back "
        "there; it can be taken out after manage.py audit rotate-keys."
    )


class DataKeyDamagedError(ApplicationError):
    code = "audit.data_key_damaged"
    status = 500
    message = "A data key of the log does not unwrap under {kek!r}: it was changed, or that key was."
