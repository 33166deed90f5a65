"""Keyed digests of short texts, which can't be guessed back.

A plain hash of a question can be found by hashing likely questions. A keyed hash can't, as long as the key is outside
the database. Each key belongs to one tenant and one epoch (a calendar quarter) and is derived from the installation's
master key by HKDF, so that equal questions of two tenants or two epochs do not look equal.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from apps.tenants.ids import TenantId
from config.secrets import given


def epoch(moment: datetime) -> str:
    """Return the key epoch of a moment: its calendar quarter in UTC, such as 2026Q4."""
    return f"{moment.year}Q{(moment.month + 2) // 3}"


def keyed_digest(text: str, *, tenant: TenantId, epoch: str) -> str:
    """Return the HMAC-SHA256 of the text under the tenant's key of that epoch, in hex."""
    key = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"glassbox question {tenant} {epoch}".encode()).derive(
        given(settings.GLASSBOX_AUDIT_KEY, "GLASSBOX_AUDIT_MASTER_KEY")
    )
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
