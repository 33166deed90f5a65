"""How an intent's kinds fill the context when there is more than enough of each: what stays, what is cut, what goes.

The rule is that of apps/retrieval/stages/ranking/assemble.py: a kind's section holds its heading and its passages,
stays within its cap and the total, and while the sections and the blank lines between them are too long together, the
one with the lowest priority is taken out whole. That floor lies above this one, so the rule is written down twice; a
test holds the two together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.corpus.kinds import Kind
from apps.intents.contracts import KindBudget, PolicySnapshot
from apps.intents.diff_words import PLURALS, kinds_in_words

_BREAK_CHARS = len("\n\n")
_HEADING_CHARS = len("## ") + len("\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A kind's part of a full context. `size_chars` is what it fills, or would fill where it is taken out."""

    kind: Kind
    label: str
    cap_chars: int
    size_chars: int
    evicted: bool

    @property
    def cut(self) -> bool:
        """Its cap is above the total, which holds it back."""
        return self.size_chars < self.cap_chars


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """One intent's full context. `without_room` are kinds that it may reach and that never have any room."""

    key: str
    label: str
    sections: tuple[Section, ...]
    without_room: tuple[Kind, ...]
    size_chars: int
    total_cap_chars: int

    @property
    def kept(self) -> tuple[Section, ...]:
        return tuple(section for section in self.sections if not section.evicted)

    @property
    def evicted(self) -> tuple[Section, ...]:
        """In the order in which they go."""
        return tuple(section for section in reversed(self.sections) if section.evicted)

    @property
    def sentence(self) -> str:
        """What happens when everything is full."""
        parts = []
        if self.evicted:
            parts.append(f"{kinds_in_words([each.kind for each in self.evicted])} would be left out whole.")
        parts.extend(
            f"{PLURALS[each.kind]} would be cut to {each.size_chars:,} characters, the total."
            for each in self.kept
            if each.cut
        )
        if self.without_room:
            parts.append(f"{kinds_in_words(self.without_room)}: no context budget, so none of it is ever used.")
        if not self.sections and not self.without_room:
            return "It may reach nothing."
        return " ".join(parts) or "Everything fits."


def fillings(snapshot: PolicySnapshot) -> tuple[Filling, ...]:
    """One for each intent, then the fallback's."""
    rows = [(rule.name, rule.label, rule.kinds) for rule in snapshot.intents]
    rows.append(("unrecognised", snapshot.fallback.label, snapshot.fallback.kinds))
    return tuple(_filling(snapshot, name, label, kinds) for name, label, kinds in rows)


def fill(budgets: Sequence[KindBudget], total_cap_chars: int) -> tuple[Section, ...]:
    """The sections of a context in which every kind fills its cap, highest priority first."""
    sizes = [
        (budget, size)
        for budget in sorted(budgets, key=lambda each: each.position)
        if (size := min(budget.cap_chars, total_cap_chars)) > len(budget.label) + _HEADING_CHARS
    ]
    kept = len(sizes)
    while kept and _length([size for _, size in sizes[:kept]]) > total_cap_chars:
        kept -= 1
    return tuple(
        Section(
            kind=budget.kind,
            label=budget.label,
            cap_chars=budget.cap_chars,
            size_chars=size,
            evicted=place >= kept,
        )
        for place, (budget, size) in enumerate(sizes)
    )


def _filling(snapshot: PolicySnapshot, name: str, label: str, kinds: Sequence[Kind]) -> Filling:
    sections = fill([budget for budget in snapshot.budgets if budget.kind in kinds], snapshot.total_cap_chars)
    with_room = {section.kind for section in sections}
    return Filling(
        key=name,
        label=label,
        sections=sections,
        without_room=tuple(kind for kind in kinds if kind not in with_room),
        size_chars=_length([section.size_chars for section in sections if not section.evicted]),
        total_cap_chars=snapshot.total_cap_chars,
    )


def _length(sizes: Sequence[int]) -> int:
    return sum(sizes) + _BREAK_CHARS * max(0, len(sizes) - 1)
