"""What is held, beside the log, of the people who ask; for their access requests (apps/audit/subject_access)."""

from __future__ import annotations

from typing import Final

from django.db.models import Exists, OuterRef

from apps.audit.models import Event
from apps.audit.subject_access.account import at
from apps.audit.subject_access.contracts import Category, Page, Person
from apps.audit.subject_access.registry import leave_out, leave_out_columns, register_category
from apps.retrieval.events import EVALUATION_ADDED
from apps.retrieval.models import EvaluationQuery
from apps.tenants.principals import PrincipalKind

_PREVIEW: Final = "A computation about a policy: figures, and ids of documents. It says nothing of you."


def _evaluation(person: Person, after: object | None) -> Page:
    """The row says who by a name alone, which may have been somebody else's before: the event says by which id."""
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
    about="Questions of the firm, by which it is measured whether what should be found is found.",
    purpose="To measure how well documents are found, before and after a change.",
    legal_basis="6(1)(f) legitimate interest: that answers are right",
    source="You.",
    retention="Until somebody takes the question out; your name goes when your account is erased.",
    fields={"at": "When", "text": "Question", "your_name_then": "Your name then", "id": "Id"},
    columns=("retrieval_evaluationquery.text", "retrieval_evaluationquery.created_by"),
    read=_evaluation,
)


def register_subject_access() -> None:
    register_category(EVALUATION)
    leave_out(
        "retrieval_policyimpact.requested_by",
        because="Your name beside a preview of a policy that you asked for. That you did is among your acts.",
    )
    leave_out_columns("retrieval_policyimpact", "result error_detail", because=_PREVIEW)
    leave_out_columns(
        "retrieval_evaluationrun", "dataset by_type", because="The names of sets of questions. They say nothing of you."
    )
    leave_out_columns(
        "retrieval_evaluationanswer",
        "key text type expected_answer why answer expected found",
        because="Questions that are asked to measure the search, with what was found in the firm's documents.",
    )
    leave_out(
        "memory:apps.retrieval.stages.jurisdiction_names",
        because="Codes of countries for what documents state as their law, in a program's memory until it ends.",
    )
    leave_out(
        "memory:apps.retrieval.stages.mentions",
        because="Patterns made of names of companies and of words of questions, in a program's memory until it ends.",
    )
