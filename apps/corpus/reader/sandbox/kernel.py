"""Calls to the Linux kernel that Python has no function for. Each raises OSError where the kernel refuses it."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Final

# What is asked of prctl, in linux/prctl.h.
_SET_PDEATHSIG: Final = 1
_SET_KEEPCAPS: Final = 8
_SET_SECCOMP: Final = 22
_SET_CHILD_SUBREAPER: Final = 36
_SET_NO_NEW_PRIVS: Final = 38
_SECCOMP_MODE_FILTER: Final = 2

_CAP_DAC_READ_SEARCH: Final = 2
_CAPABILITY_VERSION_3: Final = 0x20080522

IS_LINUX: Final = sys.platform == "linux"
_libc: Final = ctypes.CDLL(None, use_errno=True)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilitySet(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def system_call(number: int, *arguments: object) -> int:
    """A system call by its number. Raises: OSError."""
    if not IS_LINUX:
        raise OSError("not a Linux kernel")
    ctypes.set_errno(0)
    found = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return found


def _prctl(what: int, value: int = 0, address: object = None) -> None:
    if not IS_LINUX:
        raise OSError("not a Linux kernel")
    ctypes.set_errno(0)
    rest = (ctypes.c_void_p(None) if address is None else address, ctypes.c_ulong(0), ctypes.c_ulong(0))
    if _libc.prctl(ctypes.c_int(what), ctypes.c_ulong(value), *rest) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def gain_nothing() -> None:
    """No program that this process starts has more rights than it has."""
    _prctl(_SET_NO_NEW_PRIVS, 1)


def die_with_parent(signal_number: int) -> None:
    _prctl(_SET_PDEATHSIG, signal_number)


def adopt_orphans() -> None:
    """What a child leaves behind becomes this process' child."""
    if IS_LINUX:
        _prctl(_SET_CHILD_SUBREAPER, 1)


def install_filter(address: object) -> None:
    """Args: address: a pointer to a sock_fprog."""
    _prctl(_SET_SECCOMP, _SECCOMP_MODE_FILTER, address)


def leave_root(account: int, *, may_search: bool) -> None:
    """Become another account for good, without capabilities; `may_search` keeps that of reading what others may not.

    Clears what die_with_parent asked for.
    """
    _prctl(_SET_KEEPCAPS, 1 if may_search else 0)
    os.setgroups([])
    os.setresgid(account, account, account)
    os.setresuid(account, account, account)
    give_up_capabilities(but=1 << _CAP_DAC_READ_SEARCH if may_search else 0)


def give_up_capabilities(*, but: int = 0) -> None:
    """Args: but: a mask of those to keep, of the first 32."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    sets = (_CapabilitySet * 2)(_CapabilitySet(but, but, 0), _CapabilitySet(0, 0, 0))
    if _libc.capset(ctypes.byref(header), ctypes.byref(sets)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
