"""Landlock: which files a process may open. Here: to read, and only where the libraries are.

Source: Documentation/userspace-api/landlock.rst of the kernel, versions of the interface 1 to 6.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from apps.corpus.reader.sandbox.kernel import system_call

# The numbers are the same for every architecture.
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1

_READ_FILE: Final = 1 << 2
_READ_DIRECTORY: Final = 1 << 3
# By version of the interface: how many of the rights over files it knows.
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_RIGHTS_SINCE_5: Final = 16
_TCP: Final = 0b11  # bind and connect, since 4
_SCOPES: Final = 0b11  # abstract sockets and signals, since 6
# The attribute's size by version: the kernel takes what it knows.
_SIZES: Final = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def ruleset(readable: Iterable[Path]) -> int:
    """A descriptor of rules by which only what is beneath `readable` can be opened, to be read. Raises: OSError."""
    version = system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    rules = _Ruleset(
        files=(1 << _RIGHTS.get(version, _RIGHTS_SINCE_5)) - 1,
        network=_TCP if version >= 4 else 0,
        scoped=_SCOPES if version >= 6 else 0,
    )
    size = _SIZES.get(version, ctypes.sizeof(rules))
    made = system_call(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path in readable:
        _allow(made, path)
    return made


def _allow(made: int, path: Path) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what isn't there needs no rule
    try:
        allowed = _READ_FILE | _READ_DIRECTORY if path.is_dir() else _READ_FILE
        rule = _PathBeneath(allowed=allowed, parent=parent)
        system_call(_ADD_RULE, ctypes.c_int(made), ctypes.c_int(_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0))
    finally:
        os.close(parent)


def restrict(made: int) -> None:
    """Put the rules on this process, for good. Raises: OSError."""
    system_call(_RESTRICT_SELF, ctypes.c_int(made), ctypes.c_uint32(0))
