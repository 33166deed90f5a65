from __future__ import annotations

from apps.errors import ApplicationError


class NotServedError(ApplicationError):
    """The database was put back, and holds what was erased since. Nothing of it is shown or worked on."""

    code = "audit.not_served"
    status = 503
    message = "Nothing is served: {reason}. An administrator must run manage.py restore --replay."
