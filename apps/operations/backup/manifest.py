"""The manifest of a backup: its source, the size of each log, and digests of its files, authenticated with our key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from apps.audit.errors import TombstonesDamagedError
from apps.audit.log.sealed_records import opened, written
from apps.operations.backup.errors import BackupError
from config.files import OutsideFolderError, inside

FORMAT: Final = "glassbox.backup.v1"
NAME: Final = "manifest.json"
DUMP: Final = "database.dump"
_PART: Final = 1024 * 1024


def manifest_text(values: Mapping[str, Any]) -> str:
    signed = json.loads(written({"format": FORMAT, **values}))
    return json.dumps(signed, indent=2, sort_keys=True) + "\n"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a backup after checking that it and every file that it names are as written.

    Raises: BackupError. Costs: reading all of the backup once.
    """
    try:
        values = opened((folder / NAME).read_text(encoding="utf-8"), number=0)
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(
            "audit.backup_damaged", path=folder, problem=f"{NAME} can't be read ({type(error).__name__})"
        ) from None
    except TombstonesDamagedError:
        problem = f"{NAME} is not what was written, or was written under another GLASSBOX_AUDIT_MASTER_KEY"
        raise BackupError("audit.backup_damaged", path=folder, problem=problem) from None
    if values.get("format") != FORMAT:
        raise BackupError("audit.backup_damaged", path=folder, problem="its format is not one that this release reads")
    for name, told in values["files"].items():
        try:
            found = describe_file(inside(folder, name))
        except OutsideFolderError as error:
            raise BackupError("audit.backup_damaged", path=folder, problem=error.detail) from None
        except OSError as error:
            raise BackupError(
                "audit.backup_damaged", path=folder / name, problem=error.strerror or "it can't be read"
            ) from None
        if found != told:
            raise BackupError("audit.backup_damaged", path=folder / name, problem="it is not the file that was written")
    return values


def describe_file(path: Path) -> dict[str, Any]:
    """Return the size and the digest of a file. Raises: OSError."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while part := file.read(_PART):
            digest.update(part)
            size += len(part)
    return {"sha256": digest.hexdigest(), "bytes": size}
