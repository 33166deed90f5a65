"""What a column, or a place beside the database, holds of people, and what becomes of that in an erasure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from apps.tenants.personal_data import Fields, Sort

# The field groups of events, cleared by what goes through audit_erase alone (TargetType.EVENT_GROUP).
EVENT_GROUPS: Final = "audit.payloads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """name: `table.column`, or `kind:name` of what is no column (see personal_data/places.py). The rest: see Fields."""

    name: str
    sort: Sort
    because: str
    cleared_by: tuple[str, ...] = ()
    stays: str = ""
    unsearched: str = ""
    shown_in: str = ""
    withheld: str = ""


def classified_as(name: str, fields: Fields) -> Classified:
    return Classified(
        name=name,
        sort=fields.sort,
        because=fields.because,
        cleared_by=(fields.cleared_by,) if isinstance(fields.cleared_by, str) else fields.cleared_by,
        stays=fields.stays,
        unsearched=fields.unsearched,
        shown_in=fields.shown_in,
        withheld=fields.withheld,
    )
