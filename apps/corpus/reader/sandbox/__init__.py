"""What holds a process that reads a file even if the file takes it over. Nothing here needs root or a helper program.

Each part is tried in a process of its own before it is relied on: a container or a kernel may lack it.
"""

from __future__ import annotations

import os
import pwd
import signal
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from typing import Final

from apps.corpus.reader.sandbox import kernel, landlock, seccomp
from config.memory import hide_memory

_APPS: Final = Path(__file__).resolve().parents[3]
# What libraries look for when they are loaded, and when text in a PDF has a font that is not in the file.
_SYSTEM: Final = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"),
    *("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/zoneinfo", "/dev/null", "/dev/urandom"),
)
_ACCOUNTS: Final = range(64_900, 61_000, -1)


class Part(IntFlag):
    """What can be missing."""

    LANDLOCK = 1
    SECCOMP = 2
    ACCOUNT = 4


_EVERY_PART: Final = Part.LANDLOCK | Part.SECCOMP | Part.ACCOUNT
_TOLD: Final = {
    Part.LANDLOCK: "Landlock, without which it can read every file that the worker's account can",
    Part.SECCOMP: "seccomp, without which it can reach the network and other processes of its account",
    Part.ACCOUNT: "an account of its own, without which it stays root",
}


def told(missing: Part) -> str:
    """Why that matters, in a sentence's end; "" for nothing."""
    return "; ".join(_TOLD[part] for part in Part if part in missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sandbox:
    """The sandbox as this machine gives it, made once and entered by each child.

    rules: a descriptor of Landlock's. account: whom root becomes, None for who is not root. may_search: whether that
    account keeps the right to read what others may not, which Landlock's rules then bound.
    """

    missing: Part
    rules: int | None = None
    account: int | None = None
    may_search: bool = False

    @classmethod
    def of_this_machine(cls) -> Sandbox:
        """Forks, to try each part: for a process without threads."""
        if not kernel.IS_LINUX:
            return cls(missing=_EVERY_PART)
        readable = _readable()
        missing, rules = Part(0), None
        account = _unused_account() if os.geteuid() == 0 else None
        may_search = account is not None and not _open_to_all(readable)
        try:
            rules = landlock.ruleset(readable)
        except OSError:
            missing |= Part.LANDLOCK
        try:
            seccomp.prepare()
        except OSError:
            missing |= Part.SECCOMP
        for part in Part:
            only = cls(missing=_EVERY_PART & ~part, rules=rules, account=account, may_search=may_search)
            if part not in missing and not _works(only):
                missing |= part
        return cls(missing=missing, rules=rules, account=account, may_search=may_search)

    def enter(self) -> None:
        """Hold this process, for good.

        Raises: OSError: a part that worked when it was tried does not: nothing may be read then.
        """
        if not kernel.IS_LINUX:
            return
        parent = os.getppid()
        kernel.gain_nothing()
        if self.account is not None and Part.ACCOUNT not in self.missing:
            kernel.leave_root(self.account, may_search=self.may_search)
        elif self.account is not None and not self.may_search:
            kernel.give_up_capabilities()
        hide_memory()
        kernel.die_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            raise ProcessLookupError("whoever wanted the file read is gone")
        if Part.LANDLOCK not in self.missing and self.rules is not None:
            landlock.restrict(self.rules)
            os.close(self.rules)
        if Part.SECCOMP not in self.missing:
            seccomp.restrict()


def _works(sandbox: Sandbox) -> bool:
    """Whether it can be entered, and libraries can still be read within."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            sandbox.enter()
            Path(os.__file__).read_bytes()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return status == 0


def _readable() -> tuple[Path, ...]:
    """Where code is: the interpreter's and the libraries', ours without the rest of the checkout, the system's."""
    libraries = {*sys.path, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))}
    found = {Path(each).resolve() for each in libraries if each}
    return (_APPS, *sorted(each for each in found if not _APPS.is_relative_to(each)), *map(Path, _SYSTEM))


def _open_to_all(paths: Sequence[Path]) -> bool:
    """Whether an account without rights can read there: root's own interpreter may be in a closed folder."""
    there = [path for path in paths if path.exists()]
    return all(path.stat().st_mode & 0o004 for path in there) and all(
        above.stat().st_mode & 0o001 for path in there for above in path.parents
    )


def _unused_account() -> int:
    """A number that no account has: what belongs to "nobody" may be somebody's."""
    for number in _ACCOUNTS:
        try:
            pwd.getpwuid(number)
        except KeyError:
            return number
    raise OSError("every number is taken")
