"""The figures of the desk in words, for a reader who knows intents and no statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from apps.intents.admin.desk.filters import examples_address
from apps.intents.contracts import IntentDecision, PolicySnapshot
from apps.intents.desk import ConfusionRow, Examination, ExampleOutcome, MatrixCell, Neighbour
from apps.tenants.figures import shares_told_apart

_SHADES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatCell:
    """A cell as it is drawn. shade: 0 (none) to 5 (all of the row)."""

    examples: int
    words: str
    url: str
    shade: int
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    row: ConfusionRow
    cells: tuple[HeatCell, ...]
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A neighbour: the example, its intent's label, and how near."""

    text: str
    label: str
    same: bool
    similarity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleLine:
    """A golden example as it stands in the list."""

    outcome: ExampleOutcome
    expected: str
    given: str
    score: str
    lead: str
    nearest: tuple[Near, ...]
    marks: tuple[str, ...]


def verdict(examination: Examination) -> str:
    """The accuracy against the version's own bar, in one sentence."""
    reaches = "which reaches" if examination.passed else "which is less than"
    after = "" if examination.passed else ": a version like this can't be approved"
    examples = len(examination.outcomes)
    share, bar = shares_told_apart(examination.accuracy, examination.minimum_accuracy, digits=1)
    return (
        f"{examination.correct} of {examples} review examples get their intent when they are left out: {share}, "
        f"{reaches} the version's own bar of {bar}{after}."
    )


def heat_rows(rows: tuple[ConfusionRow, ...], number: int) -> tuple[HeatRow, ...]:
    return tuple(
        HeatRow(
            row=row,
            cells=tuple(_heat(row, cell, number) for cell in row.cells),
            share=f"{row.accuracy:.0%}" if row.examples else "no examples",
        )
        for row in rows
    )


def example_line(outcome: ExampleOutcome, snapshot: PolicySnapshot) -> ExampleLine:
    decision = outcome.decision
    return ExampleLine(
        outcome=outcome,
        expected=snapshot.label_of(outcome.example.intent),
        given=snapshot.label_of(decision.intent),
        score=figure(decision.score, decision),
        lead=figure(decision.margin, decision),
        nearest=tuple(_near(each, outcome, snapshot) for each in outcome.nearest),
        marks=tuple(_marks(outcome, snapshot)),
    )


def figure(value: float, decision: IntentDecision) -> str:
    """A score or a lead: a similarity, or points where the terms alone decided."""
    return f"{value:g} points" if decision.degraded else f"{value:.3f}"


def _marks(outcome: ExampleOutcome, snapshot: PolicySnapshot) -> Iterator[str]:
    twin = outcome.twin
    if twin is not None:
        how = f" (cosine similarity {twin.cosine_similarity:.2f})" if twin.cosine_similarity is not None else ""
        other = "" if twin.example.intent == outcome.example.intent else ", which expects another intent"
        yield f"Says nearly the same as “{twin.example.text}”{how}{other}: it adds little."
    if outcome.nearer_to is not None:
        rescue = " Its terms correct that." if outcome.right else ""
        own = snapshot.label_of(outcome.example.intent)
        yield (
            f"Its meaning is nearer to the examples of {snapshot.label_of(outcome.nearer_to)} than to those of "
            f"{own}.{rescue}"
        )


def _near(neighbour: Neighbour, outcome: ExampleOutcome, snapshot: PolicySnapshot) -> Near:
    similarity = neighbour.cosine_similarity
    return Near(
        text=neighbour.example.text,
        label=snapshot.label_of(neighbour.example.intent),
        same=neighbour.example.intent == outcome.example.intent,
        similarity="" if similarity is None else f"{similarity:.2f}",
    )


def _heat(row: ConfusionRow, cell: MatrixCell, number: int) -> HeatCell:
    examples = "1 example" if cell.examples == 1 else f"{cell.examples or 'no'} examples"
    fate = "right" if cell.right else "wrong"
    return HeatCell(
        examples=cell.examples,
        words=f"{examples} of {row.label} given {cell.label}, {fate}",
        url=examples_address(number, expected=row.expected, given=cell.given) if cell.examples else "",
        shade=ceil(cell.share * _SHADES),
        right=cell.right,
    )
