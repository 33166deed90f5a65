"""Reading certificates of the open tenant."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings

from apps.audit.certificate.checking import Check, checked
from apps.audit.certificate.document import document_of
from apps.audit.errors import CertificateNotFoundError
from apps.audit.models import Certificate, RemovalRun


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
    return checked(document_of(certificate), settings.GLASSBOX_LOG_VERIFY_KEYS)
