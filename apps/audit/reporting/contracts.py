"""The period of a report, the questions it was computed from, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

# These actions are defined in apps.retrieval, which this package may not import; a test checks that both are the same.
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
    """Whole days in UTC, both ends included. until: events after this instant are left out."""

    first: date
    last: date
    step: Step
    until: datetime

    @property
    def start(self) -> datetime:
        return datetime.combine(self.first, time.min, UTC)

    @property
    def end(self) -> datetime:
        """Return the instant at which the period ends; it is not part of the period."""
        return min(datetime.combine(self.last + timedelta(days=1), time.min, UTC), self.until)

    @property
    def buckets(self) -> tuple[date, ...]:
        """Return the first day of each bucket. A week begins on Monday, which may be before the period begins."""
        start, stride = self.bucket(self.start), timedelta(days=7 if self.step is Step.WEEK else 1)
        count = (self.last - start) // stride + 1
        return tuple(start + number * stride for number in range(count))

    def bucket(self, at: datetime) -> date:
        day = at.astimezone(UTC).date()
        return day - timedelta(days=day.weekday()) if self.step is Step.WEEK else day


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the figures are computed from.

    since: the time of the oldest question that was read, if there were more questions than the limit.
    """

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

    row_ids: the ids of the rows' subjects, where these have a page.
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
