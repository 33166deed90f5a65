"""An entry of the finance glossary, and what it may stand for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from apps.corpus.extraction.statements import Statement


class Nature(StrEnum):
    """What an expression stands for. A place (a statement) counts less than a figure that is looked for in it."""

    FIGURE = "figure"
    PLACE = "place"
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntry:
    """An entry of the glossary.

    statements: the statements from which a figure is read or calculated, the most informative first.
    """

    label: str
    triggers: tuple[str, ...]
    phrases: tuple[str, ...]
    nature: Nature = Nature.FIGURE
    statements: tuple[Statement, ...] = ()


def make_entry(
    label: str, triggers: str, phrases: str, *statements: Statement, nature: Nature = Nature.FIGURE
) -> GlossaryEntry:
    """Return an entry; triggers and phrases are parted by bars."""
    return GlossaryEntry(
        nature=nature,
        label=label,
        triggers=tuple(part.strip() for part in triggers.split("|")),
        phrases=tuple(part.strip() for part in phrases.split("|")),
        statements=statements,
    )
