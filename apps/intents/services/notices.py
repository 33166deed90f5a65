"""Write and read notices within the product: each tells one person of an event of a policy version."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from apps.audit.models import Event
from apps.intents.errors import NoticeError
from apps.intents.models import Happening, Notice, PolicyVersion
from apps.tenants.context import current_scope
from apps.tenants.notices import holders_of, members_among
from apps.tenants.roles import Permission

_INSERT: Final = """
    INSERT INTO intents_notice (tenant_id, version_id, event_id, happening, receiver_id)
    SELECT %s, %s, %s, %s, unnest(%s::uuid[])
"""


def notices_write(version: PolicyVersion, event: Event, *, escalated: bool = False) -> None:
    """Tell the reviewers and the author of an event, in its transaction; not whoever acted in it.

    Args:  escalated: it is a reminder, and officers and administrators are told too.
    Costs: three queries.
    """
    also = (Permission.POLICY_EDIT, Permission.MEMBER_MANAGE) if escalated else ()
    receivers = holders_of(Permission.POLICY_APPROVE, *also)
    if version.author_id is not None:
        receivers |= members_among({version.author_id})
    happening = Happening.ESCALATED if escalated else Happening(event.action.rpartition(".")[2])
    others = sorted(receivers - {current_scope().principal.id})
    with connection.cursor() as cursor:
        # Whoever writes a notice may not read it, so nothing of it is returned.
        cursor.execute(_INSERT, [version.tenant_id, version.id, event.id, happening, others])


def own_notices() -> QuerySet[Notice]:
    """Return the notices of the open scope's person, the newest first; none for a key that acts for nobody.

    Row-level security shows nobody else's.
    """
    scope = current_scope()
    return Notice.objects.filter(tenant_id=scope.tenant_id, receiver_id=scope.principal.id).select_related("version")


def count_unread() -> int:
    """Return how many notices of the open scope's person are unread. Costs: one query."""
    return own_notices().filter(read_at__isnull=True).count()


def notice_read(notice_id: UUID) -> Notice:
    """Mark a notice of the principal as read; one that is read stays as it is. Raises: NoticeError."""
    with transaction.atomic():
        found = own_notices().filter(id=notice_id)
        found.filter(read_at__isnull=True).update(read_at=Now())
        notice = found.first()
        if notice is None:
            raise NoticeError("intents.notice_not_there")
        return notice


def notices_read_all() -> int:
    """Mark all notices of the principal as read. Returns: how many were unread."""
    return own_notices().filter(read_at__isnull=True).update(read_at=Now())
