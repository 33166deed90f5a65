"""What the log itself says may be gone from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from apps.audit.verify.entries import EMPTIED, LogReader


class Authorised:
    """Which groups may be gone, by the sealed events that say so: group by group, or all that came before but some.

    An event counts whose leaf is its own, and whose core is what was recorded.
    """

    def __init__(self, reader: LogReader) -> None:
        self._named: dict[tuple[str, str], int] = {}
        # Of the events that empty the log: the leaf, and what stays.
        self._emptied: list[tuple[int, frozenset[tuple[str, str]]]] = []
        for entry in reader.authorising():
            if "core" not in entry.groups or not entry.is_sealed or entry.problem("core"):
                continue
            core = entry.values("core")
            if entry.action == EMPTIED:
                self._emptied.append((entry.index, frozenset(_places(core.get("kept")))))
                continue
            for place in _places(core.get("removals")):
                self._named[place] = max(entry.index, self._named.get(place, -1))

    def removal_of(self, event: str, group: str, *, index: int) -> bool:
        """Whether an event after this leaf authorises that the group is gone."""
        place = (event, group)
        return self._named.get(place, -1) > index or any(
            emptied > index and place not in kept for emptied, kept in self._emptied
        )


def _places(listed: Any) -> Iterator[tuple[str, str]]:
    for each in listed if isinstance(listed, list) else ():
        match each:
            case {"event_id": str(event_id), "group": str(group)}:
                yield event_id, group
