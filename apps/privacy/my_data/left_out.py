"""What may hold personal data but is not in the package, with the reason that the person reads.

The reasons stand in the declarations (Fields.withheld).
"""

from __future__ import annotations

from apps.erasure.registry import classified
from apps.privacy.my_data.contracts import LeftOut


def left_out() -> tuple[LeftOut, ...]:
    """Return one entry per reason, in the order of the first of its names, with its names sorted."""
    names: dict[str, list[str]] = {}
    for entry in classified():
        if entry.withheld:
            names.setdefault(entry.withheld, []).append(entry.name)
    return tuple(LeftOut(names=tuple(found), because=because) for because, found in names.items())
