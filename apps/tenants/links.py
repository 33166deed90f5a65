"""The secret of a mailed link: it stands in the letter alone, and the database holds its digest."""

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
    """Where a link leads, whatever host the request named that asked for it: GLASSBOX_URL says where this is served."""
    return f"{settings.GLASSBOX_URL.rstrip('/')}{reverse(name, args=[secret])}"
