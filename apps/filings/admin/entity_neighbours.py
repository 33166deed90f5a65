"""The neighbours of an entity, as a list and as a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.filings.graph.contracts import RelationType
from apps.filings.selectors.entities import RelatedEnd, StatedRelation

_MOST_DRAWN: Final = 12
_LINE: Final = 40
_TOP: Final = 24
_LONGEST_LABEL: Final = 26
# What is said of the object.
_BACKWARD: Final[Mapping[RelationType, str]] = {
    RelationType.DEFINES: "is defined by",
    RelationType.GOVERNED_BY: "governs",
    RelationType.LOCATED_IN: "is the seat of",
    RelationType.RELATED_TO: "is related to",
    RelationType.WORKS_FOR: "employs",
    RelationType.COMPETES_WITH: "competes with",
    RelationType.ACQUIRED: "was acquired by",
    RelationType.SUBSIDIARY_OF: "is the parent of",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """What a sentence says of the entity: verb and the other end. further: how many more sentences say the same."""

    verb: str
    end: RelatedEnd
    stated: StatedRelation
    further: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnNeighbour:
    """A line of the drawing, at the height y."""

    y: int
    text_y: int
    verb: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """left_out: how many neighbours are in the list alone."""

    name: str
    height: int
    middle: int
    neighbours: tuple[DrawnNeighbour, ...]
    left_out: int


def neighbours_of(key: str, relations: Sequence[StatedRelation]) -> list[Neighbour]:
    """Return each neighbour once for each relation, with the first of the sentences that say so."""
    first: dict[tuple[str, str], Neighbour] = {}
    for each in relations:
        forward = each.subject.key == key
        verb = each.relation.label if forward else _BACKWARD[each.relation]
        end = each.object if forward else each.subject
        known = first.get((verb, end.key))
        first[verb, end.key] = Neighbour(
            verb=verb,
            end=known.end if known else end,
            stated=known.stated if known else each,
            further=known.further + 1 if known else 0,
        )
    return list(first.values())


def draw(name: str, neighbours: Sequence[Neighbour]) -> Drawing:
    """Lay out the entity on the left and its neighbours on the right, one below another."""
    drawn = neighbours[:_MOST_DRAWN]
    places = [_TOP + _LINE * number for number in range(len(drawn))]
    return Drawing(
        name=_short(name),
        height=2 * _TOP + _LINE * max(len(drawn) - 1, 0),
        middle=(_TOP + places[-1]) // 2 if places else _TOP,
        neighbours=tuple(
            DrawnNeighbour(y=y, text_y=y + 4, verb=each.verb, name=_short(each.end.name))
            for y, each in zip(places, drawn, strict=True)
        ),
        left_out=len(neighbours) - len(drawn),
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_LABEL else f"{name[: _LONGEST_LABEL - 1]}\u2026"
