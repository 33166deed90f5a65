"""Record the stages of one question as they run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from apps.retrieval.contracts import Clock, Degradation
from apps.retrieval.trace import Exclusion, OnStage, Stage, StageOutput, StageRecord, StageStatus, Trace


@dataclass(slots=True, kw_only=True)
class OpenStage:
    """A stage while it runs. The values set here become its record."""

    stage: Stage
    status: StageStatus = StageStatus.RAN
    count_in: int | None = None
    count_out: int | None = None
    exclusions: list[Exclusion] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    output: StageOutput | None = None
    degradations: list[Degradation] = field(default_factory=list)

    def exclude(self, subject: object, reason: str) -> None:
        self.exclusions.append(Exclusion(subject=str(subject), reason=reason))

    def degrade(self, *, code: str, message: str) -> None:
        """Note that the stage failed in whole or in part and that the pipeline goes on. The answer will say so."""
        self.status = StageStatus.DEGRADED
        self.notes.append(message)
        self.degradations.append(Degradation(stage=self.stage.value, code=code, message=message))


class TraceRecorder:
    """Collects stage records. One for each question; not shared by threads.

    Args: on_stage: told of each stage that has ended; it must not raise.
    """

    def __init__(self, clock: Clock, on_stage: OnStage | None = None) -> None:
        self._clock, self._on_stage = clock, on_stage
        self._started = clock()
        self._records: list[StageRecord] = []
        self._degradations: list[Degradation] = []

    @contextmanager
    def stage(self, stage: Stage, *, count_in: int | None = None) -> Iterator[OpenStage]:
        """Time a stage and record it. If the stage raises, the question ends there and the stage is not recorded."""
        opened = OpenStage(stage=stage, count_in=count_in)
        started = self._clock()
        yield opened
        record = StageRecord(
            stage=stage,
            status=opened.status,
            elapsed_ms=_milliseconds(self._clock() - started),
            count_in=opened.count_in,
            count_out=opened.count_out,
            exclusions=tuple(opened.exclusions),
            notes=tuple(opened.notes),
            output=opened.output,
        )
        self._records.append(record)
        # Each wording of a question is searched on its own. A degradation that affects several of them is reported
        # once.
        self._degradations.extend(each for each in opened.degradations if each not in self._degradations)
        if self._on_stage:
            self._on_stage(record)

    @property
    def degradations(self) -> tuple[Degradation, ...]:
        return tuple(self._degradations)

    def finish(self) -> Trace:
        return Trace(
            stages=tuple(self._records),
            degradations=tuple(self._degradations),
            elapsed_ms=_milliseconds(self._clock() - self._started),
        )


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000.0, 3)
