"""Add up the figures of questions, one question at a time. Pure."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from apps.audit.models import Outcome
from apps.audit.registry import Group
from apps.audit.reporting.contracts import ANSWERED, DECIDED, SEARCHED, Cell, Period, Table

UNRECOGNISED: Final = "unrecognised"
_UNREADABLE: Final = "not readable"
TOP_DOCUMENTS: Final = 20
# The question asked for passages only, and not for an answer.
_SEARCHED: Final = "searched"
_OUTCOMES: Final = (
    (Outcome.SUCCESS, "Answered"),
    (Outcome.DEGRADED, "Degraded"),
    (Outcome.REFUSED, "Refused"),
    (Outcome.FAILED, "Failed"),
    (_SEARCHED, "Searched"),
)


class Tally:
    """The figures of a period so far. Memory grows with days and names, and by one number per question."""

    def __init__(self, period: Period) -> None:
        self._period = period
        self._intents: dict[date, Counter[str]] = defaultdict(Counter)
        self._outcomes: dict[date, Counter[str]] = defaultdict(Counter)
        self._latencies: dict[date, list[float]] = defaultdict(list)
        self._kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self._documents: Counter[str] = Counter()
        self._kind_of: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def add(
        self,
        *,
        action: str,
        outcome: str,
        at: datetime,
        core: Mapping[str, Any] | None,
        hits: Sequence[Mapping[str, Any]],
    ) -> None:
        """Add one question.

        Args: core: None if it was removed or is damaged. hits: of the passages; empty if there are none.
        """
        bucket = self._period.bucket(at)
        searched = action == SEARCHED and outcome != Outcome.REFUSED
        self._outcomes[bucket][_SEARCHED if searched else outcome] += 1
        if action not in DECIDED:
            return
        self._intents[bucket][_UNREADABLE if core is None else core.get("intent") or UNRECOGNISED] += 1
        if action == ANSWERED and core is not None and isinstance(core.get("elapsed_ms"), int | float):
            self._latencies[bucket].append(float(core["elapsed_ms"]))
        for kind in (core or {}).get("permitted_kinds", ()):
            self._kinds[kind]["permitted"] += 1
        self._add_hits(hits)

    def tables(self) -> tuple[Table, ...]:
        return (self._by_intent(), self._by_outcome(), self._latency(), self._by_kind(), self._by_document())

    def _add_hits(self, hits: Sequence[Mapping[str, Any]]) -> None:
        """Count the question once per kind and per document, however many of its passages it used."""
        for name, reached in (("in_context", "in the context"), ("cited", "cited")):
            for kind in {str(hit.get("kind", "")) for hit in hits if hit.get(name)}:
                self._kinds[kind][reached] += 1
        cited = {str(hit["document_id"]): hit for hit in hits if hit.get("cited") and hit.get("document_id")}
        for document_id, hit in cited.items():
            self._documents[document_id] += 1
            self._kind_of[document_id] = str(hit.get("kind", ""))
            # A reference has the form document|page|chunk, as the answer named it.
            self._names.setdefault(document_id, str(hit.get("ref_id", "")).partition("|")[0])

    def _by_intent(self) -> Table:
        totals: Counter[str] = Counter()
        for counted in self._intents.values():
            totals.update(counted)
        names = tuple(name for name, _ in sorted(totals.items(), key=lambda item: (-item[1], item[0])))
        rows = ((self._intents[bucket][name] for name in names) for bucket in self._period.buckets)
        return self._over_time("intents", "Questions by intent", names, rows)

    def _by_outcome(self) -> Table:
        rows = ((self._outcomes[bucket][outcome] for outcome, _ in _OUTCOMES) for bucket in self._period.buckets)
        return self._over_time(
            "outcomes", "Answered, degraded, refused, failed", [label for _, label in _OUTCOMES], rows
        )

    def _latency(self) -> Table:
        rows = (
            (percentile(found, 0.5), percentile(found, 0.95), len(found))
            for found in (self._latencies[bucket] for bucket in self._period.buckets)
        )
        return self._over_time("latency", "Time to an answer", ("p50, ms", "p95, ms", "Questions"), rows)

    def _by_kind(self) -> Table:
        reached = ("permitted", "in the context", "cited")
        kinds = sorted(self._kinds, key=lambda kind: (-self._kinds[kind]["in the context"], kind))
        return Table(
            key="kinds",
            title="Kinds reached",
            columns=("Kind", *(f"Questions: {each}" for each in reached)),
            rows=tuple((kind.replace("_", " "), *(self._kinds[kind][each] for each in reached)) for kind in kinds),
        )

    def _by_document(self) -> Table:
        top = sorted(self._documents.items(), key=lambda item: (-item[1], item[0]))[:TOP_DOCUMENTS]
        return Table(
            key="documents",
            title="Documents cited most",
            columns=("Document", "Questions: cited", "Kind", "Document id"),
            rows=tuple(
                (self._names[each] or "unnamed", count, self._kind_of[each].replace("_", " "), each)
                for each, count in top
            ),
            row_ids=tuple(UUID(each) for each, _ in top),
        )

    def _over_time(self, key: str, title: str, names: Sequence[str], rows: Any) -> Table:
        return Table(
            key=key,
            title=title,
            columns=(self._period.step.value.capitalize() if key else "", *names),
            rows=tuple(
                (bucket.isoformat(), *figures) for bucket, figures in zip(self._period.buckets, rows, strict=True)
            ),
        )


def percentile(values: Sequence[float], share: float) -> Cell:
    """Return the nearest-rank percentile: the smallest value that at least that share of the values does not exceed.

    Args:    share: above 0, up to 1.
    Returns: None if there are no values.
    """
    if not values:
        return None
    return round(sorted(values)[math.ceil(share * len(values)) - 1], 1)


def readable(payload: Mapping[str, Mapping[str, Any]]) -> tuple[Mapping[str, Any] | None, Sequence[Mapping[str, Any]]]:
    """Return the core and the hits of a payload, in the form that Tally.add takes."""
    return payload.get(Group.CORE), payload.get(Group.PASSAGES, {}).get("hits", ())
