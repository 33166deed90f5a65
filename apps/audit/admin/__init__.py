"""The audit log in the admin: events, reports, verification and webhooks."""

from apps.audit.admin.events import event

__all__ = ["event"]
