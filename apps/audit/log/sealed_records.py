"""Canonical JSON with a message authentication code, for records outside the database. Its key is in no database."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from apps.audit.errors import TombstonesDamagedError
from config.secrets import given


def written(body: Mapping[str, Any]) -> str:
    """Return the canonical text of a record with its message authentication code."""
    return _canonical({**body, "mac": mac_of(body)}) + "\n"


def mac_of(body: Mapping[str, Any]) -> str:
    return hmac.new(purpose_key("chain"), _canonical(body).encode(), hashlib.sha256).hexdigest()


def opened(text: str, *, number: int) -> dict[str, Any]:
    """Return the values of a text that `written` made, without the code.

    Raises: TombstonesDamagedError: the text can't be read, or its code does not match.
    """
    try:
        values = json.loads(text)
        mac = values.pop("mac")
        if not isinstance(mac, str) or not hmac.compare_digest(mac, mac_of(values)):
            raise TombstonesDamagedError(number=number, problem="it is not what was written")
    except (ValueError, TypeError, AttributeError, KeyError):
        raise TombstonesDamagedError(number=number, problem="it can't be read") from None
    found: dict[str, Any] = values
    return found


def _canonical(values: Mapping[str, Any]) -> str:
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def purpose_key(purpose: str) -> bytes:
    info = f"glassbox tombstone {purpose}".encode()
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(
        given(settings.GLASSBOX_AUDIT_KEY, "GLASSBOX_AUDIT_MASTER_KEY")
    )
