from __future__ import annotations

from apps.errors import ApplicationError


class NobodyDescribedError(ApplicationError):
    code = "corpus.nobody_described"
    status = 400
    message = "Name whom to look for: a name, or an e-mail address, a telephone, IBAN or account number."
