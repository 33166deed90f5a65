"""Which connection migrates: the owner's alone. The runtime role could not, and should not be asked to."""

from __future__ import annotations


class MigrateAsOwner:
    def allow_migrate(self, db: str, app_label: str, **hints: object) -> bool:
        return db == "owner"
