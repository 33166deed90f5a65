"""Define the bytes that an event is committed by.

This module uses the standard library only, because the offline verifier computes the same bytes with no more.

Canonical JSON is the only form in which a value is hashed or sealed:
- It is one line of UTF-8 without spaces. The names of an object are in the order of their Unicode code points, each
  once.
- In texts only `"`, `\\` and the characters below U+0020 are escaped, as `\\"`, `\\\\`, `\\b`, `\\f`, `\\n`, `\\r`,
  `\\t` and otherwise `\\u00xx` in lower case. Nothing is normalised. A lone surrogate is refused.
- A whole number is written in decimal digits and may be of any size. A float is written as Python's `repr` writes it:
  the shortest decimal that reads back as the same IEEE 754 double, always with a point or an exponent (`5.0`, `1e-07`),
  so that 5 and 5.0 differ. NaN and infinities are refused. The sealed content is these very bytes, so a verifier never
  has to render a number.

    commitment = HMAC-SHA256(key: 32 random bytes, "glassbox.audit.commitment.v1" 00 group 00 canonical(content))
    leaf       = SHA-256(00 canonical(header) canonical({group: commitment in hex, ...}))

In these formulas, 00 is one zero byte. The number at the end of the domain is the version of this whole format.

The header holds only ids, codes and numbers, since a leaf stays for ever: the label of the actor is in the actor's
group, and the time is cut to the second.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

COMMITMENT_DOMAIN: Final = b"glassbox.audit.commitment.v1"
HEADER_FORMAT: Final = "glassbox.audit.event.v1"
SALT_BYTES: Final = 32
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class NotCanonicalError(ValueError):
    """The value has no canonical form, which is a programmer's mistake."""


def canonical_bytes(value: Any) -> bytes:
    """Return the canonical JSON of a value.

    Args:   value: None, bool, int, finite float, text, and lists, tuples and objects of these; names are texts.
    Raises: NotCanonicalError.
    """
    _check(value, "value")
    text = _ENCODER.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotCanonicalError(f"a text holds a lone surrogate ({error.reason})") from error


def commitment(*, salt: bytes, group: str, content: bytes) -> bytes:
    """Return 32 bytes that bind a group's content and reveal nothing of it to a reader without the salt.

    Args: content: the canonical_bytes of the group.
    """
    return hmac.digest(salt, b"\0".join((COMMITMENT_DOMAIN, group.encode(), content)), "sha256")


def event_header(
    *,
    tenant_id: UUID,
    event_id: UUID,
    action: str,
    outcome: str,
    occurred_at: datetime,
    actor_kind: str,
    actor_id: UUID | None,
    subject_type: str,
    subject_id: UUID | None,
    scope_ids: Iterable[UUID],
) -> dict[str, Any]:
    """Return the part of an event that is never removed: ids, codes, and the second in which it happened (UTC)."""
    return {
        "action": action,
        "actor_id": _text(actor_id),
        "actor_kind": actor_kind,
        "format": HEADER_FORMAT,
        "id": str(event_id),
        "occurred_at": occurred_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "outcome": outcome,
        "scope_ids": sorted(str(scope_id) for scope_id in scope_ids),
        "subject_id": _text(subject_id),
        "subject_type": subject_type,
        "tenant_id": str(tenant_id),
    }


def leaf_bytes(header: Mapping[str, Any], commitments: Mapping[str, str]) -> bytes:
    """Return the canonical bytes of the header, followed by those of the commitments.

    Args: commitments: group -> 64 hexadecimal digits in lower case, for all groups that the event was written with.
    """
    return canonical_bytes(dict(header)) + canonical_bytes(dict(commitments))


def leaf_hash(header: Mapping[str, Any], commitments: Mapping[str, str]) -> bytes:
    """Return the leaf hash of RFC 6962, section 2.1. The leading zero byte distinguishes a leaf from an inner node."""
    return hashlib.sha256(b"\0" + leaf_bytes(header, commitments)).digest()


def _text(id: UUID | None) -> str | None:
    return None if id is None else str(id)


def _check(value: Any, where: str) -> None:
    if value is None or isinstance(value, bool | int | str):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NotCanonicalError(f"{where} is not a finite number")
    elif isinstance(value, list | tuple):
        for each in value:
            _check(each, where)
    elif isinstance(value, dict):
        for name, each in value.items():
            if each.__class__ is str and name.__class__ is str:
                continue
            if not isinstance(name, str):
                raise NotCanonicalError(f"{where} has a name that is not a text: {type(name).__name__}")
            _check(each, name)
    else:
        raise NotCanonicalError(f"{where} is a {type(value).__name__}, which JSON does not have")
