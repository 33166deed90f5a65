"""What this floor and the directory below it put into a package."""

from __future__ import annotations

from apps.audit.subject_access.account import ACCOUNT, GRANTS, KEYS, MEMBERSHIPS
from apps.audit.subject_access.acts import EVENTS
from apps.audit.subject_access.asked import REQUESTS
from apps.audit.subject_access.events import register_subject_access_events
from apps.audit.subject_access.left_out import leave_out_the_rest
from apps.audit.subject_access.registry import register_category


def register_subject_access() -> None:
    register_subject_access_events()
    register_category(ACCOUNT, MEMBERSHIPS, GRANTS, KEYS, EVENTS, REQUESTS)
    leave_out_the_rest()
