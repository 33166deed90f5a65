"""gunicorn's settings, for `manage.py up` and for a container: gunicorn -c python:config.gunicorn config.wsgi"""

from __future__ import annotations

import threading

# Threads, because a question waits for the database and for a model more than it computes.
worker_class = "gthread"
threads = 4
# Long enough for an upload of 100 MB and for a slow model.
timeout = 120
graceful_timeout = 30
# A socket in the home directory that nobody here uses; versions before 25.1 know neither it nor this setting.
control_socket_disable = True


def post_worker_init(worker: object) -> None:
    """A process that has just begun loads its model while it answers the first requests."""
    from django.conf import settings

    from apps.corpus.providers.warming import warm_up

    if settings.GLASSBOX_WARM_UP:
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
