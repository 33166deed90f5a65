"""The web process for a WSGI server."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from config.operations.connections import CleanConnections

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")

application = CleanConnections(get_wsgi_application())

from config.startup import refuse_unsafe_start  # noqa: E402 - needs the applications to be loaded

refuse_unsafe_start()
