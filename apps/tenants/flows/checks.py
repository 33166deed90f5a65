"""What a service asks before it takes a step of a flow. The database asks the same by itself (sql/flows.sql)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from uuid import UUID

from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.flows.table import By, Flow, Refusal, Step
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.second_person import require_second_person

# A room's own error for a refusal.
Refused = Callable[[Any, Step, Refusal], ApplicationError]


class Revised(Protocol):
    revision: int


def require_permission(flow: Flow, name: str) -> Principal:
    """Return the principal, who must hold a permission of the step, whoever asked for what it decides on.

    Raises: PermissionDeniedError.
    """
    principal = current_scope().principal
    ways = flow.ways(name)
    if not any(principal.may(permission) for step in ways for permission in step.may):
        principal.require(ways[-1].may[-1])
    return principal


def require_step(flow: Flow, row: Revised, name: str, *, refused: Refused, revision: int | None = None) -> None:
    """Raise an error unless the principal may take this step of the row now.

    Args:   row: locked. revision: the one that the principal read; None: the caller has compared it.
    Raises: PermissionDeniedError; what `refused` makes of the other refusals; for a decision of a second person, what
            require_second_person raises.
    """
    principal = current_scope().principal
    step = flow.ways(name)[-1]
    because = flow.refusal(row, name, person=_person(principal), may=principal.may)
    if because is Refusal.PERMISSION:
        principal.require(step.may[-1])
    if because is not None:
        raise refused(row, step, because)
    if revision not in (None, row.revision):
        raise refused(row, step, Refusal.CHANGED)
    if step.by is By.SECOND:
        require_second_person(flow.asked_by(row, step))


def steps_offered(flow: Flow, row: object, principal: Principal) -> Mapping[str, Step]:
    """Return the steps that a page or an answer of the API offers the principal, by name, in the order of the table."""
    return flow.offered(row, person=_person(principal), may=principal.may)


def _person(principal: Principal) -> UUID | None:
    return principal.id if principal.kind is PrincipalKind.USER else None
