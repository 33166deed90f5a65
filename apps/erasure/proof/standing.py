"""Names of the person that still stand in what remains: they can't be looked for, and a clean scan does not hide it.

A name that somebody else has too, or that stands where it must stay or where nobody found it, is left out of a scan: it
would be found, and say nothing. Each of these is told with its places, by table, column and row, never with the name
itself. Of what belongs to no tenant, or to another one, it is told that there is something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import psycopg

from apps.erasure.contracts import Origin, Target
from apps.erasure.proof.gathering import Gathered
from apps.erasure.residue.distinctive import Standing, StandingPlace

MOST_NAMED: Final = 50
STANDS, TOO_SHORT = "stands", "too_short"
# Why it stands there, besides the reasons of apps.erasure.runs.staying.Reason.
KEPT, NOT_DECIDED = "kept", "not_decided"
_DECIDED: Final = (
    "SELECT item_id, target_id, page, reason FROM audit_inventoryhit "
    "WHERE tenant_id = %s AND request_id = ANY (%s) AND decision = 'cleared' AND reason <> ''"
)


def standing_as_json(
    connection: psycopg.Connection[Any],
    gathered: Gathered,
    standing: Mapping[int, Standing],
    *,
    tenant_id: UUID,
    origins: Iterable[tuple[Origin, UUID]],
    stay: Sequence[Target],
) -> list[dict[str, Any]]:
    """One entry for each name that stands somewhere, or that is too short to be looked for.

    places: of the tenant; elsewhere: whether there are any that are not; where: the first places, with the reason.
    """
    requests = [id for origin, id in origins if origin is Origin.REQUEST]
    decided = connection.execute(_DECIDED, [tenant_id, requests]).fetchall() if requests else []
    reasons = {item: reason for item, _, _, reason in decided}
    reasons |= {(target, page): reason for _, target, page, reason in decided}
    # Of what has no pages, such as the file that the pages are of: as of its document.
    reasons |= {(target, None): reason for _, target, _, reason in decided}
    kept = {target.id for target in stay}
    by_name: dict[int, list[StandingPlace]] = {}
    counts: Counter[int] = Counter()
    elsewhere: set[int] = set()
    for source, found in standing.items():
        name = gathered.names[source]
        by_name.setdefault(name, []).extend(found.places.get(tenant_id, ()))
        counts[name] += found.counts[tenant_id]
        if found.counts.total() > found.counts[tenant_id]:
            elsewhere.add(name)
    entries: list[dict[str, Any]] = [
        {
            "name": name,
            "why": STANDS,
            "places": counts[name],
            "elsewhere": name in elsewhere,
            "where": [_told(place, kept, reasons) for place in by_name[name][:MOST_NAMED]],
        }
        for name in by_name
    ]
    entries += [
        {"name": name, "why": TOO_SHORT, "places": 0, "elsewhere": False, "where": []} for name in gathered.lacking
    ]
    return sorted(entries, key=lambda entry: int(entry["name"]))


def _told(place: StandingPlace, kept: set[UUID], reasons: Mapping[Any, str]) -> dict[str, Any]:
    row = place.ids.get("id")
    document = place.ids.get("document_id") or (row if place.table == "corpus_document" else None)
    reason = reasons.get(row) or reasons.get((document, place.page))
    because = KEPT if kept & set(place.ids.values()) else reason or NOT_DECIDED
    return {
        "table": place.table,
        "column": place.column,
        "row": _text(row),
        "document": _text(document),
        "page": place.page,
        "scope": _text(place.ids.get("scope_id")),
        "because": because,
    }


def _text(id: UUID | None) -> str | None:
    return None if id is None else str(id)
