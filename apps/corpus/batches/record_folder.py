"""A folder that is watched for records: each file is taken in once and is gone, or is moved aside with a reason.

A file goes from the folder to `.taking` by one rename. Once its record is committed it is removed, because no erasure
would reach a copy here; a file that fails goes to `failed`. So a process that is killed anywhere leaves the file in one
of these places: what lies in `.taking` is taken in again, and the same record again makes no version. Nothing is opened
through a link, and nothing outside of the folder: names are opened relative to the open folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError

from apps.corpus.batches.record_file import Belonging, UnusableFileError, store_file
from apps.corpus.extraction.record_file import MAX_RECORD_BYTES
from apps.corpus.services.ingest.manifest import in_one_line, printable
from apps.errors import ApplicationError

TAKING, FAILED = ".taking", "failed"
# What programs call a file that they are still writing.
_UNFINISHED: Final = (".part", ".partial", ".tmp", ".crdownload", "~")
_SERVER_ERROR: Final = 500
# Of either part of a name, so that what is added to it stays within the 255 bytes of a name.
_NAME_BYTES: Final = 100
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Not waiting for who writes into a pipe.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FolderError(ValueError):
    """The folder can't be watched; the message says why, as a sentence."""


class _ChangedError(Exception):
    """The file was written to while it was read, or is gone."""


class State(StrEnum):
    DONE = "done"
    FAILED = "failed"
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What became of one file. told: the outcome, or why it failed or waits."""

    name: str
    state: State
    told: str


@dataclass(slots=True, kw_only=True)
class RecordFolder:
    """settle_seconds: how long a file must have stayed as it is before it is read."""

    path: Path
    belonging: Belonging
    settle_seconds: float = 2.0
    _seen: dict[str, tuple[tuple[int, ...], float]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make the folders inside. Raises: FolderError: there is no folder, or one inside is a link or a file."""
        try:
            with _opened(self.path) as folder:
                for name in (TAKING, FAILED):
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=folder)
                    os.close(os.open(name, _DIRECTORY, dir_fd=folder))
        except OSError as error:
            name = printable(str(error.filename or self.path))
            raise FolderError(f"{name} can't be used as a folder: {error.strerror}. It must be no link.") from error

    def take(self) -> Iterator[Taken]:
        """Take in what lay in `.taking` and then every file that is finished, the oldest first."""
        with _opened(self.path) as folder, _opened(TAKING, within=folder) as taking:
            for name in sorted(os.listdir(taking)):
                yield self._taken(folder, taking, name)
            waiting = set(os.listdir(taking))
            for name in self._finished(folder):
                if name not in waiting:
                    try:
                        os.rename(name, name, src_dir_fd=folder, dst_dir_fd=taking)
                    except FileNotFoundError:  # whoever put it there took it back
                        continue
                    yield self._taken(folder, taking, name)

    def _finished(self, folder: int) -> list[str]:
        """Return the names of what has stayed as it is for long enough, the oldest first."""
        now, found, seen = time.monotonic(), [], {}
        for name in os.listdir(folder):
            if name == FAILED or name.startswith(".") or name.endswith(_UNFINISHED):
                continue
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISDIR(status.st_mode):
                continue
            looks = _looks(status)
            before, since = self._seen.get(name, (looks, now))
            seen[name] = (looks, since if before == looks else now)
            if now - seen[name][1] >= self.settle_seconds:
                found.append((status.st_mtime_ns, name))
        self._seen = seen
        return [name for _, name in sorted(found)]

    def _taken(self, folder: int, taking: int, name: str) -> Taken:
        content = b""
        try:
            content = _read(taking, name)
            outcome = store_file(content, name, self.belonging).outcome
        except _ChangedError:
            return Taken(name=printable(name), state=State.LATER, told="It is being written to, or was taken back.")
        except ApplicationError as error:
            if error.status >= _SERVER_ERROR:
                # Nothing is wrong with the file.
                return Taken(name=printable(name), state=State.LATER, told=error.detail)
            told = error.detail
        except ValidationError as error:
            told = in_one_line(error)
        else:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=taking)
            return Taken(name=printable(name), state=State.DONE, told=outcome.value)
        _put_aside(folder, taking, name, told, content)
        return Taken(name=printable(name), state=State.FAILED, told=told)


def _read(taking: int, name: str) -> bytes:
    """Return the bytes of a regular file. Raises: UnusableFileError: it is something else; _ChangedError."""
    try:
        descriptor = os.open(name, _FILE, dir_fd=taking)
    except FileNotFoundError:
        raise _ChangedError from None
    except OSError as error:
        raise UnusableFileError(reason=f"It is a link, or can't be opened: {error.strerror}.") from error
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        # Before it is opened as a file: a folder can't be, and its error would end the process at each start.
        os.close(descriptor)
        raise UnusableFileError(reason="It is no file.")
    with os.fdopen(descriptor, "rb") as file:
        if before.st_nlink > 1:
            raise UnusableFileError(reason="It is a hard link, which may lead out of the folder. Copy the file.")
        limit = settings.GLASSBOX_MAX_UPLOAD_BYTES if name.lower().endswith(".csv") else 2 * MAX_RECORD_BYTES
        if before.st_size > limit:
            raise UnusableFileError(reason=f"It has {before.st_size} bytes; the limit is {limit}.")
        content = file.read(limit + 1)
        if _looks(os.fstat(descriptor)) != _looks(before) or len(content) != before.st_size:
            raise _ChangedError
        return content


def _put_aside(folder: int, taking: int, name: str, told: str, content: bytes) -> None:
    """Move a file that failed aside, under a name that tells it from an earlier one of the same name."""
    stem, suffix = (os.fsdecode(os.fsencode(part)[:_NAME_BYTES]) for part in os.path.splitext(name))
    kept = f"{stem}.{hashlib.sha256(content).hexdigest()[:12]}{suffix}"
    with _opened(FAILED, within=folder) as aside:
        # The reason first: a file without one would say nothing.
        _write(aside, f"{kept}.reason.txt", f"{told}\n")
        os.rename(name, kept, src_dir_fd=taking, dst_dir_fd=aside)
        os.fsync(aside)
    os.fsync(taking)


def _write(directory: int, name: str, text: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=directory)
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=directory)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def _looks(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _opened(path: Path | str, *, within: int | None = None) -> Iterator[int]:
    descriptor = os.open(path, _DIRECTORY, dir_fd=within)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def watch(folder: RecordFolder, *, on_taken: Callable[[Taken], None], once: bool, pause_seconds: float = 1.0) -> None:
    """Take in what comes, until the process is ended.

    Args: once: end when every file that was there has settled and is taken in, or waits for something else.
    """
    began = time.monotonic()
    while True:
        for taken in folder.take():
            on_taken(taken)
        if once and time.monotonic() - began > folder.settle_seconds:
            return
        time.sleep(min(pause_seconds, folder.settle_seconds) if once else pause_seconds)
