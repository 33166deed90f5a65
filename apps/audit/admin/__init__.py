"""The audit log in the admin."""

from apps.audit.admin import event

__all__ = ["event"]
