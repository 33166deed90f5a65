"""`python -m config.processes.lifeline PID COMMAND ...`: become the command, which ends when its parent PID ends.

A supervisor that is killed with -9 can't stop its children, which would then keep the port and the queue. On Linux the
kernel sends them a signal. Elsewhere the children of a killed supervisor have to be stopped by hand.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def main(parent: int, command: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # the parent died before the kernel was asked to send its signal
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 (the supervisor's fixed command, without a shell)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
