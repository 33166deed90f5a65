"""The errors of the platform's processes."""

from __future__ import annotations

from apps.errors import ApplicationError


class ProcessError(ApplicationError):
    """The platform's processes can't do their work."""

    code = "process"
    status = 503


class PortTakenError(ProcessError):
    code = "process.port_taken"
    message = "Port {port} on {host} can't be used: {reason}. Choose another one with --port."


class ProcessDiedError(ProcessError):
    code = "process.died"
    message = "{name} ended {how}, {times}. {where}"


class ProcessNotReadyError(ProcessError):
    code = "process.not_ready"
    message = "{name} was not ready after {timeout_s} s. {where}"
