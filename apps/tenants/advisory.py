"""Numbers for advisory locks: keyed digests, so that a held number does not reveal what another tenant is doing."""

from __future__ import annotations

import hashlib
import hmac

from django.conf import settings

from config.secrets import given


def advisory_key(*parts: object) -> int:
    """Return a signed 64-bit number for what the parts name.

    An advisory lock belongs to the whole database. With a plain hash of, for example, a scope and a title, any
    transaction could try the lock and learn that somebody is uploading a document of that title.
    """
    message = "\x1f".join(["advisory", *(str(part) for part in parts)])
    digest = hmac.new(
        given(settings.GLASSBOX_AUDIT_KEY, "GLASSBOX_AUDIT_MASTER_KEY"), message.encode(), hashlib.sha256
    ).digest()
    return int.from_bytes(digest[:8], signed=True)
