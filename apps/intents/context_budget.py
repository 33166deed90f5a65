"""The context budget: how the sections of the kinds share one context, and which of them are left out.

The assembly fills the sections with passages, the editor of a draft shows them full; both call `share_context`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from apps.intents.contracts import KindBudget

SECTION_BREAK: Final = "\n\n"

Section = TypeVar("Section")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedContext(Generic[Section]):
    """Sections in the order of the context, and those evicted whole, in the order in which they went."""

    sections: tuple[Section, ...]
    evicted: tuple[Section, ...]
    size_chars: int


def section_heading(budget: KindBudget) -> str:
    """Return the line above a kind's passages."""
    return f"## {budget.label}"


def share_context(
    budgets: Iterable[KindBudget],
    *,
    total_cap_chars: int,
    fill: Callable[[KindBudget, int], Section | None],
    size_of: Callable[[Section], int],
) -> SharedContext[Section]:
    """Fill a context section by section, and evict whole sections while they are too long together.

    Args:    fill: makes a kind's section of at most so many characters, or None if it would hold no passage. It is
                   called once for each budget, the highest priority first.
             size_of: a section's length in characters.
    Returns: the sections, at most `total_cap_chars` long with the breaks between them. The lowest priority goes first.
    """
    ordered = sorted(budgets, key=lambda budget: budget.position)
    filled = [fill(budget, min(budget.cap_chars, total_cap_chars)) for budget in ordered]
    sections = [section for section in filled if section is not None]
    sizes = [size_of(section) for section in sections]
    kept = len(sections)
    while kept and _joined_chars(sizes[:kept]) > total_cap_chars:
        kept -= 1
    return SharedContext(
        sections=tuple(sections[:kept]),
        evicted=tuple(reversed(sections[kept:])),
        size_chars=_joined_chars(sizes[:kept]),
    )


def _joined_chars(sizes: Sequence[int]) -> int:
    return sum(sizes) + len(SECTION_BREAK) * max(0, len(sizes) - 1)
