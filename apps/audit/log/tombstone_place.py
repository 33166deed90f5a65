"""The place of tombstones: a directory or an object store, as for checkpoints, that the database can't reach.

<number>.tombstone   one tombstone each, numbered from 1, never changed
latest               how many tombstones are confirmed: their removals may have begun
served-<database>    the database may be served: it was not restored, or all tombstones were replayed in it
restored-<event>     this event of a log is a genuine restore: without this record no checkpoint follows the event
store                tombstones were kept here: if the place is empty later, it is not mistaken for a new one
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.conf import settings

from apps.audit.errors import CheckpointExportError, TombstonesUnavailableError
from apps.audit.log.export.contracts import CheckpointPlace, place_at
from apps.audit.log.sealed_records import opened, written

LATEST: Final = "latest"
_STORE: Final = "store"


@dataclass(frozen=True, slots=True)
class TombstonePlace:
    """The tombstones and records at a place.

    All methods raise TombstonesUnavailableError, and TombstonesDamagedError for a record that is not as it was written.
    """

    place: CheckpointPlace

    def tombstone(self, number: int) -> str | None:
        return self._get(f"{number}.tombstone")

    def add(self, number: int, text: str) -> None:
        """Store a tombstone. The caller holds the lock, so no tombstone is overwritten."""
        self._put(f"{number}.tombstone", text)

    def confirmed(self) -> int:
        text = self._get(LATEST)
        return 0 if text is None else int(opened(text, number=0)["latest"])

    def confirm(self, number: int) -> None:
        if number > self.confirmed():
            self._put(LATEST, written({"latest": number}))

    def is_served(self, database: str) -> bool:
        text = self._get(f"served-{database}")
        return text is not None and opened(text, number=0).get("served") == database

    def found(self) -> None:
        """Record that this is a place for tombstones, so that the next database is not taken for the first."""
        self._put(_STORE, written({"store": "tombstones"}))

    def serve(self, database: str) -> None:
        self.found()
        self._put(f"served-{database}", written({"served": database}))

    def vouch(self, event_id: UUID) -> None:
        self._put(f"restored-{event_id}", written({"restored": str(event_id)}))

    def is_vouched(self, event_id: UUID) -> bool:
        text = self._get(f"restored-{event_id}")
        return text is not None and opened(text, number=0).get("restored") == str(event_id)

    def _get(self, name: str) -> str | None:
        try:
            return self.place.get("", name)
        except CheckpointExportError as error:
            raise _unavailable(error) from None

    def _put(self, name: str, text: str) -> None:
        try:
            self.place.put("", name, text)
        except CheckpointExportError as error:
            raise _unavailable(error) from None


def tombstone_place() -> TombstonePlace:
    """Return the place that GLASSBOX_TOMBSTONES_URL names. Raises: TombstonesUnavailableError."""
    try:
        return TombstonePlace(place_at(settings.GLASSBOX_TOMBSTONES_URL, variable="GLASSBOX_TOMBSTONES_URL"))
    except CheckpointExportError as error:
        raise _unavailable(error) from None


def _unavailable(error: CheckpointExportError) -> TombstonesUnavailableError:
    return TombstonesUnavailableError(**error.data)
