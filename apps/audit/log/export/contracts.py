"""The interface of a place for checkpoints, and the way to find a place by its address."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from django.conf import settings

LATEST: Final = "latest"


class CheckpointPlace(Protocol):
    """Keeps notes by origin and name. An account that can write to the database should not be able to write here."""

    def put(self, origin: str, name: str, note: str) -> None:
        """Store a note completely or not at all. Raises: CheckpointExportError."""
        ...

    def get(self, origin: str, name: str) -> str | None:
        """Return a note, or None if there is none of that name. Raises: CheckpointExportError."""
        ...


def note_name(size: int) -> str:
    return f"{size}.note"


def checkpoint_place() -> CheckpointPlace:
    """Return the place that GLASSBOX_CHECKPOINT_URL names. Raises: CheckpointExportError: it names no place."""
    return place_at(settings.GLASSBOX_CHECKPOINT_URL, variable="GLASSBOX_CHECKPOINT_URL")


def place_at(url: str, *, variable: str) -> CheckpointPlace:
    """Return the place at an address.

    An address is an absolute path, file:///path, or s3://bucket/prefix together with the object store's settings in
    GLASSBOX_CHECKPOINT_S3.

    Args:   variable: the name of the setting that holds the address, for the error message.
    Raises: CheckpointExportError: the address has none of these forms.
    """
    from apps.audit.errors import CheckpointExportError
    from apps.audit.log.export.directory import Directory

    parts = urlsplit(url)
    if parts.scheme == "s3" and parts.netloc:
        # Import boto3 only when an object store is named: it takes a third of a second to load.
        from apps.audit.log.export.s3 import S3Bucket

        return S3Bucket(bucket=parts.netloc, prefix=parts.path.strip("/"), **settings.GLASSBOX_CHECKPOINT_S3)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Directory(Path(unquote(parts.path)))
    if not parts.scheme and Path(url).is_absolute():
        return Directory(Path(url))
    raise CheckpointExportError(place=variable, problem="it is no absolute path, file:///path or s3://bucket/prefix")
