"""Errors of inventories. No error holds anything about a person: only numbers, states and codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class InventoryError(CodedError):
    """What stands against making an inventory, deciding on its places, or proposing from it."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # Data: reference, state (as words).
        "audit.inventory_state": (
            409,
            (
                "{reference} is “{state}”. Its inventory can be made and decided on only while the request is being "
                "assessed."
            ),
        ),
        "audit.inventory_not_found": (404, "{reference} has no inventory yet. Begin the search first."),
        "audit.inventory_hit_not_found": (
            404,
            ("Nothing was changed: one of these places is not in the inventory, or is in a scope that you don't hold."),
        ),
        # Somebody else decided about a place first.
        "audit.inventory_hit_decided": (
            409,
            (
                "Nothing was changed: somebody has decided on {count} of these places in the meantime. Review them "
                "again."
            ),
        ),
        "audit.inventory_treatment_changed": (
            409,
            (
                "Nothing was changed: somebody has chosen in the meantime what happens to this document. Review it "
                "again."
            ),
        ),
        "audit.inventory_not_redactable": (
            409,
            "Only the version of a document that is searched can be redacted. This one can be removed.",
        ),
        "audit.inventory_redaction_asked": (
            409,
            (
                "Nothing was changed: the redacted version of this document is already made, or being made, from your "
                "decisions. To redact that version further, search again."
            ),
        ),
        # where: the pages and fields of each document, by its id.
        "audit.inventory_redaction_open": (
            409,
            (
                "Nothing was begun: in what is to be redacted, {places} {are} open ({where}). Decide on each first: "
                "the redacted version is made from these decisions."
            ),
        ),
        # problems: sentences, for the page.
        "audit.inventory_not_proposable": (409, "It can't be proposed yet. {problems}"),
        "audit.inventory_too_many": (
            409,
            (
                "More than {most} places were found. Enter more details of the person, so that others are not found "
                "with them."
            ),
        ),
        # Said by the page.
        "audit.inventory_reason_missing": (400, "Nothing was changed: choose what this place is."),
        "audit.inventory_treatment_missing": (
            400,
            "Nothing was changed: choose whether the document is redacted or removed.",
        ),
    }
