"""The secret of a mailed link. Only the letter contains the secret; the database holds its digest."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

from django.conf import settings
from django.urls import reverse

_SECRET_BYTES: Final = 32


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def digest_of(secret: str) -> str:
    # 256 random bits need no slow hash.
    return hashlib.sha256(secret.encode()).hexdigest()


def address_of_link(name: str, secret: str) -> str:
    """Return the address of a link. Its host comes from GLASSBOX_URL, and never from the host that a request named."""
    return f"{settings.GLASSBOX_URL.rstrip('/')}{reverse(name, args=[secret])}"
