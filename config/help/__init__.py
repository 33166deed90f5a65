"""The handbook in `docs/`: `manage.py docs` builds it into `site/`, and the pages under Help serve it from there."""
