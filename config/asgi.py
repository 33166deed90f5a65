"""The web process for an ASGI server."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")

application = get_asgi_application()

from config.startup import refuse_unsafe_start  # noqa: E402 - needs the applications to be loaded

refuse_unsafe_start()
