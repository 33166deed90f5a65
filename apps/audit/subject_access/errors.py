from __future__ import annotations

from apps.errors import ApplicationError


class NobodysDataError(ApplicationError):
    code = "audit.nobodys_data"
    status = 403
    message = (
        "This key belongs to the firm and acts for nobody, so nothing is held about it as a person. "
        "Sign in, or use a key of your own."
    )
