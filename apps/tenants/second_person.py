"""Whether the acting person counts as a second person, who may decide on what somebody else asked for.

An account whose mailbox was never confirmed counts as an account of the person who made it (sql/accounts.sql). The
database checks the same for every decision that takes two people (sql/decisions.sql), even if code does not call this
module.
"""

from __future__ import annotations

from contextvars import ContextVar
from uuid import UUID

from django.db import connection

from apps.tenants.context import current_scope
from apps.tenants.errors import SecondPersonError

_refused: ContextVar[bool] = ContextVar("glassbox_step_up_refused", default=False)


def are_same_hands(other: UUID | None) -> bool:
    """Whether the acting person's account and another one count as one person's. One query."""
    if other is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenants_same_hands(%s)", [other])
        return bool(cursor.fetchone()[0])


def are_hands_above(*, tenant_id: UUID, account: UUID, inviter: UUID | None) -> bool:
    """Whether an account of the acting person is in the chain of invitations that led to another account. One query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenants_invited_by_hands(%s, %s, %s)", [tenant_id, account, inviter])
        return bool(cursor.fetchone()[0])


def require_step_up() -> None:
    """Raise SecondPersonError unless the principal may decide now (Principal.may_decide).

    A person must have used their second factor within the last minutes, if the installation asks for one.
    """
    if not current_scope().principal.may_decide:
        _refused.set(True)
        raise SecondPersonError("tenants.step_up_needed")


def step_up_was_refused() -> bool:
    """Whether a decision was refused since the last call because a code was missing. The admin then asks for a code.

    Pages show a service's errors beside their forms, each in its own way. This error leads to another page instead.
    """
    refused = _refused.get()
    _refused.set(False)
    return refused


def require_second_person(asked_by: UUID | None) -> None:
    """Raise an error unless the acting person may decide as the second person.

    Args:   asked_by: the account that asked for the decision; None for the platform.
    Raises: SecondPersonError: they have not used their second factor just now, or are not a second person.
    """
    require_step_up()
    if are_same_hands(asked_by):
        raise SecondPersonError("tenants.same_hands")
