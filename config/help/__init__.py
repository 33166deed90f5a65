"""The handbook in `docs/`: built by `manage.py docs` into `site/`, and served under Help from there."""
