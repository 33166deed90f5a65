"""Seal and open what a request and its letters say about people, under the data key of that request.

The cipher is AES-256-GCM. Each ciphertext is bound to its tenant, request and part, so it can't be opened in any other
place. Once the key is destroyed, the rows stay, but nobody can read the sealed fields any more.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from apps.audit.canonical import canonical_bytes
from apps.audit.errors import PayloadDamagedError
from apps.audit.keys.data_keys import KEY_BYTES, data_keys, subject_data_key
from apps.privacy.models import ErasureRequest, Letter
from apps.tenants.context import current_scope

_NONCE_BYTES: Final = 12
_DOMAIN: Final = b"glassbox.audit.request.v1"
_DETAILS: Final = "details"
_LOOKED_FOR: Final = ("names", "aliases", "emails", "phones", "identifiers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What the DPO knows of the person, who makes the request, and the reasons given. No field appears in a repr."""

    names: tuple[str, ...] = field(default=(), repr=False)
    aliases: tuple[str, ...] = field(default=(), repr=False)
    emails: tuple[str, ...] = field(default=(), repr=False)
    phones: tuple[str, ...] = field(default=(), repr=False)
    identifiers: tuple[str, ...] = field(default=(), repr=False)  # account, client and tax numbers, IBAN
    description: str = field(default="", repr=False)
    requester_name: str = field(default="", repr=False)
    requester_email: str = field(default="", repr=False)
    requester_address: str = field(default="", repr=False)
    notes: str = field(default="", repr=False)
    identity_words: str = field(default="", repr=False)
    extension_words: str = field(default="", repr=False)
    refusal_words: str = field(default="", repr=False)
    withdrawal_words: str = field(default="", repr=False)

    @property
    def describes_somebody(self) -> bool:
        """Return whether the details hold anything by which a person could be found."""
        return bool(self.names or self.aliases or self.emails or self.phones or self.identifiers)


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterText:
    """The text of a letter. to: an e-mail or postal address; empty where only the person who posts it knows it."""

    to: str = field(default="", repr=False)
    subject: str = field(repr=False)
    body: str = field(repr=False)


def sealed_details(details: Details, *, request_id: UUID) -> tuple[bytes, UUID]:
    """Seal the details of a new request under a new key. Returns: the ciphertext, and the key's id."""
    tenant = current_scope().tenant_id
    key = subject_data_key(tenant, request_id)
    return _seal(asdict(details), key=key.key, tenant=tenant, request=request_id, part=_DETAILS), key.id


def resealed_details(request: ErasureRequest, details: Details) -> bytes:
    """Seal changed details under the request's existing key. Raises: PayloadDamagedError: the key is gone."""
    return _seal(asdict(details), key=_key(request), tenant=request.tenant_id, request=request.id, part=_DETAILS)


def details_of(request: ErasureRequest) -> Details | None:
    """Open a request's details; return None once the key is destroyed. Raises: PayloadDamagedError. Costs: at most one
    query."""
    values = _open(request, bytes(request.details), part=_DETAILS)
    if values is None:
        return None
    known = {each.name for each in fields(Details)}
    return Details(**{name: _frozen(value) for name, value in values.items() if name in known})


def known_details(request: ErasureRequest) -> Details:
    """Open the details of a request whose key must still exist. Raises: PayloadDamagedError: also if it does not."""
    details = details_of(request)
    if details is None:
        raise PayloadDamagedError(group=_DETAILS, event=request.id, problem="its key is destroyed")
    return details


def sealed_letter(request: ErasureRequest, text: LetterText, *, letter_id: UUID) -> bytes:
    return _seal(asdict(text), key=_key(request), tenant=request.tenant_id, request=request.id, part=str(letter_id))


def letter_text(letter: Letter) -> LetterText | None:
    """Open the text of a letter; return None once the key is destroyed. Raises: PayloadDamagedError."""
    values = _open(letter.request, bytes(letter.ciphertext), part=str(letter.id))
    return None if values is None else LetterText(**values)


def sealed_words(request: ErasureRequest, words: str, *, part: str) -> bytes:
    """Seal words about one part of a request, such as a place in its inventory. Raises: PayloadDamagedError."""
    return _seal({"words": words}, key=_key(request), tenant=request.tenant_id, request=request.id, part=part)


def words_of(request: ErasureRequest, ciphertext: bytes, *, part: str) -> str:
    """Open words that sealed_words sealed; return "" once the key is destroyed. Raises: PayloadDamagedError."""
    values = _open(request, ciphertext, part=part)
    return "" if values is None else str(values["words"])


def description_digest(request: ErasureRequest) -> str:
    """Return a keyed digest of the names, addresses and numbers that the person is searched by.

    The digest shows whether these have changed and reveals nothing else about them.
    """
    known = asdict(known_details(request))
    looked_for = canonical_bytes({name: list(known[name]) for name in _LOOKED_FOR})
    return hmac.digest(_key(request), _DOMAIN + b"\0description\0" + looked_for, "sha256").hex()


def opened_looked_for(details: bytes, *, key: bytes, tenant: UUID, request: UUID) -> list[str]:
    """Return the texts in a request's details that the person is searched by.

    Args: key: unwrapped. Raises: PayloadDamagedError.
    """
    values = _opened(details, key=key, tenant=tenant, request=request, part=_DETAILS)
    return [text for name in _LOOKED_FOR for text in values.get(name, ())]


def _seal(values: Mapping[str, Any], *, key: bytes, tenant: UUID, request: UUID, part: str) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    plain = canonical_bytes({name: list(v) if isinstance(v, tuple) else v for name, v in values.items()})
    return nonce + AESGCM(key).encrypt(nonce, plain, _place(tenant, request, part))


def _open(request: ErasureRequest, ciphertext: bytes, *, part: str) -> dict[str, Any] | None:
    keys = data_keys(request.tenant_id, [request.data_key_id])
    if request.data_key_id not in keys:
        return None
    # A key that can't be unwrapped is replaced by zeros, so that opening fails with PayloadDamagedError.
    key = keys[request.data_key_id] or bytes(KEY_BYTES)
    return _opened(ciphertext, key=key, tenant=request.tenant_id, request=request.id, part=part)


def _opened(ciphertext: bytes, *, key: bytes, tenant: UUID, request: UUID, part: str) -> dict[str, Any]:
    try:
        place = _place(tenant, request, part)
        plain = AESGCM(key).decrypt(ciphertext[:_NONCE_BYTES], ciphertext[_NONCE_BYTES:], place)
    except (InvalidTag, ValueError):
        raise PayloadDamagedError(group=part, event=request, problem="it differs from what was sealed") from None
    values: dict[str, Any] = json.loads(plain)
    return values


def _key(request: ErasureRequest) -> bytes:
    key = data_keys(request.tenant_id, [request.data_key_id]).get(request.data_key_id)
    if key is None:
        raise PayloadDamagedError(group=_DETAILS, event=request.id, problem="its key is destroyed, or damaged")
    return key


def _place(tenant: UUID, request: UUID, part: str) -> bytes:
    return b"\0".join((_DOMAIN, tenant.bytes, request.bytes, part.encode()))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
