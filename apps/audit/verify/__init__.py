"""Checking the log: by the application (application.py), by an outsider with a copy (export.py, offline.py)."""
