"""What gunicorn finds by itself: whoever types `gunicorn config.wsgi` gets what `manage.py serve web` starts."""

from config.gunicorn import *  # noqa: F403
