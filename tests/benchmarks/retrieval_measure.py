"""Asking the same questions in several ways by turns, and what of it takes how long."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Final

import numpy as np

from apps.audit.models import Event
from apps.corpus.kinds import Kind
from apps.intents.contracts import KindGrant, PolicySnapshot
from apps.intents.selectors import policy_in_force
from apps.retrieval.contracts import Question
from apps.retrieval.optional.slots import DIVERSIFIERS, RERANKERS, lacks_setting
from apps.retrieval.pipeline import find
from apps.retrieval.services import ask as asking_service
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import Stage, StageStatus, Trace
from apps.tenants.context import open_scope
from apps.tenants.selectors.tenants import current_tenant
from tests.benchmarks.retrieval_questions import Asked
from tests.benchmarks.retrieval_tenant import Asking, in_reach, say

RETRIEVAL: Final = "retrieval"
ANSWER: Final = "answer"
AS_SHIPPED: Final = "under the shipped policy"
_WARM: Final = 20
_BY_A_MODEL: Final = frozenset({"late_interaction", "cross_encoder"})
_EVERY: Final = 4
_SHOWN: Final = (50, 95, 99)
SCOPE: Final = "scope opened, and committed"
AROUND: Final = "permission, wiring, documents still there"
WIRING: Final = "wiring"
EVENT: Final = "event"
# The stages have an order of their own; what is around them stands before and behind.
_BEFORE: Final = (SCOPE, AROUND, WIRING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way to look for what answers a question.

    policy: None for the one in force, which is read in every way. switched: the stage that it switches on, if any.
    every: of so many questions one is asked in this way, where that takes seconds.
    """

    name: str
    policy: PolicySnapshot | None = None
    settings: StageSettings = field(default_factory=StageSettings)
    switched: Stage | None = None
    every: int = 1


@dataclass(slots=True, kw_only=True)
class Times:
    """Milliseconds by part; a part that did not run for a question took none of its time."""

    parts: dict[str, list[float]] = field(default_factory=dict)
    total: list[float] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    ran: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, total_ms: float, parts: Mapping[str, float]) -> None:
        for name in parts:
            self.parts.setdefault(name, [0.0] * len(self.total))
        for name in self.parts:
            self.parts[name].append(parts.get(name, 0.0))
            self.ran[name] += name in parts
        self.total.append(total_ms)
        self.asked.append(number)


def variants(asking: Asking) -> list[Variant]:
    """The default first; then whatever is installed in the slots of reranking and diversifying and can run here."""
    wide = asking.in_force
    reranking = replace(wide, retrieval=replace(wide.retrieval, rerank_enabled=True))
    diversifying = replace(wide, retrieval=replace(wide.retrieval, mmr_enabled=True))
    return [
        Variant(name=RETRIEVAL),
        Variant(name=AS_SHIPPED, policy=asking.shipped),
        *(
            Variant(
                name=f"with {name}", policy=diversifying, settings=StageSettings(diversifier=name),
                switched=Stage.DIVERSIFY,
            )
            for name in DIVERSIFIERS
        ),
        *(
            Variant(
                name=f"with {name}", policy=reranking, settings=StageSettings(reranker=name), switched=Stage.RERANK,
                every=_EVERY if name in _BY_A_MODEL else 1,
            )
            for name in RERANKERS if not lacks_setting(name)
        ),
    ]  # fmt: skip


def measured(asking: Asking, questions: Sequence[Asked]) -> dict[str, Any]:
    """Ask each question in every way, each time in another order, so that a drift of the machine meets all alike.

    Returns: by way: milliseconds of the whole and of its parts, and of the groups of questions.
    """
    ways = variants(asking)
    for number, question in enumerate(questions[:_WARM]):
        _answered(asking, question.text)
        for way in ways:
            if way.every == 1 or not number:
                _found(asking, question.text, way)
    say("warm")
    times: dict[str, Times] = {name: Times() for name in (*(way.name for way in ways), ANSWER)}
    reached: list[int] = []
    by_kinds: dict[tuple[Kind, ...], int] = {}
    for number, question in enumerate(questions):
        order: list[Variant | None] = [*(way for way in ways if not number % way.every), None]
        turn = number % len(order)
        for way in [*order[turn:], *order[:turn]]:
            if way is None:
                times[ANSWER].add(number, *_answered(asking, question.text))
                continue
            total_ms, parts, trace = _found(asking, question.text, way)
            times[way.name].add(number, total_ms, parts)
            _check(trace, way)
            if way.name == AS_SHIPPED and (grant := trace.output(KindGrant)):
                if grant.permitted not in by_kinds:
                    by_kinds[grant.permitted] = in_reach(asking.firm, grant.permitted)
                reached.append(by_kinds[grant.permitted])
        if not (number + 1) % 50:
            say(f"{number + 1} of {len(questions)} questions in {len(ways) + 1} ways")
    switched = {way.name: way.switched.value for way in ways if way.switched}
    default = times[RETRIEVAL]
    return {
        "ways": {
            name: _figures(each, switched.get(name, ""), default, [asked.group for asked in questions])
            for name, each in times.items()
        },
        "not_configured": [name for name in RERANKERS if lacks_setting(name)],
        "in_reach_as_shipped": {"median": int(np.median(reached)), "least": min(reached), "most": max(reached)},
    }


