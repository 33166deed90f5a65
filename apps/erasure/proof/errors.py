"""What may go wrong with the proof of a run. No error holds more than ids, counts and codes."""

from __future__ import annotations

from apps.errors import ApplicationError


class NeedlesLostError(ApplicationError):
    """Nobody can say any more what was to be looked for: it is gone from the database too."""

    code = "audit.proof_needles_lost"
    status = 500
    message = "The list of what to search for after removal run {run} no longer exists, or was changed."


class ControlFailedError(ApplicationError):
    """A scan that does not find what is there proves nothing: nothing is removed."""

    code = "audit.proof_control"
    status = 409
    message = "The control of removal run {run} did not find everything that was there: {missing}."


class WindowError(ApplicationError):
    code = "config.erasure_window"
    status = 500
    message = "GLASSBOX_ERASURE_WINDOW must be two times of day in UTC such as 01:00-04:00, or empty."


class ProverBusyError(ApplicationError):
    code = "audit.proof_busy"
    status = 409
    message = "Another process is working on the proofs of erasures: see its progress on the runs' pages."
