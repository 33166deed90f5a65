"""Route migrations to the owner's connection only, since the runtime role has no right to migrate."""

from __future__ import annotations


class MigrateAsOwner:
    def allow_migrate(self, db: str, app_label: str, **hints: object) -> bool:
        return db == "owner"
