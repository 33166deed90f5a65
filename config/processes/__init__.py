"""The platform's own processes (web, workers, beat) as children of one supervisor.

platform    what is run, and when it is ready
supervisor  start, watch, restart, stop in order
lifeline    a child ends with its supervisor, however that ends
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
