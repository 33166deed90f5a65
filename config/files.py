"""Files that are the old one or the new one, whatever happens in between; names that stay within their folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from apps.errors import ApplicationError


class OutsideFolderError(ApplicationError):
    """A name that is read from a file leads out of the folder that it counts from."""

    code = "config.outside_folder"
    status = 422
    message = "{name} lies outside the folder, and is not read."


def inside(folder: Path, name: str) -> Path:
    """The path of what a file calls `name`, without links on its way. It need not exist.

    Whoever made a manifest decides what it names, and whoever runs a command decides on the folder that may be read.

    Raises: OutsideFolderError: it leads out of the folder: it is absolute, climbs by .., or a link does.
            ValueError, OSError: it is no name of a file.
    """
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise OutsideFolderError(name=name)
    return path


def write_atomically(path: Path, text: str, *, mode: int = 0o600) -> None:
    """Replace `path` by `text`, so that a reader or a crash sees the old content or the new, never a part.

    Raises: OSError: the directory is not writable or the disk is full; `path` is then as it was.
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
