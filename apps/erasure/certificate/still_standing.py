"""Names that could not be looked for, since they still stand in what remains: checked and in words. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


def says_standing(body: Mapping[str, Any]) -> str:
    """What in it contradicts itself; empty where nothing does."""
    for each in body["standing"]:
        if each["why"] == "too_short":
            if each["places"] != 0 or each["where"]:
                return "a name is too short to be searched for, but is said to appear somewhere"
        elif each["why"] != "stands" or not (each["places"] > 0 or each["elsewhere"] is True):
            return "a name is said to appear somewhere, but no place is given"
        if len(each["where"]) > each["places"]:
            return "a name is said to appear in more places than there are"
    return ""


def standing_lines(standing: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each name."""
    return [_line(each) for each in standing]


def _line(each: Mapping[str, Any]) -> str:
    name = f"Name no. {each['name']} of those that were to be searched for"
    if each["why"] == "too_short":
        return f"{name} is too short: the certificate says nothing about it."
    counted = Counter(f"{place['table']}.{place['column']}: {place['because']}" for place in each["where"])
    listed = ", ".join(f"{count} in {where}" for where, count in sorted(counted.items()))
    places = f"in {each['places']} place{'' if each['places'] == 1 else 's'} ({listed})" if each["places"] else ""
    elsewhere = "outside the data that this firm holds" if each["elsewhere"] else ""
    return (
        f"{name} STILL APPEARS {' and '.join(part for part in (places, elsewhere) if part)}; the certificate says "
        "nothing about it."
    )
