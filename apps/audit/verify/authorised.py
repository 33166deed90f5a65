"""Which groups the log itself allows to be missing, and whether a signed checkpoint covers that authorisation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from apps.audit.verify.entries import EMPTIED
from apps.audit.verify.reading import LogReader


class Removal(Enum):
    """Whether the removal of a group is authorised.

    UNSIGNED: an event authorises it, but no signed checkpoint covers that event, so anyone who can add a leaf could
    have written it.
    """

    AUTHORISED = auto()
    UNSIGNED = auto()
    UNAUTHORISED = auto()


@dataclass(slots=True)
class _Authority:
    """The authorisations of some events.

    named: for each group, the last leaf of an event that names it. emptied: for each event that empties the log, its
    leaf and the groups that stay.
    """

    named: dict[tuple[str, str], int] = field(default_factory=dict)
    emptied: list[tuple[int, frozenset[tuple[str, str]]]] = field(default_factory=list)

    def names(self, place: tuple[str, str], index: int) -> bool:
        return self.named.get(place, -1) > index or any(
            emptied > index and place not in kept for emptied, kept in self.emptied
        )


class Authorised:
    """Which groups may be missing according to the sealed events that authorise removals.

    An event authorises the removal of single groups, or of all earlier groups with exceptions. It counts only if its
    leaf is its own and its core is what was recorded.

    Args: covered: leaves below the newest signed checkpoint; an event beyond them gives no signed authorisation.
    """

    def __init__(self, reader: LogReader, *, covered: int) -> None:
        self._signed, self._unsigned = _Authority(), _Authority()
        for entry in reader.authorising():
            if "core" not in entry.groups or not entry.is_sealed or entry.problem("core"):
                continue
            core, told = entry.values("core"), self._signed if entry.index < covered else self._unsigned
            if entry.action == EMPTIED:
                told.emptied.append((entry.index, frozenset(_places(core.get("kept")))))
                continue
            for place in _places(core.get("removals")):
                told.named[place] = max(entry.index, told.named.get(place, -1))

    def removal_of(self, event: str, group: str, *, index: int) -> Removal:
        """Return whether an event after this leaf authorises the removal of the group."""
        if self._signed.names((event, group), index):
            return Removal.AUTHORISED
        return Removal.UNSIGNED if self._unsigned.names((event, group), index) else Removal.UNAUTHORISED


def _places(listed: Any) -> Iterator[tuple[str, str]]:
    for each in listed if isinstance(listed, list) else ():
        match each:
            case {"event_id": str(event_id), "group": str(group)}:
                yield event_id, group
