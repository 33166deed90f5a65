"""The events of a request, under one action prefix for erasure and another for access.

Events hold ids, codes and dates. What describes a person is sealed in the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.audit.models import Event, Outcome
from apps.audit.registry import EventClass, Group, register
from apps.audit.services import record
from apps.privacy.models import ErasureRequest, Letter
from apps.tenants.roles import Permission

SUBJECT: Final = "erasure_request"
PREFIX: Final = "audit.request."
ACCESS_PREFIX: Final = "audit.access."

# The action after its prefix -> its label.
_LABELS: Final[Mapping[str, str]] = {
    "received": "Erasure request received",
    "described": "Erasure request: facts changed",
    "identity_asked": "Erasure request: proof of identity requested",
    "identity_confirmed": "Erasure request: identity confirmed",
    "assessed": "Erasure request assessed",
    "inventoried": "Erasure request: every place decided on",
    "extended": "Erasure request extended by two months",
    "refused": "Erasure request refused",
    "withdrawn": "Erasure request withdrawn",
    "proposed": "Erasure proposed",
    "returned": "Erasure not approved: sent back to the proposer",
    "restricted": "Erasure approved",
    "executing": "Erasure begun",
    "verifying": "Erasure done, being verified",
    "completed": "Erasure completed",
    "partially_completed": "Erasure completed except for what is held",
    "failed": "Erasure failed, to be tried again",
    "forgotten": "Key of the request destroyed",
    "letter_written": "Letter written",
    "letter_sent": "Letter sent",
    "letter_failed": "Letter could not be sent",
    "letter_uncertain": "Letter: not known whether it was sent",
    "letter_retried": "Letter to be sent again",
    "letter_settled": "Letter marked as sent by hand",
}
_ACCESS_LABELS: Final[Mapping[str, str]] = {
    "received": "Access request received",
    "described": "Access request: facts changed",
    "identity_asked": "Access request: proof of identity requested",
    "identity_confirmed": "Access request: identity confirmed",
    "quoted": "Access: quotes decided on",
    "prepared": "Access: package made",
    "taken_back": "Access: package destroyed, to be made again",
    "downloaded": "Access: package downloaded",
    "expired": "Access: package expired and destroyed",
    "completed": "Access request answered",
    "extended": "Access request extended by two months",
    "refused": "Access request refused",
    "withdrawn": "Access request withdrawn",
    **{name: label for name, label in _LABELS.items() if name == "forgotten" or name.startswith("letter_")},
}
# Only the platform records these: how an approved erasure proceeds, and that a package expired.
_OWN: Final = frozenset({"executing", "verifying", "completed", "partially_completed", "failed", "expired"})
_MANAGE: Final = frozenset({Permission.PRIVACY_MANAGE})
# These follow the decision on the removal run and are recorded in the name of the person who decides on it.
_DECIDED: Final[Mapping[str, frozenset[str]]] = {
    "restricted": frozenset({Permission.PRIVACY_APPROVE}),
    "returned": _MANAGE | {Permission.PRIVACY_APPROVE},
}
# Fields about an access package: counts, its size and when it expires.
_PACKAGE: Final = frozenset(
    {"package_id", "places", "quoted", "left_out", "hidden", "byte_size", "expires_at", "at_once"}
)
_FIELDS: Final = frozenset(
    {"reference", "before", "state", "subject_type", "due_on", "code", "run_id", "letter_id", "letter_kind", "delivery"}
)


def register_request_events() -> None:
    register(
        *(
            EventClass(
                action=f"{PREFIX}{name}",
                label=label,
                fields={Group.CORE: _FIELDS},
                permissions=frozenset() if name in _OWN else _DECIDED.get(name, _MANAGE),
            )
            for name, label in _LABELS.items()
        ),
        *(
            EventClass(
                action=f"{ACCESS_PREFIX}{name}",
                label=label,
                fields={Group.CORE: _FIELDS | _PACKAGE},
                # A person answers a request for access; the platform answers one for erasure.
                permissions=frozenset() if name in _OWN - {"completed"} else _MANAGE,
            )
            for name, label in _ACCESS_LABELS.items()
        ),
    )


def tell(name: str, request: ErasureRequest, *, outcome: Outcome = Outcome.SUCCESS, **more: Any) -> Event:
    """Record a step of a request. Args: more: core fields in addition to those that every step has."""
    core = {"reference": request.reference, "state": request.state, "due_on": request.due_on.isoformat(), **more}
    prefix = ACCESS_PREFIX if request.is_access else PREFIX
    return record(action=f"{prefix}{name}", core=core, outcome=outcome, subject_type=SUBJECT, subject_id=request.id)


def tell_letter(name: str, letter: Letter, *, outcome: Outcome = Outcome.SUCCESS, **more: Any) -> Event:
    return tell(
        name,
        letter.request,
        outcome=outcome,
        letter_id=str(letter.id),
        letter_kind=letter.kind,
        delivery=letter.delivery,
        **more,
    )
