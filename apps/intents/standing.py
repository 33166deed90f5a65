"""Derive a version's current status from the times of the approved versions and the database's clock.

The status is recorded afterwards (services/activation.py), perhaps late; no decision depends on that record.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.db.models import (
    Case,
    CharField,
    DateTimeField,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Now
from django.db.models.query import ModelIterable

from apps.intents.models import PolicyVersion, VersionStatus

TO_COME: Final = (VersionStatus.DRAFT, VersionStatus.IN_REVIEW, VersionStatus.APPROVED)
_APPROVED: Final = Q(status=VersionStatus.APPROVED)
# Approved, and its time has come: the version is or was in force, although that is not recorded yet.
IS_DUE: Final = _APPROVED & Q(effective_from__lte=Now())


def by_time(versions: QuerySet[PolicyVersion]) -> QuerySet[Any]:
    """Return the versions with their current `status`, `valid_from` and `valid_to`, whatever their rows say.

    The result is for reading only: a service that changes a version reads the row itself. Further conditions can use
    `standing`, `began_at` and `ended_at`.
    """
    settled = versions.annotate(
        began_at=Case(When(IS_DUE, then=F("effective_from")), default=F("valid_from"), output_field=DateTimeField()),
    ).annotate(
        ended_at=Case(
            When(
                IS_DUE | Q(status=VersionStatus.ACTIVE),
                then=Subquery(_next_due().values("effective_from")[:1]),
            ),
            default=F("valid_to"),
            output_field=DateTimeField(),
        ),
    )
    settled = settled.annotate(
        standing=Case(
            When(began_at__isnull=True, then=F("status")),
            When(ended_at__isnull=True, then=Value(VersionStatus.ACTIVE.value)),
            default=Value(VersionStatus.SUPERSEDED.value),
        )
    )
    settled._iterable_class = _Settled
    return settled


def in_force_at(versions: QuerySet[PolicyVersion], at: datetime | None = None) -> PolicyVersion | None:
    """Return the version of a tenant that was in force at an instant, by default now, or None. One query."""
    moment = Now() if at is None else at
    then = by_time(versions).filter(Q(ended_at__isnull=True) | Q(ended_at__gt=moment), began_at__lte=moment)
    found: PolicyVersion | None = then.order_by("-began_at", "-number").first()
    return found


def is_settled(version: PolicyVersion) -> bool:
    """Return whether the object has the current status: by_time read it, or no approved time can change its status."""
    return hasattr(version, "standing") or version.status not in (VersionStatus.APPROVED, VersionStatus.ACTIVE)


def _next_due() -> Any:
    """Return the due versions that follow the outer version; all of them follow the one recorded as in force."""
    after = Q(effective_from__gt=OuterRef("effective_from")) | Q(
        effective_from=OuterRef("effective_from"), number__gt=OuterRef("number")
    )
    of_the_outer = PolicyVersion.objects.filter(IS_DUE, tenant_id=OuterRef("tenant_id")).annotate(
        outer_status=ExpressionWrapper(OuterRef("status"), output_field=CharField())
    )
    return of_the_outer.filter(Q(outer_status=VersionStatus.ACTIVE) | after).order_by("effective_from", "number")


class _Settled(ModelIterable):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        for version in super().__iter__():
            version.status, version.valid_from, version.valid_to = version.standing, version.began_at, version.ended_at
            yield version
