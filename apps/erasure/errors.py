"""What may go wrong with a run of removals. No error holds more than ids, counts and codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class RemovalError(CodedError):
    """What stands against proposing, deciding or finding a run of removals."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "audit.removal_of_nothing": (400, "Name at least one thing to remove."),
        # A target that no store would clear must not pass for one that is gone.
        "audit.removal_target_unknown": (
            409,
            "Nothing was proposed: no store knows how to remove targets of the type {types}.",
        ),
        "audit.removal_target_refused": (409, "Nothing was proposed: the {part!r} part of event {event} {problem}."),
        "audit.removal_of_another_tenant": (
            409,
            "Nothing was proposed: only members of a tenant can erase it, and you act for another tenant.",
        ),
        "audit.removal_run_not_found": (404, "There is no removal run {run} here."),
        "audit.removal_run_state": (409, "This removal run can't be {act}: it is {state}."),
        # Data: run. It is not what was read any more.
        "audit.removal_run_changed": (
            409,
            "Nothing was decided: removal run {run} has changed since you read it. Read its current state.",
        ),
        "audit.removal_run_own": (403, "You proposed this removal run, so somebody else must approve it."),
        "audit.removal_not_unproven": (
            409,
            (
                "There is nothing for you to decide about the proof of this removal run. It may have no physical "
                "proof, it may be decided already, nobody may have asked, or somebody else did. Read the run again."
            ),
        ),
        "audit.removal_unproven_own": (
            403,
            "You asked to do without the physical proof, so somebody else must decide on it.",
        ),
        "audit.removal_person_needed": (
            403,
            (
                "Only people can propose and approve removals. Use a key that acts for you (Administration, My keys), "
                "or sign in."
            ),
        ),
        # The ledger names a store that this release does not have: nobody could say that it is empty.
        "audit.removal_store_gone": (
            500,
            "Removal run {run} has a step for the store {store}, which is no longer registered.",
        ),
        "audit.too_many_removals": (400, "Name between 1 and {most} removals at once; {count} were named."),
        "audit.removal_refused": (409, "Nothing was authorised: the {group} part of event {event} {problem}."),
        # Step two was called before the log could prove step one.
        "audit.removal_not_sealed": (
            409,
            (
                "Event {event} authorises no removals, or is not sealed yet. Sealing takes seconds: try again in a "
                "moment."
            ),
        ),
    }


class ScopeClosedError(ApplicationError):
    """Also where the whole tenant is erased: who is told holds the scope, and need not know more."""

    code = "audit.scope_closed"
    status = 409
    message = (
        "Nothing was accepted: this scope is being erased or has been erased. No document can be added to it, and no "
        "question is answered from it. Choose another scope. Your data protection officer knows about the request."
    )
