"""Seal and open a package in the database: a ZIP under a separate key, bound to its tenant and its package id."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, Final
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from apps.audit.errors import PayloadDamagedError
from apps.audit.keys.data_keys import KEY_BYTES, data_keys
from apps.privacy.access_packages.as_html import as_html
from apps.privacy.access_packages.wordings import wording_of
from apps.privacy.models import AccessPackage

_NONCE_BYTES: Final = 12
_DOMAIN: Final = b"glassbox.audit.access.v1"


def archive(package: Mapping[str, Any], *, made_at: datetime) -> bytes:
    """Return the ZIP that the person gets. No file name in it names anybody."""
    about = package["about"]
    files = {
        "README.txt": wording_of(about["language"]).readme.format(firm=about["firm"], reference=about["reference"]),
        "what-is-held.html": as_html(package),
        "what-is-held.json": json.dumps(package, ensure_ascii=False, indent=1) + "\n",
    }
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as zip_file:
        for name, text in files.items():
            info = ZipInfo(name, date_time=made_at.astimezone(UTC).timetuple()[:6])
            info.compress_type = ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            zip_file.writestr(info, text.encode())
    return written.getvalue()


def sealed(content: bytes, *, tenant: UUID, package: UUID, key: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, content, _place(tenant, package))


def unsealed(package: AccessPackage) -> bytes:
    """Open a package. Raises: PayloadDamagedError: the ciphertext is damaged, or its key is gone. Costs: at most one
    query."""
    key = data_keys(package.tenant_id, [package.data_key_id]).get(package.data_key_id) or bytes(KEY_BYTES)
    ciphertext = bytes(package.ciphertext)
    try:
        place = _place(package.tenant_id, package.id)
        return AESGCM(key).decrypt(ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:], place)
    except (InvalidTag, ValueError):
        raise PayloadDamagedError(
            group="package", event=package.id, problem="it differs from what was sealed, or its key is destroyed"
        ) from None


def _place(tenant: UUID, package: UUID) -> bytes:
    return b"\0".join((_DOMAIN, tenant.bytes, package.bytes))
