"""Backups, putting one back, and serving nothing of it before what was erased since is gone again."""
