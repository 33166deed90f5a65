"""The secrets of an endpoint: as the receiver gets them, as the database holds them, and the signatures made with them.

The form is that of Standard Webhooks, https://www.standardwebhooks.com. A secret is shown once as `whsec_` and base64.
It is stored sealed under a data key of the tenant, which is destroyed when the tenant is erased.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from apps.audit.errors import PayloadDamagedError
from apps.audit.keys.data_keys import KEY_BYTES, current_data_key, data_keys
from apps.audit.models import Webhook
from apps.tenants.ids import TenantId

PREFIX: Final = "whsec_"
# How long an older secret signs beside the new one.
BOTH_FOR: Final = timedelta(days=1)
_SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_DOMAIN: Final = b"glassbox.audit.webhook.v1"


def new_secret() -> bytes:
    return secrets.token_bytes(_SECRET_BYTES)


def told(secret: bytes) -> str:
    """Return the secret as the receiver is given it, once."""
    return PREFIX + base64.b64encode(secret).decode()


def seal_secrets(webhook: Webhook, newest: bytes, *older: bytes, at: datetime) -> None:
    """Put the sealed secrets into the row, which is not saved. Costs: as current_data_key."""
    key = current_data_key(TenantId(webhook.tenant_id), at)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    webhook.sealed = nonce + AESGCM(key.key).encrypt(nonce, b"".join((newest, *older)), _place(webhook))
    webhook.data_key_id = key.id


def open_secrets(webhook: Webhook, *, at: datetime) -> tuple[bytes, ...]:
    """Return the secrets that sign at this time, newest first. Raises: PayloadDamagedError. Costs: one query at
    most.
    """
    key = data_keys(webhook.tenant_id, [webhook.data_key_id]).get(webhook.data_key_id) or bytes(KEY_BYTES)
    sealed = bytes(webhook.sealed)
    try:
        plain = AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _place(webhook))
    except (InvalidTag, ValueError):
        raise PayloadDamagedError(
            group="secret", event=webhook.id, problem="it is not what was sealed there, or its key is destroyed"
        ) from None
    found = tuple(plain[start : start + _SECRET_BYTES] for start in range(0, len(plain), _SECRET_BYTES))
    both = webhook.previous_until is not None and at < webhook.previous_until <= at + BOTH_FOR
    return found if both else found[:1]


def signature(keys: Sequence[bytes], *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the header webhook-signature: for each secret, `v1,` and base64 of HMAC-SHA256, separated by blanks."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    each = (base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys)
    return " ".join(f"v1,{one}" for one in each)


def _place(webhook: Webhook) -> bytes:
    return b"\0".join((_DOMAIN, webhook.tenant_id.bytes, webhook.id.bytes))
