"""Verify the log: in the application (application.py), or outside with a copy (export.py, offline.py)."""
