"""A process' memory and environment, which hold its secrets, closed to other processes of its account."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final

_SET_DUMPABLE: Final = 4  # linux/prctl.h


def hide_memory() -> None:
    """Close what /proc shows of them, for good: to all but root. It writes no core dump and takes no debugger then.

    Does nothing elsewhere than on Linux.
    """
    if sys.platform != "linux":
        return
    zero = ctypes.c_ulong(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(ctypes.c_int(_SET_DUMPABLE), zero, zero, zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
