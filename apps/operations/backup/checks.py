"""The check that the database may be served, for `manage.py check --database default` and every start of a process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.db.utils import OperationalError

from apps.erasure.tombstones.gate import reason_not_to_serve
from apps.errors import ApplicationError


def served_check(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[checks.CheckMessage]:
    if not databases or "default" not in databases or not settings.GLASSBOX_REQUIRE_REPLAY:
        return []
    try:
        reason = reason_not_to_serve()
    except OperationalError:
        # The check tenants.E003 reports this failure.
        return []
    except ApplicationError as error:
        return [checks.Error(error.detail, id="audit.E002")]
    if not reason:
        return []
    return [
        checks.Error(
            f"Nothing may be served: {reason}.",
            hint="Run manage.py migrate if its tables are of another release, and then manage.py restore --replay.",
            id="audit.E001",
        )
    ]
