"""Which kinds of document the open scope's principal may upload, correct and remove, by the policy in force."""

from __future__ import annotations

from collections.abc import Sequence

from apps.corpus.errors import IngestError
from apps.corpus.kinds import Right
from apps.corpus.registry import KindInForce, kinds_in_force, kinds_leaving
from apps.corpus.services.ingest.errors import (
    KindNotYoursError,
    LeavingKindError,
    RetiredKindError,
    UnknownKindError,
)
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal, PrincipalKind


def usable_kinds(right: Right = Right.UPLOAD) -> tuple[KindInForce, ...]:
    """Return the kinds in use for which the open scope's principal has a right, by priority.

    One that an approved version leaves out is in use no longer.
    """
    principal, leaving = current_scope().principal, kinds_leaving()
    usable = (each for each in kinds_in_force() if not each.retired and each.kind not in leaving)
    return tuple(each for each in usable if _has(principal, each, right))


def require_usable(
    kind: str, kinds: Sequence[KindInForce] | None = None, *, right: Right = Right.UPLOAD
) -> KindInForce:
    """Return the kind of that key if it is in use, and the open scope's principal has the right for it.

    Args:   kinds: those in force, if they are known already.
    Raises: UnknownKindError, RetiredKindError, LeavingKindError, KindNotYoursError.
    """
    known = kinds_in_force() if kinds is None else kinds
    error = kind_problem(kind, known, current_scope().principal, right=right)
    if error is not None:
        raise error
    if (number := (leaving := kinds_leaving()).get(kind)) is not None:
        stay = ", ".join(each.kind.value for each in known if not each.retired and each.kind not in leaving)
        raise LeavingKindError(kind=repr(kind), number=number, known=stay)
    return next(each for each in known if each.kind == kind)


def require_right(kind: str, right: Right) -> None:
    """Raise KindNotYoursError unless the principal has the right for the kind, which may be retired.

    A kind that the policy does not know has no rule: the permission of the role decides alone.
    """
    found = next((each for each in kinds_in_force() if each.kind == kind), None)
    if found is not None and not _has(current_scope().principal, found, right):
        raise _not_yours(found, right)


def has_right(kind: str, right: Right) -> bool:
    """Return whether the open scope's principal has a role with this right, were the permission given."""
    try:
        require_right(kind, right)
    except KindNotYoursError:
        return False
    return True


def kind_problem(
    kind: str, known: Sequence[KindInForce], principal: Principal | None = None, *, right: Right = Right.UPLOAD
) -> IngestError | None:
    """Return why documents can't be filed as a kind, by this principal if one is given, or None if they can."""
    found = next((each for each in known if each.kind == kind), None)
    in_use = ", ".join(each.kind.value for each in known if not each.retired)
    if found is None:
        return UnknownKindError(kind=repr(str(kind)), known=in_use)
    if found.retired:
        return RetiredKindError(kind=repr(found.kind.value), known=in_use)
    if principal is not None and not _has(principal, found, right):
        return _not_yours(found, right)
    return None


def _not_yours(kind: KindInForce, right: Right) -> KindNotYoursError:
    roles = ", ".join(str(role.label) for role in kind.roles_with(right))
    return KindNotYoursError(kind=repr(kind.kind.value), roles=roles, doing=right.value)


def _has(principal: Principal, kind: KindInForce, right: Right) -> bool:
    # The platform's own principal loads what an operator hands it, as manage.py ingest does.
    named = kind.roles_with(right)
    return not named or principal.kind is PrincipalKind.SYSTEM or any(role in named for role in principal.roles)
