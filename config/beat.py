"""The schedule from the code, held only by the beat process: no database row can switch a task off.

Every task is due when beat starts, so a restart delays nothing. A task that must run only once a day keeps count
itself.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from celery.beat import Scheduler
from celery.schedules import schedule

from apps.tenants.clock import BEAT, note


class ScheduleOfTheCode(Scheduler):  # type: ignore[misc]
    """The schedule of CELERY_BEAT_SCHEDULE, in memory."""

    def setup_schedule(self) -> None:
        super().setup_schedule()
        for entry in self.schedule.values():
            if type(entry.schedule) is schedule:
                entry.last_run_at = entry.default_now() - timedelta(days=1)

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        super().apply_entry(entry, producer=producer)
        note(BEAT)

    @property
    def info(self) -> str:
        return f"    . {len(self.schedule)} tasks by the clock, as the code has them"
