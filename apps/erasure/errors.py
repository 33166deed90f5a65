"""What may go wrong with a run of removals. No error holds more than ids, counts and codes."""

from __future__ import annotations

from apps.errors import ApplicationError


class NothingToRemoveError(ApplicationError):
    code = "audit.removal_of_nothing"
    status = 400
    message = "Name at least one thing to remove."


class UnknownTargetTypeError(ApplicationError):
    """A target that no store would clear must not pass for one that is gone."""

    code = "audit.removal_target_unknown"
    status = 409
    message = "Nothing was proposed: no store knows how to remove targets of the type {types}."


class TargetRefusedError(ApplicationError):
    code = "audit.removal_target_refused"
    status = 409
    message = "Nothing was proposed: the {part!r} part of event {event} {problem}."


class OtherTenantError(ApplicationError):
    code = "audit.removal_of_another_tenant"
    status = 409
    message = "Nothing was proposed: a tenant is erased by its own people, and you act for another one."


class RunNotFoundError(ApplicationError):
    code = "audit.removal_run_not_found"
    status = 404
    message = "There is no such run of removals here: {run}."


class RunStateError(ApplicationError):
    code = "audit.removal_run_state"
    status = 409
    message = "This run can't be {act}: it is {state}."


class RunChangedError(ApplicationError):
    """Data: run. It is not what was read any more."""

    code = "audit.removal_run_changed"
    status = 409
    message = "Nothing was decided: run {run} has changed since you read it. Read it as it stands now."


class OwnRunError(ApplicationError):
    code = "audit.removal_run_own"
    status = 403
    message = "You proposed this run: somebody else approves it."


class NotUnprovenError(ApplicationError):
    code = "audit.removal_not_unproven"
    status = 409
    message = (
        "There is nothing to decide about the proof of this run: it has no physical one, or it was decided already, or "
        "nobody has asked, or somebody else has. Read it again."
    )


class OwnUnprovenError(ApplicationError):
    code = "audit.removal_unproven_own"
    status = 403
    message = "You asked to do without the physical proof: somebody else agrees, or does not."


class RemoverNotAPersonError(ApplicationError):
    code = "audit.removal_person_needed"
    status = 403
    message = (
        "A removal is proposed and approved by people. Use a key that acts for you (Administration, My keys), or sign "
        "in."
    )


class ScopeClosedError(ApplicationError):
    """Also where the whole tenant is erased: who is told holds the scope, and need not know more."""

    code = "audit.scope_closed"
    status = 409
    message = (
        "Nothing was taken in: this scope is being erased, or was, so that no document is added to it and no question "
        "answered from it any more. Choose another scope; your data protection officer knows of the request."
    )


class StoreGoneError(ApplicationError):
    """The ledger names a store that this release does not have: nobody could say that it is empty."""

    code = "audit.removal_store_gone"
    status = 500
    message = "Run {run} has a step for the store {store}, which nobody registers any more."