def _found(asking: Asking, text: str, way: Variant) -> tuple[float, dict[str, float], Trace]:
    """Retrieval alone: from the text to the context, with what it is wired with; no answer, no event."""
    with open_scope(tenant=asking.firm.id, principal=asking.alice) as context:
        question = Question(text=text, tenant_id=context.tenant_id, scope_ids=tuple(sorted(context.scope_ids)))
        began = perf_counter()
        in_force = policy_in_force()
        deps = dependencies_for(current_tenant(), way.policy or in_force, way.settings)
        wired = perf_counter()
        trace = find(question, deps=deps).trace
        ended = perf_counter()
    parts = {WIRING: (wired - began) * 1_000} | _stages(trace)
    return (ended - began) * 1_000, parts, trace


def _answered(asking: Asking, text: str) -> tuple[float, dict[str, float]]:
    """The whole way, as the API goes it within a request's scope: scopes, answer, event; then the commit."""
    opening = perf_counter()
    with open_scope(tenant=asking.firm.id, principal=asking.alice):
        began = perf_counter()
        with _event_timed() as event_ms:
            asked = asking_service.ask(text=text)
        ended = perf_counter()
    closed = perf_counter()
    trace = asked.result.trace
    total_ms = (closed - opening) * 1_000
    parts = {
        SCOPE: (began - opening + closed - ended) * 1_000,
        **_stages(trace),
        EVENT: sum(event_ms),
        AROUND: (ended - began) * 1_000 - trace.elapsed_ms - sum(event_ms),
    }
    return total_ms, parts


@contextmanager
def _event_timed() -> Iterator[list[float]]:
    """The real recording, with a clock around it."""
    spent: list[float] = []
    record = asking_service.answer_record

    def timed(*args: Any) -> Event:
        began = perf_counter()
        event = record(*args)
        spent.append((perf_counter() - began) * 1_000)
        return event

    asking_service.answer_record = timed
    try:
        yield spent
    finally:
        asking_service.answer_record = record


def _stages(trace: Trace) -> dict[str, float]:
    """By stage, and what the pipeline itself took between them."""
    found: dict[str, float] = defaultdict(float)
    for record in trace.stages:
        if record.status not in (StageStatus.SKIPPED, StageStatus.NOT_CONFIGURED):
            found[record.stage.value] += record.elapsed_ms
    return dict(found)


def _check(trace: Trace, way: Variant) -> None:
    """What is timed must have run. Raises: RuntimeError."""
    if trace.degradations:
        raise RuntimeError(f"{way.name}: {trace.degradations}")
    record = trace.record(way.switched) if way.switched else None
    if record is not None and record.status is not StageStatus.RAN:
        raise RuntimeError(f"{way.name}: {record.status}")


def _figures(times: Times, switched: str, default: Times, groups: Sequence[str]) -> dict[str, Any]:
    """In milliseconds. ratio: of the median to the default's over the same questions."""
    total = sum(times.total)
    return {
        "questions": len(times.total),
        "switched_stage": switched,
        **_percentiles(times.total),
        "ratio": float(np.median(times.total) / np.median([default.total[number] for number in times.asked])),
        "parts": {
            name: {**_percentiles(times.parts[name]), "share": sum(times.parts[name]) / total, "ran": times.ran[name]}
            for name in (*(part for part in _BEFORE if part in times.parts), *_in_order(times.parts))
        },
        "groups": {
            group: _percentiles(
                [ms for ms, number in zip(times.total, times.asked, strict=True) if groups[number] == group]
            )
            for group in sorted({groups[number] for number in times.asked})
        },
    }


def _in_order(parts: Mapping[str, list[float]]) -> list[str]:
    return [name for name in (*Stage, EVENT) if name in parts]


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    return {f"p{share}_ms": float(np.percentile(values, share)) for share in _SHOWN}
