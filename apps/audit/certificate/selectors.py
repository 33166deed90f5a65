"""Reading certificates of the open tenant."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist

from apps.audit.certificate.checking import Check, checked
from apps.audit.certificate.document import document_of
from apps.audit.errors import CertificateNotFoundError
from apps.audit.models import Certificate, RemovalRun
from apps.audit.sealing import SealBrokenError
from apps.errors import ApplicationError


def certificate_of(certificate_id: UUID) -> Certificate:
    """Raises: CertificateNotFoundError."""
    found: Certificate | None = Certificate.objects.filter(id=certificate_id).first()
    if found is None:
        raise CertificateNotFoundError(certificate=certificate_id)
    return found


def certificates_of(run: RemovalRun) -> tuple[Certificate, ...]:
    """One for each time that the run came to an end, the newest first."""
    return tuple(Certificate.objects.filter(run=run))


def checks_of(certificate: Certificate) -> tuple[Check, ...]:
    """What whoever has the file could check, with the keys that this installation knows."""
    try:
        document = document_of(certificate)
    except (ApplicationError, SealBrokenError, ObjectDoesNotExist):
        problem = "the log does not hold it any more, or is damaged: verify the log"
        return (Check(label="The log has the end of the run, and its proof", problem=problem),)
    return checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS)
