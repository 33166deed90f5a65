"""Hide a process's memory and environment, which hold its secrets, from other processes of its account."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final

_SET_DUMPABLE: Final = 4  # linux/prctl.h


def hide_memory() -> None:
    """Let only root read the process's memory and environment in /proc, for the rest of its life.

    The process then writes no core dump and accepts no debugger. This has an effect only on Linux.
    """
    if sys.platform != "linux":
        return
    zero = ctypes.c_ulong(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(ctypes.c_int(_SET_DUMPABLE), zero, zero, zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
