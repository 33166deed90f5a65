"""Which kinds of document the open scope's principal may upload, by the policy in force."""

from __future__ import annotations

from collections.abc import Sequence

from apps.corpus.errors import IngestError
from apps.corpus.registry import KindInForce, kinds_in_force
from apps.corpus.services.ingest.errors import KindNotYoursError, RetiredKindError, UnknownKindError
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import PERMISSIONS, Permission, Role


def uploadable_kinds() -> tuple[KindInForce, ...]:
    """Return the kinds that the open scope's principal may upload, by priority."""
    principal = current_scope().principal
    return tuple(each for each in kinds_in_force() if not each.retired and _may_upload(principal, each))


def require_uploadable(kind: str, kinds: Sequence[KindInForce] | None = None) -> KindInForce:
    """Return the kind of that key if the open scope's principal may upload documents of it.

    Args:   kinds: those in force, if they are known already.
    Raises: UnknownKindError, RetiredKindError, KindNotYoursError.
    """
    known = kinds_in_force() if kinds is None else kinds
    error = upload_problem(kind, known, current_scope().principal)
    if error is not None:
        raise error
    return next(each for each in known if each.kind == kind)


def require_fileable(kind: str) -> None:
    """Raise KindNotYoursError unless the principal may upload documents of the kind, were it in use."""
    found = next((each for each in kinds_in_force() if each.kind == kind), None)
    if found is not None and not _may_upload(current_scope().principal, found):
        raise _not_yours(found)


def upload_problem(kind: str, known: Sequence[KindInForce], principal: Principal | None = None) -> IngestError | None:
    """Return why documents of a kind can't be uploaded, by this principal if one is given, or None if they can."""
    found = next((each for each in known if each.kind == kind), None)
    in_use = ", ".join(each.kind.value for each in known if not each.retired)
    if found is None:
        return UnknownKindError(kind=repr(str(kind)), known=in_use)
    if found.retired:
        return RetiredKindError(kind=repr(found.kind.value), known=in_use)
    if principal is not None and not _may_upload(principal, found):
        return _not_yours(found)
    return None


def _not_yours(kind: KindInForce) -> KindNotYoursError:
    return KindNotYoursError(kind=repr(kind.kind.value), roles=", ".join(str(role.label) for role in kind.uploaders))


def adding_roles() -> tuple[Role, ...]:
    """Return the roles that may add documents at all; a policy chooses among them for each kind."""
    return tuple(role for role in Role if Permission.DOCUMENT_ADD in PERMISSIONS[role])


def _may_upload(principal: Principal, kind: KindInForce) -> bool:
    # The platform's own principal loads what an operator hands it, as manage.py ingest does.
    return (
        not kind.uploaders
        or principal.kind is PrincipalKind.SYSTEM
        or any(role in kind.uploaders for role in principal.roles)
    )
