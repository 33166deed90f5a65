"""Holds, retention, removals and certificates in the admin."""

from apps.audit.registry import register_part_lines
from apps.erasure.admin.holds import hold
from apps.erasure.admin.holds.links import with_holds

register_part_lines(with_holds)

__all__ = ["hold"]
