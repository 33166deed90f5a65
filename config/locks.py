"""File locks that the kernel releases when their holder dies, even by kill -9. Standard library only."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Final

_POLL_S: Final = 0.02


class LockTimeoutError(TimeoutError):
    """Another process kept a lock for longer than the caller was ready to wait."""


class FileLock:
    """An advisory lock on a file: many processes may share it, or one may own it.

    The lock belongs to the open file, so a forked child shares it, and it ends when the last of them closes the file.
    That is why `release` only closes: an explicit unlock in a child would also release the parent's lock.

    Args:
        path: created with mode 0600 when it does not exist; its directory must exist.
        shared: share the lock with other sharing holders.
        timeout_s: how long entering the `with` block waits.
    """

    def __init__(self, path: Path, *, shared: bool = False, timeout_s: float = 60.0) -> None:
        self.path = path
        self.timeout_s = timeout_s
        self._operation = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        return self._descriptor is not None

    @property
    def descriptor(self) -> int | None:
        """Return the open file behind a held lock; a process that inherits it holds the lock too."""
        return self._descriptor

    def try_acquire(self) -> bool:
        """Take the lock if it is free.

        Returns: whether this process holds it now.
        Raises:  OSError: the file can't be opened.
        """
        if self._descriptor is not None:
            return True
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, self._operation | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        if not self._is_current(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        return True

    def acquire(self, *, timeout_s: float | None = None) -> None:
        """Wait for the lock.

        Raises: LockTimeoutError: it was not free within `timeout_s` (the lock's own when None).
        """
        deadline = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        while not self.try_acquire():
            if time.monotonic() >= deadline:
                raise LockTimeoutError(f"{self.path} is locked by another process.")
            time.sleep(_POLL_S)

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def is_orphaned(self) -> bool:
        """Return whether the file of a held lock was removed or replaced, so that no other process can see the lock."""
        return self._descriptor is not None and not self._is_current(self._descriptor)

    def _is_current(self, descriptor: int) -> bool:
        try:
            on_disk = self.path.stat()
        except FileNotFoundError:
            return False
        opened = os.fstat(descriptor)
        return (on_disk.st_dev, on_disk.st_ino) == (opened.st_dev, opened.st_ino)

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
