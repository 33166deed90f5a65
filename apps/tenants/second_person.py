"""Whether the acting person may decide on what somebody asked for: a second person, and not the same one twice.

An account whose mailbox was never confirmed counts as in the hands of whoever made it (sql/accounts.sql). The
database asks the same of every decision that takes two (sql/decisions.sql), whoever forgets to ask here.
"""

from __future__ import annotations

from contextvars import ContextVar
from uuid import UUID

from django.db import connection

from apps.tenants.context import current_scope
from apps.tenants.errors import SameHandsError, StepUpNeededError

_refused: ContextVar[bool] = ContextVar("glassbox_step_up_refused", default=False)


def are_same_hands(other: UUID | None) -> bool:
    """Whether another account counts as the acting person's. One query."""
    if other is None:
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenants_same_hands(%s)", [other])
        return bool(cursor.fetchone()[0])


def are_hands_above(*, tenant_id: UUID, account: UUID, inviter: UUID | None) -> bool:
    """Whether an account of the acting person's is in the chain of invitations that led to another one. One query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tenants_invited_by_hands(%s, %s, %s)", [tenant_id, account, inviter])
        return bool(cursor.fetchone()[0])


def require_step_up() -> None:
    """Raises: StepUpNeededError: the acting person has not used their second factor within the last minutes."""
    if not current_scope().principal.may_decide:
        _refused.set(True)
        raise StepUpNeededError


def step_up_was_refused() -> bool:
    """Whether a decision was refused for want of a code since the last call: the admin then asks for one.

    Pages turn a service's errors into words beside their forms, each in its own way; this one leads to another page.
    """
    refused = _refused.get()
    _refused.set(False)
    return refused


def require_second_person(asked_by: UUID | None) -> None:
    """Args: asked_by: who asked for it; None where it was the platform. Raises: StepUpNeededError, SameHandsError."""
    require_step_up()
    if are_same_hands(asked_by):
        raise SameHandsError
