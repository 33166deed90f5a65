"""Errors of inventories. No error holds anything about a person: only numbers, states and codes."""

from __future__ import annotations

from apps.errors import ApplicationError


class InventoryStateError(ApplicationError):
    """Data: reference, state (as words)."""

    code = "audit.inventory_state"
    status = 409
    message = "{reference} is “{state}”: its inventory is made and decided on while the request is assessed."


class InventoryNotFoundError(ApplicationError):
    code = "audit.inventory_not_found"
    status = 404
    message = "{reference} has no inventory yet. Begin the search first."


class HitNotFoundError(ApplicationError):
    code = "audit.inventory_hit_not_found"
    status = 404
    message = "Nothing was changed: one of these places is not in the inventory, or lies in a scope that is not yours."


class HitDecidedError(ApplicationError):
    """Somebody else decided about a place first."""

    code = "audit.inventory_hit_decided"
    status = 409
    message = "Nothing was changed: somebody decided about {count} of these places meanwhile. Look at it again."


class TreatmentChangedError(ApplicationError):
    code = "audit.inventory_treatment_changed"
    status = 409
    message = "Nothing was changed: somebody chose meanwhile what becomes of this document. Look at it again."


class NotRedactableHereError(ApplicationError):
    code = "audit.inventory_not_redactable"
    status = 409
    message = "Only the version of a document that is searched can be redacted: this one can be removed."


class RedactionAskedError(ApplicationError):
    code = "audit.inventory_redaction_asked"
    status = 409
    message = (
        "Nothing was changed: the redacted version of this document is being made, or made, from what was decided. "
        "What is found in that version can be redacted further: search again."
    )


class RedactionOpenError(ApplicationError):
    """where: the pages and fields of each document, by its id."""

    code = "audit.inventory_redaction_open"
    status = 409
    message = (
        "Nothing was begun: of what is to be redacted, {places} {are} open ({where}). Say of each what it is first: "
        "the redacted version is made of what was decided."
    )


class NotProposableError(ApplicationError):
    """problems: sentences, for the page."""

    code = "audit.inventory_not_proposable"
    status = 409
    message = "It can't be proposed yet. {problems}"


class TooManyHitsError(ApplicationError):
    code = "audit.inventory_too_many"
    status = 409
    message = "More than {most} places were found. Say more of the person, so that others are not found with them."
