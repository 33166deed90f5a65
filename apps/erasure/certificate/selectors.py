"""Reading certificates of the open tenant."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.conf import settings

from apps.audit.errors import KeyEncryptionKeyMissingError, LogError, MissingNodesError
from apps.erasure.certificate.checking import Check, checked
from apps.erasure.certificate.document import document_of
from apps.erasure.certificate.errors import NoProofError
from apps.erasure.models import Certificate, RemovalRun, Supplement


def certificate_of(certificate_id: UUID) -> Certificate:
    """Raises: LogError."""
    found: Certificate | None = Certificate.objects.filter(id=certificate_id).first()
    if found is None:
        raise LogError("audit.certificate_not_found", certificate=certificate_id)
    return found


def supplement_named(supplement_id: UUID) -> Supplement:
    """Raises: LogError."""
    found: Supplement | None = Supplement.objects.filter(id=supplement_id).first()
    if found is None:
        raise LogError("audit.certificate_not_found", certificate=supplement_id)
    return found


def certificates_of(run: RemovalRun) -> tuple[Certificate, ...]:
    """One for each time that the run came to an end, the newest first."""
    return tuple(Certificate.objects.filter(run=run))


# What went with its tenant, or a key that was not brought along, says nothing against the certificate.
_OPEN: Final = frozenset({"audit.certificate_end_emptied", KeyEncryptionKeyMissingError.code})


def checks_of(certificate: Certificate) -> tuple[Check, ...]:
    """What whoever has the file could check, with the keys that this installation knows.

    One check alone where the log can't give what the file is made of: its problem says which part, and why.
    """
    try:
        document = document_of(certificate)
    except (NoProofError, MissingNodesError, KeyEncryptionKeyMissingError) as error:
        is_open = error.code in _OPEN
        return (
            Check(label="The log contains the end of the run and its proof", problem=error.detail, is_open=is_open),
        )
    return checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS)
