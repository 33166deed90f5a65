"""The platform's own processes (web, workers, beat) as children of one supervisor.

platform    which processes run, and when each is ready
supervisor  start, watch, restart, and stop them in order
lifeline    a child ends with its supervisor, however the supervisor ends
ports       a free port, or a clear error
"""

from .errors import PortTakenError, ProcessDiedError, ProcessError, ProcessNotReadyError
from .platform import Platform, start_platform
from .ports import choose_port, take_port
from .supervisor import ProcessSpec, Supervisor

__all__ = [
    "Platform",
    "PortTakenError",
    "ProcessDiedError",
    "ProcessError",
    "ProcessNotReadyError",
    "ProcessSpec",
    "Supervisor",
    "choose_port",
    "start_platform",
    "take_port",
]
