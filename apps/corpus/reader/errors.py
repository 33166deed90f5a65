from __future__ import annotations

from apps.errors import ApplicationError


class DrawingBusyError(ApplicationError):
    code = "corpus.page_images_busy"
    status = 503
    message = "The page was not drawn: this server is drawing others. Load it again in a moment."
