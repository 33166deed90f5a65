"""Errors of packages. No error holds anything about a person: only numbers, states and codes."""

from __future__ import annotations

from apps.errors import ApplicationError


class HiddenWordsError(ApplicationError):
    code = "audit.access_hidden_words"
    message = (
        "Nothing was changed: some of the words to hide do not appear around this place. Copy them from the quote, "
        "and separate them with semicolons. The words that name the person themselves can't be hidden."
    )


class QuoteUnreadableError(ApplicationError):
    code = "audit.access_quote_unreadable"
    status = 409
    message = "Nothing was changed: the text of a place is gone or out of use. Leave its words out of the package."


class QuotingChangedError(ApplicationError):
    code = "audit.access_quoting_changed"
    status = 409
    message = "Nothing was changed: somebody has decided on {count} of these quotes in the meantime. Review them again."


class NotPreparableError(ApplicationError):
    """problems: sentences, for the page."""

    code = "audit.access_not_preparable"
    status = 409
    message = "The package can't be made yet. {problems}"


class HiddenElsewhereError(ApplicationError):
    """places: where the hidden words appear, as fixed phrases of the application, for the page."""

    code = "audit.access_hidden_elsewhere"
    status = 409
    message = (
        "The package was not made: words about others that it hides also appear elsewhere in it, in {places}. Change "
        "that text, or decide again on the quotes that hide the words."
    )


class PackageNotFoundError(ApplicationError):
    """The same answer for a package that does not exist and for one that the caller may not see."""

    code = "audit.access_package_not_found"
    status = 404
    message = (
        "{reference} has no package that you may see: it has not been made, it has expired, or it quotes from scopes "
        "that you don't hold."
    )
