"""What a run may use, by its mode, and what a tenant's runs may use together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apps.research.models import RunMode
from apps.research.runs.contracts import Budget
from config.database import POOL_SIZE

BUDGETS: Final[Mapping[RunMode, Budget]] = {
    RunMode.DIRECT: Budget(rounds=2, confidence=70, searches=4, tokens=50_000, seconds=120),
    RunMode.STANDARD: Budget(rounds=3, confidence=80, searches=16, tokens=200_000, seconds=300),
    RunMode.DETAILED: Budget(rounds=4, confidence=90, searches=40, tokens=500_000, seconds=900),
    RunMode.DEEP_SEARCH: Budget(rounds=10, confidence=95, searches=120, tokens=2_000_000, seconds=3_600),
}
# Runs of a tenant that wait for a worker or run, and those of them that are deep.
RUNS_AT_ONCE: Final = 10
DEEP_AT_ONCE: Final = 2
# Runs of a person that are planned, wait for a worker or run.
RUNS_OF_OWNER: Final = 5
# How long a worker stays at one run before it takes what waits: all tenants share the workers.
TURN_SECONDS: Final = 60.0
# Sub-questions of a plan.
CELLS_MOST: Final = 48
# Streams of events that a tenant may have open at one time, and how long one stays open before its client resumes it.
# A stream holds a thread of its web process; half of them are left for everything else.
STREAMS_AT_ONCE: Final = 4
STREAMS_OF_PROCESS: Final = POOL_SIZE // 2
STREAM_SECONDS: Final = 55.0
HEARTBEAT_SECONDS: Final = 10.0
# How often a worker may begin a run. One that lost that many workers is given up.
ATTEMPTS_MOST: Final = 5
LEASE_SECONDS: Final = 60.0
# How long texts are kept at most where the policy's recording mode keeps them: not longer than its history.
KEPT_DAYS: Final = 30
# How long they are there where it does not: after the last step, and while a run waits for a worker. Changes of a plan
# keep it for no longer than an hour after it was asked for.
MOMENTARY_SECONDS: Final = 15 * 60
WAITING_SECONDS: Final = 6 * 3600
PLAN_SECONDS: Final = 3600
# How long the row of a run stays whose texts were not kept: ids, codes and counts.
ROW_HOURS: Final = 24
