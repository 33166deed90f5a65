"""Checkpoints as files: <directory>/<origin>/<size>.note, and `latest`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from apps.audit.errors import CheckpointExportError
from config.files import write_atomically


@dataclass(frozen=True, slots=True)
class Directory:
    path: Path

    def put(self, origin: str, name: str, note: str) -> None:
        folder = self.path / origin
        try:
            folder.mkdir(mode=0o750, parents=True, exist_ok=True)
            write_atomically(folder / name, note, mode=0o640)
        except OSError as error:
            raise CheckpointExportError(place=folder, problem=error.strerror or type(error).__name__) from error

    def get(self, origin: str, name: str) -> str | None:
        try:
            return (self.path / origin / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise CheckpointExportError(place=self.path / origin, problem=type(error).__name__) from error
