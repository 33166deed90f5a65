"""Names of a person that still stand somewhere, in words: how often, where and why. Places, never contents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from apps.erasure.proof.standing import KEPT, NOT_DECIDED, TOO_SHORT
from apps.erasure.runs.staying import Reason
from apps.tenants.admin.addresses import address
from apps.tenants.context import current_scope

_BECAUSE: Final[Mapping[str, str]] = {
    **{each.value: str(each.label) for each in Reason},
    KEPT: "a legal hold or an open request keeps it",
    NOT_DECIDED: "nobody decided on this place: the search for the person did not find it, or it was added since",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPlace:
    """url: of the document's page, where it has one."""

    where: str
    url: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingName:
    """said: of the name by its number, never by itself. hidden: places in scopes that the reader does not hold."""

    said: str
    places: Sequence[ShownPlace]
    hidden: int
    more: int


def standing_names(told: Iterable[Mapping[str, Any]] | None) -> list[StandingName]:
    """Args: told: as erasure/proof/standing.py has it. Shown of it is what lies in scopes that the reader holds."""
    scopes = {str(id) for id in current_scope().scope_ids}
    return [_name(each, scopes) for each in told or ()]


def _name(each: Mapping[str, Any], scopes: set[str]) -> StandingName:
    seen = [place for place in each["where"] if place["scope"] is None or place["scope"] in scopes]
    name = f"Name no. {each['name']} of those that were entered or known"
    if each["why"] == TOO_SHORT:
        said = f"{name} is too short to be searched for: it would be found by chance."
    else:
        count = each["places"]
        parts = [f"in {count:,} place{'' if count == 1 else 's'}" if count else ""]
        parts += ["outside the data that this firm holds on this server"] if each["elsewhere"] else []
        said = (
            f"{name} still appears {' and '.join(part for part in parts if part)}, so the scan says nothing about it."
        )
    return StandingName(
        said=said,
        places=[_place(place) for place in seen],
        hidden=len(each["where"]) - len(seen),
        more=each["places"] - len(each["where"]),
    )


def _place(place: Mapping[str, Any]) -> ShownPlace:
    document = place["document"]
    page = f", page {place['page']}" if place["page"] is not None else ""
    thing = f"document {document}{page}" if document else f"row {place['row']}" if place["row"] else "a row"
    return ShownPlace(
        where=f"{place['table']}.{place['column']}: {thing}",
        url=address("corpus_document_change", UUID(document)) if document else "",
        because=_BECAUSE.get(place["because"], place["because"]),
    )
