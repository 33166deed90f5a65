"""Several runs in one pass through the server's files: what takes the time is reading them, not what is looked for.

Each run is tried by itself before and after the pass; one's trouble keeps no other waiting.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalRun, RestorationState
from apps.erasure.proof.disk import look_for_all, needles_of, note_scan
from apps.erasure.proof.ending import end, fail
from apps.erasure.proof.errors import NeedlesLostError
from apps.erasure.proof.gathering import Gathered
from apps.erasure.proof.notes import waits
from apps.erasure.proof.preparing import Sought, control_all, let_begin, seek
from apps.erasure.residue.access import Access
from apps.erasure.residue.results import ControlResult
from apps.errors import ApplicationError

logger = logging.getLogger("glassbox.audit")

CRASHED: Final = "audit.proof_crashed"
# Runs in one pass. Each makes needles of 6,000 things at most, which take some ten megabytes.
AT_ONCE: Final = 20

Found = TypeVar("Found")
# Of what waits after a restore, which is done together.
_AFTER_RESTORE: Final = UUID(int=0)


@dataclass(kw_only=True)
class Patience:
    """How long what failed is left alone, in one process: each of it reads all of the server's files."""

    first_s: float = 60.0
    longest_s: float = 3_600.0
    _until: dict[UUID, tuple[float, float]] = field(default_factory=dict)

    def has(self, run: RemovalRun) -> bool:
        return self.has_for(run.id)

    def has_for(self, id: UUID) -> bool:
        return self._until.get(id, (0.0, 0.0))[0] <= time.monotonic()

    def lost(self, run: RemovalRun) -> None:
        self.lost_for(run.id)

    def lost_for(self, id: UUID) -> None:
        wait_s = min(self.longest_s, 2 * self._until[id][1]) if id in self._until else self.first_s
        self._until[id] = (time.monotonic() + wait_s, wait_s)

    def found(self, run: RemovalRun) -> None:
        self._until.pop(run.id, None)


@dataclass(kw_only=True)
class Went:
    """What became of the runs: how many were prepared, ended (each state), and wait for another time.

    restored: likewise, of what a restore had brought back, how many ended.
    """

    prepared: int = 0
    ended: dict[RunState, int] = field(default_factory=dict)
    restored: dict[RestorationState, int] = field(default_factory=dict)
    waiting: int = 0

    def count(self, state: RunState | None) -> None:
        if state is not None:
            self.ended[state] = self.ended.get(state, 0) + 1


@dataclass(frozen=True, kw_only=True)
class Passes:
    """One time of going on with what waits."""

    access: Access
    patience: Patience
    went: Went = field(default_factory=Went)

    def prepare(self, runs: Sequence[RemovalRun]) -> None:
        """Needles of each run, one control for all of them, and then each may begin."""
        for some in _at_once(runs):
            found = [(run, self.tried(run, partial(seek, run, access=self.access))) for run in some]
            sought = [each for _, each in found if each is not None]
            results = self.tried_all([each.run for each in sought], partial(control_all, sought, access=self.access))
            for each, result in zip(sought, results, strict=False):
                self.went.prepared += self.tried(each.run, partial(self._begin, each, result)) is not None

    def look(self, runs: Sequence[RemovalRun]) -> None:
        """A scan for what was prepared of all of them, noted for each."""
        for some in _at_once(runs):
            found = [(run, self.tried(run, partial(self._opened, run))) for run in some]
            prepared = [(run, gathered) for run, gathered in found if gathered is not None]
            several = [gathered for _, gathered in prepared]
            results = self.tried_all([run for run, _ in prepared], partial(look_for_all, several, access=self.access))
            for (run, gathered), result in zip(prepared, results, strict=False):
                self.tried(run, partial(note_scan, run, gathered, result, access=self.access))

    def end(self, run: RemovalRun) -> None:
        self.went.count(self.tried(run, partial(end, run, access=self.access)))

    def after_restore(self, work: Callable[[], dict[RestorationState, int]]) -> None:
        """What waits after a restore, all of it together."""
        if not self.patience.has_for(_AFTER_RESTORE):
            self.went.waiting += 1
            return
        try:
            ended = work()
        except Exception as error:  # noqa: BLE001 - it is tried again
            logger.error("the proof after a restore waits: %s", type(error).__name__)  # noqa: TRY400
            ended = {RestorationState.AWAITING: 1}
        waiting = ended.pop(RestorationState.AWAITING, 0)
        if waiting:
            self.patience.lost_for(_AFTER_RESTORE)
        self.went.waiting += waiting
        self.went.restored |= ended

    def tried(self, run: RemovalRun, work: Callable[[], Found]) -> Found | None:
        """Do it, or note why not; None then, and where what failed lately is left alone."""
        if not self.patience.has(run):
            self.went.waiting += 1
            return None
        try:
            done = work()
        except Exception as error:  # noqa: BLE001 - it is written down, and tried again
            self._lost(run, error)
            return None
        self.patience.found(run)
        return done

    def tried_all(self, runs: Sequence[RemovalRun], work: Callable[[], Sequence[Found]]) -> Sequence[Found]:
        """What is done for several at once; nothing where it fails, which is noted of each."""
        if not runs:
            return ()
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - it is written down, and tried again
            for run in runs:
                self._lost(run, error)
            return ()

    def _begin(self, sought: Sought, result: ControlResult) -> bool:
        let_begin(sought, result, access=self.access)
        return True

    def _opened(self, run: RemovalRun) -> Gathered | None:
        try:
            return needles_of(run, access=self.access)
        except NeedlesLostError as error:
            fail(run, error.code)
            self.went.count(RunState.FAILED)
            return None

    def _lost(self, run: RemovalRun, error: Exception) -> None:
        # Not its message: a database's may quote a row.
        code = error.code if isinstance(error, ApplicationError) else CRASHED
        logger.error("the proof of removal run %s waits: %s", run.id, type(error).__name__)
        self.patience.lost(run)
        self.went.waiting += 1
        waits(self.access, [run], state=RunState(run.state), code=code)


def _at_once(runs: Sequence[RemovalRun]) -> Iterator[Sequence[RemovalRun]]:
    for start in range(0, len(runs), AT_ONCE):
        yield runs[start : start + AT_ONCE]
