"""Where tombstones lie: a directory or an object store, as checkpoints do, out of the database's reach.

<number>.tombstone   one each, from 1, never changed
latest               how many are confirmed: their removals may have begun
served-<database>    that a database may be served, since it is not a restored one or all were replayed in it
restored-<event>     that this event of a log tells of a restore: without it no checkpoint follows it
store                that there is one: an empty place where one was is not taken for a new one
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
    """All methods raise TombstonesUnavailableError, and TombstonesDamagedError for what is not as it was written."""

    place: CheckpointPlace

    def tombstone(self, number: int) -> str | None:
        return self._get(f"{number}.tombstone")

    def add(self, number: int, text: str) -> None:
        """Whoever calls it holds the lock: nothing is written over."""
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
        """Note that there is a place for tombstones, and that the next database is not the first."""
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
    """What GLASSBOX_TOMBSTONES_URL names. Raises: TombstonesUnavailableError."""
    try:
        return TombstonePlace(place_at(settings.GLASSBOX_TOMBSTONES_URL, variable="GLASSBOX_TOMBSTONES_URL"))
    except CheckpointExportError as error:
        raise _unavailable(error) from None


def _unavailable(error: CheckpointExportError) -> TombstonesUnavailableError:
    return TombstonesUnavailableError(**error.data)
