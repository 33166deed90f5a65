"""Signed tokens that the database verifies (the other half is sql/authz.sql).

A scope token says which tenant and scopes a transaction may touch; an identity token lets a sign-in read the few rows
that are needed before a scope is known. Both are bound to one backend process and live for at most a minute.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Iterable
from dataclasses import dataclass

from apps.tenants.ids import ScopeId, TenantId, UserId
from config.secrets import SigningKey

TOKEN_LIFE_SECONDS = 60
SCOPE_SETTING = "glassbox.scope"
IDENTITY_SETTING = "glassbox.identity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a sign-in may look up: a user's own memberships, one key by its prefix, one tenant's directory."""

    user: UserId | None = None
    key_prefix: str = ""
    directory: TenantId | None = None
    all_tenants: bool = False

    def claim(self) -> str:
        return ",".join(
            (
                str(self.user or ""),
                self.key_prefix,
                str(self.directory or ""),
                "all" if self.all_tenants else "",
            )
        )


def scope_token(
    *, key: SigningKey, backend_pid: int, tenant: TenantId, scopes: Iterable[ScopeId], now: float | None = None
) -> str:
    """Mint `s|kid|pid|expires|tenant|scopes|mac`; expires is in whole seconds since the epoch."""
    claim = f"{tenant}|{','.join(sorted(str(scope) for scope in scopes))}"
    return _sign(key, "s", backend_pid, claim, now)


def identity_token(*, key: SigningKey, backend_pid: int, identity: Identity, now: float | None = None) -> str:
    """Mint `i|kid|pid|expires|user,prefix,directory,all||mac`."""
    return _sign(key, "i", backend_pid, f"{identity.claim()}|", now)


def _sign(key: SigningKey, purpose: str, backend_pid: int, claim: str, now: float | None) -> str:
    expires = int(time.time() if now is None else now) + TOKEN_LIFE_SECONDS
    message = f"{purpose}|{key.kid}|{backend_pid}|{expires}|{claim}"
    mac = hmac.new(key.key, message.encode(), hashlib.sha256).hexdigest()
    return f"{message}|{mac}"


def pads(secret: bytes) -> tuple[bytes, bytes]:
    """The inner and outer HMAC key blocks (RFC 2104), so that the database needs nothing but sha256()."""
    if len(secret) > 64:
        secret = hashlib.sha256(secret).digest()
    block = secret.ljust(64, b"\0")
    return bytes(b ^ 0x36 for b in block), bytes(b ^ 0x5C for b in block)
