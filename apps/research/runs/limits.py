"""What a run may use, by its mode, and what a tenant's runs may use together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apps.research.models import RunMode
from apps.research.runs.contracts import Budget

BUDGETS: Final[Mapping[RunMode, Budget]] = {
    RunMode.DIRECT: Budget(rounds=2, confidence=70, searches=4, tokens=50_000, seconds=120),
    RunMode.STANDARD: Budget(rounds=3, confidence=80, searches=16, tokens=200_000, seconds=300),
    RunMode.DETAILED: Budget(rounds=4, confidence=90, searches=40, tokens=500_000, seconds=900),
    RunMode.DEEP_SEARCH: Budget(rounds=10, confidence=95, searches=120, tokens=2_000_000, seconds=3_600),
}
# Runs of a tenant that wait for a worker or run, and those of them that are deep.
RUNS_AT_ONCE: Final = 10
DEEP_AT_ONCE: Final = 2
# Sub-questions of a plan.
CELLS_MOST: Final = 48
# Streams of events that a tenant may have open at one time, and how long one stays open before its client resumes it.
STREAMS_AT_ONCE: Final = 20
STREAM_SECONDS: Final = 55.0
HEARTBEAT_SECONDS: Final = 10.0
# How often a worker may begin a run. One that lost that many workers is given up.
ATTEMPTS_MOST: Final = 5
LEASE_SECONDS: Final = 60.0
# How long texts are kept where the policy's recording mode keeps them, in days, and where it does not.
KEPT_DAYS: Final = 30
MOMENTARY_SECONDS: Final = 15 * 60
# How long the row of a run stays whose texts were not kept: ids, codes and counts.
ROW_HOURS: Final = 24
