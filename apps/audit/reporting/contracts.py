"""What a report is about, what was looked at for it, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

# Of the floor that writes them, which this one may not import; a test holds them to be the same.
ANSWERED: Final = "retrieval.question.answered"
SEARCHED: Final = "retrieval.question.searched"
DECIDED: Final = (ANSWERED, SEARCHED)
REJECTED: Final = "retrieval.question.rejected"
FAILED: Final = "retrieval.question.failed"


class Step(StrEnum):
    DAY = "day"
    WEEK = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Whole days in UTC, both ends included. until: what came later than this instant is left out."""

    first: date
    last: date
    step: Step
    until: datetime

    @property
    def start(self) -> datetime:
        return datetime.combine(self.first, time.min, UTC)

    @property
    def end(self) -> datetime:
        """The instant at which it is over; later ones don't belong to it."""
        return min(datetime.combine(self.last + timedelta(days=1), time.min, UTC), self.until)

    @property
    def buckets(self) -> tuple[date, ...]:
        """The first day of each bucket; a week begins on Monday, and may begin before the period does."""
        start, stride = self.bucket(self.start), timedelta(days=7 if self.step is Step.WEEK else 1)
        count = (self.last - start) // stride + 1
        return tuple(start + number * stride for number in range(count))

    def bucket(self, at: datetime) -> date:
        day = at.astimezone(UTC).date()
        return day - timedelta(days=day.weekday()) if self.step is Step.WEEK else day


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the figures are of. since: the oldest question looked at, where there were more than could be."""

    total: int
    looked_at: int
    since: datetime | None
    removed: int
    damaged: int

    @property
    def whole(self) -> bool:
        return self.since is None


Cell = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Figures as they are shown and as they are downloaded. The first column names the row.

    row_ids: of what the rows are about, where they are about something with a page.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    row_ids: tuple[UUID | None, ...] = ()

    def column(self, position: int) -> Sequence[Cell]:
        return [row[position] for row in self.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    period: Period
    looked: Looked
    tables: tuple[Table, ...]

    def table(self, key: str) -> Table | None:
        return next((each for each in self.tables if each.key == key), None)
