"""Documents as subjects of the retention rules: one subject per retention class, one item per version.

The policy in force says which class a kind is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, QuerySet
from django.db.models.functions import Coalesce

from apps.corpus.kinds import RetentionClass
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.registry import kinds_in_force
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.retained import Aim, Item, ItemPosition, RetainedSubject, Tally
from apps.erasure.registry import register_retained

DOCUMENT: Final = "document:"
# Clock -> what it is read from. A document without that date is never due. Of a copy that was moved here, it is what
# happened in the scope that it came from, and of a correction when the first version with its file came.
_READ_FROM: Final = {
    "superseded_at": Coalesce("replaced_there_at", "valid_to"),
    "created_at": Coalesce("first_received_at", "created_at"),
    "published_on": F("published_on"),
}
_CLOCKS: Final[Mapping[str, str]] = {
    "superseded_at": "when another version replaced it",
    "created_at": "when it was uploaded",
    "published_on": "when it was published (one without that date is never due)",
}


class DocumentSource:
    """The retention source for documents; see RetentionSource. A document that is still being read is not counted."""

    def tally(self, aim: Aim) -> Tally:
        documents = self._documents(aim).order_by()
        found = documents.aggregate(count=Count("id"), oldest=Min("clock"), newest=Max("clock"))
        if not found["count"]:
            return Tally()
        return Tally(count=found["count"], oldest=_moment(found["oldest"]), newest=_moment(found["newest"]))

    def batch(self, aim: Aim, *, after: ItemPosition | None, limit: int) -> Sequence[Item]:
        documents = self._documents(aim)
        if after is not None:
            at = after.at.date() if aim.clock == "published_on" else after.at
            documents = documents.filter(Q(clock__gt=at) | Q(clock=at, id__gt=after.id))
        rows = documents.order_by("clock", "id").values_list("clock", "id")[:limit]
        return [
            Item(place=ItemPosition(at=_moment(at), id=id), targets=(Target(type=TargetType.DOCUMENT, id=id),))
            for at, id in rows
        ]

    def lets_go(self, aim: Aim, document_id: UUID) -> bool:
        """Return whether this document is among those that the aim selects. One query."""
        return bool(self._documents(aim).filter(id=document_id).exists())

    def _documents(self, aim: Aim) -> QuerySet[Any]:
        before = aim.before.date() if aim.clock == "published_on" else aim.before
        settled = [DocumentStatus.SUPERSEDED, DocumentStatus.FAILED]
        if aim.includes_current:
            settled.append(DocumentStatus.READY)
        of_class = _of_class(RetentionClass(aim.subject.removeprefix(DOCUMENT)))
        documents = Document.objects.filter(of_class, status__in=settled)
        timed: QuerySet[Any] = documents.annotate(clock=_READ_FROM[aim.clock]).filter(clock__lt=before)
        return timed


SOURCE: Final = DocumentSource()


def register_retained_documents() -> None:
    register_retained(
        *(
            RetainedSubject(
                key=f"{DOCUMENT}{each.value}",
                label=str(each.label),
                family="Documents",
                source=SOURCE,
                clocks=_CLOCKS,
                clock="superseded_at",
                legal_basis="6(1)(f) legitimate interests",
                keep_months=84,
                page="corpus_document_change",
                has_versions=True,
            )
            for each in RetentionClass
        )
    )


def _of_class(wanted: RetentionClass) -> Q:
    """Return the condition on a document of the class. No document is without a rule: a kind that the policy no longer
    has counts as another record."""
    classes = {each.kind.value: each.retention_class for each in kinds_in_force()}
    of_class = Q(kind__in=[kind for kind, found in classes.items() if found is wanted])
    return of_class | ~Q(kind__in=list(classes)) if wanted is RetentionClass.RECORD else of_class


def class_of(kind: str) -> RetentionClass:
    """Return the class whose rule documents of the kind follow: see _of_class."""
    found = (each.retention_class for each in kinds_in_force() if each.kind.value == kind)
    return RetentionClass(next(found, RetentionClass.RECORD))


def _moment(at: date | datetime) -> datetime:
    return at if isinstance(at, datetime) else datetime.combine(at, time.min, tzinfo=UTC)
