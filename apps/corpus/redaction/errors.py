from __future__ import annotations

from apps.errors import ApplicationError


class NotRedactableError(ApplicationError):
    code = "corpus.not_redactable"
    status = 409
    message = (
        "The document {document} is {status}: only the version that is searched can be redacted. "
        "Redact that one, or remove this one."
    )


class NothingToRedactError(ApplicationError):
    code = "corpus.nothing_to_redact"
    status = 400
    message = "Choose at least one passage of the document {document}, or a new title, company or external id."


class NobodyDescribedError(ApplicationError):
    code = "corpus.nobody_described"
    status = 400
    message = "Enter whom to search for: a name, an e-mail address, or a phone, IBAN or account number."
