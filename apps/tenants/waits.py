"""Times in rows until which something waits. None of them keeps an item waiting for ever."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

# No lease or wait that our code writes is longer. A longer one was written by somebody else, or by a wrong clock.
LONGEST_WAIT: Final = timedelta(hours=12)


def is_past(field: str, now: datetime, *, longest: timedelta = LONGEST_WAIT) -> Q:
    """Return the filter for a time that has come.

    A time further in the future than any that our code writes counts as come too, so that it keeps nothing waiting.
    """
    return Q(**{f"{field}__lte": now}) | Q(**{f"{field}__gt": now + longest})


def has_come(moment: datetime, now: datetime, *, longest: timedelta = LONGEST_WAIT) -> bool:
    """Return whether a time has come, by the same rule as in is_past."""
    return moment <= now or moment > now + longest
