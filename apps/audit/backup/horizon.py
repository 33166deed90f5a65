"""Until when backups may hold what was removed: what a certificate must say."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings


def backup_horizon(removed_at: datetime) -> datetime:
    """When the last backup from before the removal is to have expired (GLASSBOX_BACKUP_RETENTION_DAYS)."""
    return removed_at + timedelta(days=settings.GLASSBOX_BACKUP_RETENTION_DAYS)
