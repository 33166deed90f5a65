"""When a session last used its second factor. A decision requires the account's present factor, used within minutes."""

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
    """Note in the session that the second factor was used, and give the session a new key.

    With a new key, somebody who knew the previous one does not get a stepped-up session.
    """
    request.session.cycle_key()
    request.session[_KEY] = int(time.time())
    request.session[_FACTOR] = factor_mark(user)


def is_fresh(request: HttpRequest, user: User) -> bool:
    """Whether the session used the account's present factor within GLASSBOX_SECOND_FACTOR_SECONDS.

    Costs: one query if the session used a factor within that time, and none otherwise.
    """
    at = request.session.get(_KEY)
    if not isinstance(at, int) or not 0 <= time.time() - at < settings.GLASSBOX_SECOND_FACTOR_SECONDS:
        return False
    mark = factor_mark(user)
    return mark != "" and request.session.get(_FACTOR) == mark
