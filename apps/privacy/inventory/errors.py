"""Errors of inventories. No error holds anything about a person: only numbers, states and codes."""

from __future__ import annotations

from apps.errors import ApplicationError


class InventoryStateError(ApplicationError):
    """Data: reference, state (as words)."""

    code = "audit.inventory_state"
    status = 409
    message = (
        "{reference} is “{state}”. Its inventory can be made and decided on only while the request is being assessed."
    )


class InventoryNotFoundError(ApplicationError):
    code = "audit.inventory_not_found"
    status = 404
    message = "{reference} has no inventory yet. Begin the search first."


class HitNotFoundError(ApplicationError):
    code = "audit.inventory_hit_not_found"
    status = 404
    message = "Nothing was changed: one of these places is not in the inventory, or is in a scope that you don't hold."


class HitDecidedError(ApplicationError):
    """Somebody else decided about a place first."""

    code = "audit.inventory_hit_decided"
    status = 409
    message = "Nothing was changed: somebody has decided on {count} of these places in the meantime. Review them again."


class TreatmentChangedError(ApplicationError):
    code = "audit.inventory_treatment_changed"
    status = 409
    message = "Nothing was changed: somebody has chosen in the meantime what happens to this document. Review it again."


class NotRedactableHereError(ApplicationError):
    code = "audit.inventory_not_redactable"
    status = 409
    message = "Only the version of a document that is searched can be redacted. This one can be removed."


class RedactionAskedError(ApplicationError):
    code = "audit.inventory_redaction_asked"
    status = 409
    message = (
        "Nothing was changed: the redacted version of this document is already made, or being made, from your "
        "decisions. To redact that version further, search again."
    )


class RedactionOpenError(ApplicationError):
    """where: the pages and fields of each document, by its id."""

    code = "audit.inventory_redaction_open"
    status = 409
    message = (
        "Nothing was begun: in what is to be redacted, {places} {are} open ({where}). Decide on each first: the "
        "redacted version is made from these decisions."
    )


class NotProposableError(ApplicationError):
    """problems: sentences, for the page."""

    code = "audit.inventory_not_proposable"
    status = 409
    message = "It can't be proposed yet. {problems}"


class TooManyHitsError(ApplicationError):
    code = "audit.inventory_too_many"
    status = 409
    message = (
        "More than {most} places were found. Enter more details of the person, so that others are not found with them."
    )
