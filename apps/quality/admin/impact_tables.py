"""A preview's tables. Ids become texts and titles here, within the reader's own scopes and no others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.audit.models import Event
from apps.corpus.registry import kind_names, name_of
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import GoldenExample
from apps.quality.admin.impact_words import figure
from apps.quality.impact.contracts import (
    EvaluationImpact,
    GoldenImpact,
    Hit,
    ImpactResult,
    IntentLine,
    RecordedImpact,
    Shift,
)
from apps.quality.models import EvaluationQuery
from apps.retrieval.admin.ask_links import event_url, passage_url
from apps.retrieval.contracts import ChunkId
from apps.retrieval.selectors.passages import PassagePlace, passage_places

SHOWN: Final = 50
HIDDEN_QUESTION: Final = "A question in a scope that you don't hold, or that was removed since."


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """Some passages: those that the reader may see by name, the others by their number."""

    links: tuple[Link, ...]
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question that changes. figures: name, before, after. stopped_by, freed_from: names of the profile's rules."""

    title: str
    hidden: bool
    url: str
    at: datetime | None
    intent_before: str
    intent_after: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    appearing: Passages
    vanishing: Passages
    figures: tuple[tuple[str, str, str], ...] = ()
    stopped_by: tuple[str, ...] = ()
    freed_from: tuple[str, ...] = ()

    @property
    def moves(self) -> bool:
        return self.intent_before != self.intent_after


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """more: how many rows are not shown."""

    rows: tuple[Row, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRow:
    label: str
    line: IntentLine
    gained: tuple[str, ...]
    lost: tuple[str, ...]


class ImpactTables:
    """Args: before, after: the two policies, for the labels of their intents."""

    def __init__(
        self, result: ImpactResult, *, before: PolicySnapshot, after: PolicySnapshot, may_open_events: bool
    ) -> None:
        self._before, self._after = before, after
        self._may_open_events = may_open_events
        shown = (
            *(each.shift for each in result.recorded.changed[:SHOWN]),
            *(each.shift for each in result.evaluation.questions[:SHOWN]),
        )
        self._places = passage_places(
            ChunkId(hit.chunk_id) for shift in shown for hit in (*shift.appearing, *shift.vanishing)
        )
        self.intents = self._intents(result.recorded)
        self.recorded = self._recorded(result.recorded)
        self.evaluation = self._evaluation(result.evaluation)
        self.golden = self._golden(result.golden)

    def _intents(self, recorded: RecordedImpact) -> tuple[IntentRow, ...]:
        return tuple(
            IntentRow(
                label=self._before.label_of(line.intent),
                line=line,
                gained=kind_labels(line.gained),
                lost=kind_labels(line.lost),
            )
            for line in recorded.intents
        )

    def _recorded(self, recorded: RecordedImpact) -> Table:
        shown = recorded.changed[:SHOWN]
        events = {event.id: event for event in Event.objects.filter(id__in=[each.event_id for each in shown])}
        rows = []
        for each in shown:
            event = events.get(each.event_id)
            url = event_url(event) if event and self._may_open_events else ""
            title = "Recorded question" if event else HIDDEN_QUESTION
            at = event.occurred_at if event else None
            rows.append(self._row(each.shift, title=title, hidden=event is None, url=url, at=at))
        return Table(rows=tuple(rows), more=len(recorded.changed) - len(shown))

    def _evaluation(self, evaluation: EvaluationImpact) -> Table:
        """All of them: that a question is found as before is what one wants to see, too."""
        shown = evaluation.questions[:SHOWN]
        texts = _texts(EvaluationQuery.objects.filter(id__in=[each.query_id for each in shown]))
        rows = []
        for each in shown:
            figures = (
                ("Recall", figure(each.before.page_recall_at_5), figure(each.after.page_recall_at_5)),
                ("Document", _hit(each.before.document_hit_at_5), _hit(each.after.document_hit_at_5)),
                ("Bytes", f"{each.before.context_bytes:,}", f"{each.after.context_bytes:,}"),
            )
            text = texts.get(each.query_id)
            rows.append(self._row(each.shift, title=text or HIDDEN_QUESTION, hidden=text is None, figures=figures))
        return Table(rows=tuple(rows), more=len(evaluation.questions) - len(shown))

    def _golden(self, golden: GoldenImpact) -> Table:
        """Those that change their intent, or that the profile refuses on one side alone.

        That an intent's kinds change is said once, not for each of its examples.
        """
        moving = [
            each
            for each in golden.changed
            if each.shift.intent_before != each.shift.intent_after or each.shift.is_stopped or each.shift.is_freed
        ]
        shown = moving[:SHOWN]
        texts = _texts(GoldenExample.objects.filter(id__in=[each.example_id for each in shown]))
        rows = (
            self._row(each.shift, title=texts.get(each.example_id, "An example that has changed since."))
            for each in shown
        )
        return Table(rows=tuple(rows), more=len(moving) - len(shown))

    def _row(
        self,
        shift: Shift,
        *,
        title: str,
        hidden: bool = False,
        url: str = "",
        at: datetime | None = None,
        figures: tuple[tuple[str, str, str], ...] = (),
    ) -> Row:
        return Row(
            title=title,
            hidden=hidden,
            url=url,
            at=at,
            intent_before=self._before.label_of(shift.intent_before),
            intent_after=self._after.label_of(shift.intent_after),
            gained=kind_labels(shift.gained),
            lost=kind_labels(shift.lost),
            appearing=self._passages(shift.appearing),
            vanishing=self._passages(shift.vanishing),
            figures=figures,
            stopped_by=_rule_names(self._after, shift.refused_after) if shift.is_stopped else (),
            freed_from=_rule_names(self._before, shift.refused_before) if shift.is_freed else (),
        )

    def _passages(self, hits: Sequence[Hit]) -> Passages:
        seen = [place for hit in hits if (place := self._places.get(ChunkId(hit.chunk_id)))]
        return Passages(links=tuple(_link(place) for place in seen), hidden=len(hits) - len(seen))


def _rule_names(policy: PolicySnapshot, keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(rule.name for rule in policy.profile if rule.key in keys)


def kind_labels(kinds: Iterable[str]) -> tuple[str, ...]:
    names = kind_names()
    return tuple(name_of(kind, names) for kind in kinds)


def _link(place: PassagePlace) -> Link:
    return Link(text=f"{place.document_title}, page {place.page}", url=passage_url(place))


def _texts(rows: Iterable[EvaluationQuery] | Iterable[GoldenExample]) -> dict[UUID, str]:
    return {row.id: row.text for row in rows}


def _hit(found: bool | None) -> str:
    return "not known" if found is None else "found" if found else "not found"
