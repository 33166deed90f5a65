"""The demo's questions whose document is known, kept as the firm's evaluation questions."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from apps.retrieval.demo.questions import demo_questions
from apps.retrieval.demo.tenants import DemoTenant
from apps.retrieval.demo.tour.client import Json
from apps.retrieval.models import EvaluationQuery
from apps.retrieval.services.evaluation import evaluation_query_add
from apps.tenants.context import open_scope
from apps.tenants.selectors.tenants import tenant_id_of


def keep_evaluation_questions(firm: DemoTenant, documents: Sequence[Json]) -> int:
    """Add those that are missing, asked within the whole firm.

    Args:    documents: the firm's, as the API shows them.
    Returns: how many were added.
    """
    ids = {document["filename"]: UUID(document["id"]) for document in documents}
    with open_scope(tenant=tenant_id_of(firm.slug), reason="manage.py demo"):
        held = set(EvaluationQuery.objects.values_list("text", flat=True))
        missing = [each for each in demo_questions(firm) if each.document in ids and each.text not in held]
        for question in missing:
            evaluation_query_add(
                text=question.text,
                scope_key=firm.root_scope_key,
                document_id=ids[question.document],
                pages=question.pages,
            )
    return len(missing)
