"""The category of evaluation questions that the person added."""

from __future__ import annotations

from typing import Final

from django.db.models import Exists, OuterRef

from apps.audit.models import Event
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Page, Person
from apps.quality.events import EVALUATION_ADDED
from apps.quality.models import EvaluationQuery
from apps.tenants.principals import PrincipalKind


def _evaluation(person: Person, after: object | None) -> Page:
    """Return the questions that the person added, as the events show by id.

    The rows hold only a name, which may have belonged to somebody else before.
    """
    added = Event.objects.filter(
        action=EVALUATION_ADDED,
        subject_id=OuterRef("id"),
        actor_kind=PrincipalKind.USER.value,
        actor_id=person.id,
    )
    rows = EvaluationQuery.objects.filter(Exists(added), created_at__lte=person.until).order_by("created_at", "id")
    return Page(
        entries=[
            {"at": at(row.created_at), "text": row.text, "your_name_then": row.created_by, "id": str(row.id)}
            for row in rows
        ]
    )


EVALUATION: Final = Category(
    key="evaluation_questions",
    title="Evaluation questions that you added",
    about="Questions of the firm that measure whether the search finds what it should.",
    purpose="To measure how well the search finds documents, before and after a change.",
    legal_basis="6(1)(f) legitimate interest: that answers are right",
    source="You.",
    retention="Until somebody removes the question; your name is removed when your account is erased.",
    fields={"at": "When", "text": "Question", "your_name_then": "Your name then", "id": "Id"},
    read=_evaluation,
)
