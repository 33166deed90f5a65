"""Write files atomically, and keep names inside their folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from apps.errors import ApplicationError


class OutsideFolderError(ApplicationError):
    """A name that was read from a file leads out of the folder that it is relative to."""

    code = "config.outside_folder"
    status = 422
    message = "{name} lies outside the folder, and is not read."


def inside(folder: Path, name: str) -> Path:
    """Return the resolved path of a name that a file gives, with all links followed. It need not exist.

    The author of a manifest decides what it names, but the user who runs a command decides which folder may be read.

    Raises: OutsideFolderError: the path leads out of the folder, because it is absolute, contains .., or follows a
            link.
            ValueError, OSError: it is not a valid file name.
    """
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise OutsideFolderError(name=name)
    return path


def write_atomically(path: Path, text: str, *, mode: int = 0o600) -> None:
    """Replace `path` by `text`, so that a reader or a crash sees the old content or the new, never a part.

    Raises: OSError: the directory is not writable or the disk is full; `path` is then unchanged.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
