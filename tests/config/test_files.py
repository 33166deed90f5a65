"""A file is replaced whole or stays as it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from config.files import write_atomically


def test_the_new_content_is_there(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", "new")
    assert (tmp_path / "file").read_text() == "new"


def test_the_mode_is_as_asked(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", "new", mode=0o640)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


def test_a_failure_leaves_the_old_content_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "file", "new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "old"}
