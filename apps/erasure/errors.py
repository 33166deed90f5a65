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
    message = "Nothing was proposed: only members of a tenant can erase it, and you act for another tenant."


class RunNotFoundError(ApplicationError):
    code = "audit.removal_run_not_found"
    status = 404
    message = "There is no removal run {run} here."


class RunStateError(ApplicationError):
    code = "audit.removal_run_state"
    status = 409
    message = "This removal run can't be {act}: it is {state}."


class RunChangedError(ApplicationError):
    """Data: run. It is not what was read any more."""

    code = "audit.removal_run_changed"
    status = 409
    message = "Nothing was decided: removal run {run} has changed since you read it. Read its current state."


class OwnRunError(ApplicationError):
    code = "audit.removal_run_own"
    status = 403
    message = "You proposed this removal run, so somebody else must approve it."


class NotUnprovenError(ApplicationError):
    code = "audit.removal_not_unproven"
    status = 409
    message = (
        "There is nothing for you to decide about the proof of this removal run. It may have no physical proof, it "
        "may be decided already, nobody may have asked, or somebody else did. Read the run again."
    )


class OwnUnprovenError(ApplicationError):
    code = "audit.removal_unproven_own"
    status = 403
    message = "You asked to do without the physical proof, so somebody else must decide on it."


class RemoverNotAPersonError(ApplicationError):
    code = "audit.removal_person_needed"
    status = 403
    message = (
        "Only people can propose and approve removals. Use a key that acts for you (Administration, My keys), or "
        "sign in."
    )


class ScopeClosedError(ApplicationError):
    """Also where the whole tenant is erased: who is told holds the scope, and need not know more."""

    code = "audit.scope_closed"
    status = 409
    message = (
        "Nothing was accepted: this scope is being erased or has been erased. No document can be added to it, and no "
        "question is answered from it. Choose another scope. Your data protection officer knows about the request."
    )


class StoreGoneError(ApplicationError):
    """The ledger names a store that this release does not have: nobody could say that it is empty."""

    code = "audit.removal_store_gone"
    status = 500
    message = "Removal run {run} has a step for the store {store}, which is no longer registered."
