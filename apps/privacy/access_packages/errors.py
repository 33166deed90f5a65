"""Errors of packages. No error holds anything about a person: only numbers, states and codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class AccessPackageError(CodedError):
    """What stands against deciding on quotes, or making a package of them."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "audit.access_hidden_words": (
            400,
            (
                "Nothing was changed: some of the words to hide do not appear around this place. Copy them from the "
                "quote, and separate them with semicolons. The words that name the person themselves can't be hidden."
            ),
        ),
        "audit.access_quote_unreadable": (
            409,
            "Nothing was changed: the text of a place is gone or out of use. Leave its words out of the package.",
        ),
        "audit.access_quoting_changed": (
            409,
            (
                "Nothing was changed: somebody has decided on {count} of these quotes in the meantime. Review them "
                "again."
            ),
        ),
        # problems: sentences, for the page.
        "audit.access_not_preparable": (409, "The package can't be made yet. {problems}"),
        # places: where the hidden words appear, as fixed phrases of the application, for the page.
        "audit.access_hidden_elsewhere": (
            409,
            (
                "The package was not made: words about others that it hides also appear elsewhere in it, in {places}. "
                "Change that text, or decide again on the quotes that hide the words."
            ),
        ),
        # Said by the page.
        "audit.access_quoting_missing": (
            400,
            "Nothing was changed: choose whether the words are quoted or left out.",
        ),
    }


class PackageNotFoundError(ApplicationError):
    """The same answer for a package that does not exist and for one that the caller may not see."""

    code = "audit.access_package_not_found"
    status = 404
    message = (
        "{reference} has no package that you may see: it has not been made, it has expired, or it quotes from scopes "
        "that you don't hold."
    )
