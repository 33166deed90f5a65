"""seccomp: which system calls a process may make. A list of what parsing needs; all else is refused with EPERM.

So no socket, no other process, no program started, nothing written, moved or removed; and nothing that a later kernel
adds. Source: Documentation/userspace-api/seccomp_filter.rst of the kernel.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from apps.corpus.reader.sandbox.kernel import install_filter

# By machine: what the kernel calls it, and the column of its numbers below.
_MACHINES: Final[Mapping[str, tuple[int, int]]] = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# Name, number on x86_64, on aarch64; "-" where it has no such call.
_ALLOWED: Final = """
read 0 63, write 1 64, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, poll 7 -, lseek 8 62, mmap 9 222, mprotect 10 226,
munmap 11 215, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, pread64 17 67, readv 19 65,
writev 20 66, access 21 -, select 23 -, sched_yield 24 124, mremap 25 216, mincore 27 232, madvise 28 233, dup 32 23,
nanosleep 35 101, getpid 39 172, exit 60 93, uname 63 160, getcwd 79 17, readlink 89 -, gettimeofday 96 169,
getrlimit 97 163, getrusage 98 165, sysinfo 99 179, times 100 153, getuid 102 174, getgid 104 176, geteuid 107 175,
getegid 108 177, getppid 110 173, sigaltstack 131 132, fstatfs 138 44, arch_prctl 158 -, setrlimit 160 164,
gettid 186 178, time 201 -, futex 202 98, sched_getaffinity 204 123, getdents64 217 61, restart_syscall 219 128,
fadvise64 221 223, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, exit_group 231 94,
newfstatat 262 79, readlinkat 267 78, faccessat 269 48, pselect6 270 72, ppoll 271 73, set_robust_list 273 99,
getcpu 309 168, getrandom 318 278, membarrier 324 283, statx 332 291, rseq 334 293, close_range 436 436,
faccessat2 439 439
"""
_ROWS: Final = [row.split() for row in _ALLOWED.replace("\n", " ").split(",")]
_NUMBERS: Final = [[int(row[column]) for row in _ROWS if row[column] != "-"] for column in (1, 2)]
_OPEN_TO_CHANGE: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | 0o20000000  # O_TMPFILE
# TCGETS and FIOCLEX: whether a file is a terminal, and that a program started does not have it.
_IOCTLS: Final = (0x5401, 0x5451)
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC. Not F_SETOWN: it sends signals.
_FCNTLS: Final = (0, 1, 2, 3, 1030)
# Stands for the process that the filter is put on, the only one that it may end or limit.
_OWN: Final = 0xFFFFFFFF

_LOAD: Final = 0x20
_EQUAL: Final = 0x15
_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000
_KILL: Final = 0x80000000
_NUMBER_AT: Final = 0
_MACHINE_AT: Final = 4
_ARGUMENTS_AT: Final = 16


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("first", ctypes.POINTER(_Instruction)))


# code, steps to jump if it holds and if not, value
_Code: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """A call that is allowed by one of its arguments: one of `values`, or without any of `bits`."""

    numbers: tuple[int | None, int | None]
    argument: int
    values: tuple[int, ...] = ()
    bits: int = 0


_HELD: Final = (
    _Held(numbers=(2, None), argument=1, bits=_OPEN_TO_CHANGE),  # open
    _Held(numbers=(257, 56), argument=2, bits=_OPEN_TO_CHANGE),  # openat
    _Held(numbers=(16, 29), argument=1, values=_IOCTLS),
    _Held(numbers=(72, 25), argument=1, values=_FCNTLS),
    _Held(numbers=(302, 261), argument=0, values=(0, _OWN)),  # prlimit64
    _Held(numbers=(200, 130), argument=0, values=(_OWN,)),  # tkill
    _Held(numbers=(234, 131), argument=0, values=(_OWN,)),  # tgkill, by which abort() ends a process
)


@lru_cache(maxsize=1)
def prepare() -> ctypes.Array[_Instruction]:
    """The filter, before it is known whom it holds: once for all children. Raises: OSError: not for this machine."""
    machine, column = _MACHINES.get(platform.machine(), (0, 0))
    if not machine or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise OSError(errno.ENOSYS, f"no list of system calls for {platform.machine()}")
    return _array(_program(machine, column))


def restrict() -> None:
    """Put the filter on this process, for good. Raises: OSError."""
    array = prepare()
    own = os.getpid()
    for each in array:
        if each.code == _EQUAL and each.value == _OWN:
            each.value = own
    _install(array)


def install(code: Sequence[_Code]) -> None:
    """Put a filter on this process, for good. Raises: OSError."""
    _install(_array(code))


def _array(code: Sequence[_Code]) -> ctypes.Array[_Instruction]:
    return (_Instruction * len(code))(*(_Instruction(*each) for each in code))


def _install(array: ctypes.Array[_Instruction]) -> None:
    program = _Program(len(array), ctypes.cast(array, ctypes.POINTER(_Instruction)))
    install_filter(ctypes.byref(program))


def refusing(number: int, error: int) -> list[_Code]:
    """A filter that lets all but one system call through: an older kernel, as far as that call goes."""
    return [
        (_LOAD, 0, 0, _NUMBER_AT),
        (_EQUAL, 0, 1, number),
        (_RETURN, 0, 0, _REFUSE | error),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _program(machine: int, column: int) -> list[_Code]:
    refuse = _REFUSE | errno.EPERM
    code: list[_Code] = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 1, 0, machine),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for number in _NUMBERS[column]:
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for held in _HELD:
        call = held.numbers[column]
        if call is None:
            continue
        # The kernel looks at the lower half of these arguments too: they are int.
        test: list[_Code] = [(_LOAD, 0, 0, _ARGUMENTS_AT + 8 * held.argument)]
        if held.bits:
            test += [(_ANY_BIT, 1, 0, held.bits), (_RETURN, 0, 0, _ALLOW)]
        for value in held.values:
            test += [(_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW)]
        test.append((_RETURN, 0, 0, refuse))
        code += [(_EQUAL, 0, len(test), call), *test]
    return [*code, (_RETURN, 0, 0, refuse)]
