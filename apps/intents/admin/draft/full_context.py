"""How each intent's context comes out when there is more than enough of every kind: what is cut, what is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.corpus.kinds import Kind
from apps.intents.context_budget import section_heading, share_context
from apps.intents.contracts import FALLBACK_NAME, KindBudget, PolicySnapshot
from apps.intents.diff_words import kinds_in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A kind's part of a full context. `size_chars` is what it fills, or would fill if it were not left out."""

    kind: Kind
    label: str
    cap_chars: int
    size_chars: int

    @property
    def cut(self) -> bool:
        """Return whether the total, which is below its cap, holds it back."""
        return self.size_chars < self.cap_chars


@dataclass(frozen=True, slots=True, kw_only=True)
class FullContext:
    """One intent's full context. `without_budget` are kinds that it may reach and of which no passage ever fits.

    The evicted sections come in the order in which they go.
    """

    key: str
    label: str
    sections: tuple[Section, ...]
    evicted: tuple[Section, ...]
    without_budget: tuple[Kind, ...]
    size_chars: int
    total_cap_chars: int

    @property
    def sentence(self) -> str:
        """Return what happens when everything is full."""
        parts = []
        if self.evicted:
            parts.append(f"{kinds_in_words([each.kind for each in self.evicted])} would be left out whole.")
        parts.extend(
            f"{each.kind.label} would be cut to {each.size_chars:,} characters, the total."
            for each in self.sections
            if each.cut
        )
        if self.without_budget:
            parts.append(f"{kinds_in_words(self.without_budget)}: no context budget, so none of it is ever used.")
        if not self.sections and not self.evicted and not self.without_budget:
            return "It may reach nothing."
        return " ".join(parts) or "Everything fits."


def full_contexts(snapshot: PolicySnapshot) -> tuple[FullContext, ...]:
    """Return one for each intent, then the fallback's."""
    rows = [(rule.name, rule.label, rule.kinds) for rule in snapshot.intents]
    rows.append((FALLBACK_NAME, snapshot.fallback.label, snapshot.fallback.kinds))
    return tuple(_full_context(snapshot, name, label, kinds) for name, label, kinds in rows)


def _full_context(snapshot: PolicySnapshot, name: str, label: str, kinds: Sequence[Kind]) -> FullContext:
    context = share_context(
        [budget for budget in snapshot.budgets if budget.kind in kinds],
        total_cap_chars=snapshot.total_cap_chars,
        fill=_full_section,
        size_of=lambda section: section.size_chars,
    )
    budgeted = {section.kind for section in (*context.sections, *context.evicted)}
    return FullContext(
        key=name,
        label=label,
        sections=context.sections,
        evicted=context.evicted,
        without_budget=tuple(kind for kind in kinds if kind not in budgeted),
        size_chars=context.size_chars,
        total_cap_chars=snapshot.total_cap_chars,
    )


def _full_section(budget: KindBudget, cap_chars: int) -> Section | None:
    if cap_chars <= len(section_heading(budget)) + len("\n"):
        return None
    return Section(kind=budget.kind, label=budget.label, cap_chars=budget.cap_chars, size_chars=cap_chars)
