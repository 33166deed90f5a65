"""Password hashes. They are in a table of their own, which no role that runs anything may read (sql/passwords.sql).

The password column of an account holds a stamp instead, a new one for each password. Sessions are bound to the stamp,
which reveals nothing about the password. Two functions of the database reach the hash of the one account that the
identity token names. Only this module asks for such a token, to compare a password and to keep a new one.
"""

from __future__ import annotations

import secrets
from typing import Final
from uuid import UUID

from django.db import connection

from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.tokens import Identity

_STAMP: Final = "kept:"


def is_stamp(password: str) -> bool:
    """Whether the value stands for a hash that is kept elsewhere, or for an unusable or missing password."""
    return password == "" or password.startswith((_STAMP, "!"))


def new_stamp() -> str:
    return f"{_STAMP}{secrets.token_hex(16)}"


def hash_of(account: UUID) -> str:
    """Return the hash of an account's password; empty if it has none. One query besides those for the token."""
    with open_identity(Identity(credential=UserId(account))), connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(public.tenants_password(%s), '')", [account])
        found: str = cursor.fetchone()[0]
        return found


def hash_keep(account: UUID, hashed: str) -> None:
    """Keep the hash of an account's new password, within the caller's transaction."""
    with open_identity(Identity(credential=UserId(account))), connection.cursor() as cursor:
        cursor.execute("SELECT public.tenants_password_keep(%s, %s)", [account, hashed])
