"""When a session last used its second factor: within the last minutes, and this very factor, a decision asks."""

from __future__ import annotations

import time
from typing import Final

from django.conf import settings
from django.http import HttpRequest

from apps.tenants.models import User
from apps.tenants.second_factor.codes import factor_mark

_KEY: Final = "second_factor_at"
_FACTOR: Final = "second_factor"


def note_used(request: HttpRequest, user: User) -> None:
    """The session gets a new key: one that somebody else knew before does not become a stepped-up one."""
    request.session.cycle_key()
    request.session[_KEY] = int(time.time())
    request.session[_FACTOR] = factor_mark(user)


def is_fresh(request: HttpRequest, user: User) -> bool:
    """Costs: one query, of a session that used one within the last minutes."""
    at = request.session.get(_KEY)
    if not isinstance(at, int) or not 0 <= time.time() - at < settings.GLASSBOX_SECOND_FACTOR_SECONDS:
        return False
    mark = factor_mark(user)
    return mark != "" and request.session.get(_FACTOR) == mark
