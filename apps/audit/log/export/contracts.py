"""A place for checkpoints, and how one is found by its address."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from django.conf import settings

LATEST: Final = "latest"


class CheckpointPlace(Protocol):
    """Keeps notes by origin and name; whoever can write to the database should not be able to write here."""

    def put(self, origin: str, name: str, note: str) -> None:
        """Store a note whole or not at all. Raises: CheckpointExportError."""
        ...

    def get(self, origin: str, name: str) -> str | None:
        """A note, or None where there is none of the name. Raises: CheckpointExportError."""
        ...


def note_name(size: int) -> str:
    return f"{size}.note"


def checkpoint_place() -> CheckpointPlace:
    """What GLASSBOX_CHECKPOINT_URL names. Raises: CheckpointExportError: it is no place."""
    return place_at(settings.GLASSBOX_CHECKPOINT_URL, variable="GLASSBOX_CHECKPOINT_URL")


def place_at(url: str, *, variable: str) -> CheckpointPlace:
    """A directory, file:///directory, or s3://bucket/prefix with what GLASSBOX_CHECKPOINT_S3 says of the object store.

    Args:   variable: the setting that the address is of, for the error.
    Raises: CheckpointExportError: it is none of these.
    """
    from apps.audit.errors import CheckpointExportError
    from apps.audit.log.export.directory import Directory

    parts = urlsplit(url)
    if parts.scheme == "s3" and parts.netloc:
        # boto3 takes a third of a second to load, and none of it where a directory is named.
        from apps.audit.log.export.s3 import S3Bucket

        return S3Bucket(bucket=parts.netloc, prefix=parts.path.strip("/"), **settings.GLASSBOX_CHECKPOINT_S3)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Directory(Path(unquote(parts.path)))
    if not parts.scheme and Path(url).is_absolute():
        return Directory(Path(url))
    raise CheckpointExportError(place=variable, problem="it is no absolute path, file:///path or s3://bucket/prefix")
