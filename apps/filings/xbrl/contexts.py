"""Contexts and units: of when, of which part of the group, and in what a fact is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

from apps.corpus.extraction.xbrl_instances import name_in_words
from apps.filings.contracts import FactUnit
from apps.filings.xbrl.markup import canonical_name, element_names, local_name

MOST_CONTEXTS: Final = 100_000
_MOST_DIMENSIONS: Final = 12
_YEARS: Final = range(1900, 2101)
_LONGEST_DIMENSION: Final = 200
_PARENT: Final = frozenset({"ParentCompanyMember", "SeparateMember"})
# Members that say what holds without them: all of the group, as stated now, before eliminations.
_WHOLE: Final = frozenset({"ConsolidatedMember", "ConsolidatedEntitiesMember", "OperatingSegmentsMember"})
_RESTATED: Final = frozenset({"RestatedMember", "ScenarioRestatedMember", "AsRestatedMember"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """When and of what a fact is. starts_on is None for an instant."""

    starts_on: date | None
    ends_on: date
    dimension: str
    consolidated: bool
    restated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """In what a fact is. A pure number is a NUMBER here; whether it is a percentage, its scale tells."""

    kind: FactUnit
    currency: str
    is_pure: bool = False


def read_contexts(root: Any, prefixes: Mapping[str, str]) -> Mapping[str, Context]:
    """Return the contexts by their id. One that is no context, or has no end, is left out."""
    contexts: dict[str, Context] = {}
    for element in root.iter(*element_names(prefixes, "xbrli", "context")):
        name = element.get("id")
        context = _read_context(element, prefixes) if name and name not in contexts else None
        if name and context is not None and len(contexts) < MOST_CONTEXTS:
            contexts[name] = context
    return contexts


def read_units(root: Any, prefixes: Mapping[str, str]) -> Mapping[str, Unit]:
    """Return the units by their id."""
    units: dict[str, Unit] = {}
    for element in root.iter(*element_names(prefixes, "xbrli", "unit")):
        name = element.get("id")
        if name and name not in units and len(units) < MOST_CONTEXTS:
            units[name] = _read_unit(element)
    return units


def _read_context(element: Any, prefixes: Mapping[str, str]) -> Context | None:
    dates: dict[str, date] = {}
    members: list[tuple[str, str]] = []
    for each in element.iter():
        name = local_name(each)
        if name in ("instant", "startdate", "enddate"):
            day = _read_date(each.text or "", ends=name != "startdate")
            if day is not None:
                dates.setdefault(name, day)
        elif name in ("explicitmember", "typedmember") and len(members) < _MOST_DIMENSIONS:
            said = each.text if name == "explicitmember" else each.text_content()
            members.append((canonical_name(each.get("dimension") or "", prefixes), (said or "").strip()))
    ends_on = dates.get("instant") or dates.get("enddate")
    starts_on = None if "instant" in dates else dates.get("startdate")
    if ends_on is None or ("instant" not in dates and starts_on is None):
        return None
    if starts_on is not None and starts_on > ends_on:
        return None
    locals_ = [member.rpartition(":")[2] for _, member in members]
    parts = [
        name_in_words(member)
        for (_, member), local in zip(members, locals_, strict=True)
        if local not in _PARENT | _WHOLE | _RESTATED
    ]
    return Context(
        starts_on=starts_on,
        ends_on=ends_on,
        dimension=", ".join(sorted(parts))[:_LONGEST_DIMENSION],
        consolidated=not _PARENT.intersection(locals_),
        restated=bool(_RESTATED.intersection(locals_)),
    )


def _read_date(text: str, *, ends: bool) -> date | None:
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)(T00:00:00)?(?:T[\d:.]+)?(?:Z|[+-]\d\d:\d\d)?", text.strip())
    if match is None:
        return None
    try:
        day = date.fromisoformat(match[1])
        if day.year not in _YEARS:
            return None
        # Midnight at a day's beginning, as the end of a period, is the end of the day before.
        return day - timedelta(days=1) if ends and match[2] else day
    except (ValueError, OverflowError):
        return None


def _read_unit(element: Any) -> Unit:
    above: list[str] = []
    below: list[str] = []
    for each in element.iter():
        if local_name(each) == "measure":
            parent = each.getparent()
            side = below if parent is not None and local_name(parent) == "unitdenominator" else above
            side.append((each.text or "").strip())
    if len(above) != 1 or len(below) > 1:
        return Unit(kind=FactUnit.NUMBER, currency="")
    prefix, _, local = above[0].rpartition(":")
    currency = local.upper() if prefix.lower() == "iso4217" and re.fullmatch(r"[A-Za-z]{3}", local) else ""
    if below:
        per_share = below[0].rpartition(":")[2].lower() == "shares"
        return Unit(kind=FactUnit.PER_SHARE if per_share and currency else FactUnit.NUMBER, currency=currency)
    if currency:
        return Unit(kind=FactUnit.MONEY, currency=currency)
    if local.lower() == "shares":
        return Unit(kind=FactUnit.SHARES, currency="")
    return Unit(kind=FactUnit.NUMBER, currency="", is_pure=local.lower() == "pure")
