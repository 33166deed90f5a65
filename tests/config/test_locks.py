"""File locks: exclusive, shared, and gone with their holder."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from config.locks import FileLock, LockTimeoutError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lock"


def test_one_owner_at_a_time(path: Path) -> None:
    with FileLock(path):
        assert not FileLock(path).try_acquire()


def test_released_it_is_free(path: Path) -> None:
    with FileLock(path):
        pass
    assert FileLock(path).try_acquire()


def test_many_may_share(path: Path) -> None:
    with FileLock(path, shared=True):
        assert FileLock(path, shared=True).try_acquire()


def test_shared_it_can_not_be_owned(path: Path) -> None:
    with FileLock(path, shared=True):
        assert not FileLock(path).try_acquire()


def test_waiting_ends(path: Path) -> None:
    with FileLock(path), pytest.raises(LockTimeoutError, match="locked by another process"):
        FileLock(path, timeout_s=0.05).acquire()


def test_a_killed_holder_loses_it(path: Path) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        FileLock(path).try_acquire()
        os.write(writing, b"x")
        signal.pause()
    os.read(reading, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert FileLock(path).try_acquire()


def test_a_removed_file_orphans_its_lock(path: Path) -> None:
    with FileLock(path) as lock:
        path.unlink()
        assert lock.is_orphaned()


def test_a_replaced_file_is_another_lock(path: Path) -> None:
    with FileLock(path):
        path.unlink()
        assert FileLock(path).try_acquire()
