"""Signed tokens that the database verifies (the other half is sql/authz.sql).

A scope token says which tenant and scopes a transaction may use, and what its principal may do. An identity token lets
a sign-in read the few rows that are needed before a scope is known. Both are valid for one transaction of one backend
process, and for at most a minute.
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
class Bearer:
    """The transaction that a token is for: its backend's process id, and authz.transaction_mark() as text."""

    backend_pid: int
    transaction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What may be looked up before a scope is known.

    user: an account by its id, and its memberships.
    username: an account by its name, for a sign-in or an invitation.
    session: a session, by the digest of its key.
    key_prefix: one API key.
    directory: one tenant's scopes and grants.
    all_tenants, all_accounts, ended_sessions: every tenant's own row, every account, every session or mailed link that
        has ended. They are for the platform's sweepers and administrators.
    link: an invitation or an account's link, by the digest of the mailed secret.
    credential: the account whose password is compared or set (credentials.py).
    mails: the account for which the platform makes a link. Only services/account_links.py uses this field.
    founds: the platform itself makes an account, such as the first ones from a shell (models/user.py).
    """

    user: UserId | None = None
    key_prefix: str = ""
    directory: TenantId | None = None
    all_tenants: bool = False
    username: str = ""
    session: str = ""
    all_accounts: bool = False
    ended_sessions: bool = False
    link: str = ""
    credential: UserId | None = None
    mails: UserId | None = None
    founds: bool = False

    def claim(self) -> str:
        return ",".join(
            (
                str(self.user or ""),
                self.key_prefix,
                str(self.directory or ""),
                "all" if self.all_tenants else "",
                # In hex, because a name may contain the separators.
                self.username.encode().hex(),
                self.session,
                "all" if self.all_accounts else "",
                "all" if self.ended_sessions else "",
                self.link,
                str(self.credential or ""),
                str(self.mails or ""),
                "platform" if self.founds else "",
            )
        )


def scope_token(
    *,
    key: SigningKey,
    bearer: Bearer,
    tenant: TenantId,
    scopes: Iterable[ScopeId],
    permissions: Iterable[str] = (),
    now: float | None = None,
) -> str:
    """Mint `s|kid|pid|transaction|expires|tenant|scopes|permissions|mac`; expires is in seconds since the epoch."""
    claim = f"{tenant}|{','.join(sorted(str(scope) for scope in scopes))}|{','.join(sorted(permissions))}"
    return _sign(key, "s", bearer, claim, now)


def identity_token(*, key: SigningKey, bearer: Bearer, identity: Identity, now: float | None = None) -> str:
    """Mint `i|kid|pid|transaction|expires|identity|||mac`."""
    return _sign(key, "i", bearer, f"{identity.claim()}||", now)


def _sign(key: SigningKey, purpose: str, bearer: Bearer, claim: str, now: float | None) -> str:
    expires = int(time.time() if now is None else now) + TOKEN_LIFE_SECONDS
    message = f"{purpose}|{key.kid}|{bearer.backend_pid}|{bearer.transaction}|{expires}|{claim}"
    mac = hmac.new(key.key, message.encode(), hashlib.sha256).hexdigest()
    return f"{message}|{mac}"


def pads(secret: bytes) -> tuple[bytes, bytes]:
    """Return the inner and outer HMAC key blocks (RFC 2104), so that the database needs no function but sha256()."""
    if len(secret) > 64:
        secret = hashlib.sha256(secret).digest()
    block = secret.ljust(64, b"\0")
    return bytes(b ^ 0x36 for b in block), bytes(b ^ 0x5C for b in block)
