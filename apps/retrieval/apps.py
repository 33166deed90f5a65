from __future__ import annotations

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "apps.retrieval"
    label = "retrieval"
    verbose_name = "Retrieval"

    def ready(self) -> None:
        from django.core import checks

        from apps.audit.erasure.searched import register_searched
        from apps.audit.erasure.searched_rows import RowTexts
        from apps.intents.submission import when_submitted
        from apps.retrieval.erasure_stores import register_stores
        from apps.retrieval.events import register_events
        from apps.retrieval.models import EvaluationAnswer, EvaluationQuery
        from apps.retrieval.personal_data import classify_retrieval
        from apps.retrieval.services.impact import impact_of_submission
        from apps.retrieval.stage_choice import stages_check
        from apps.retrieval.subject_access import register_subject_access

        register_events()
        checks.register(stages_check)
        register_searched(
            RowTexts("retrieval.evaluation_questions", "Evaluation questions", EvaluationQuery, ("text", "created_by")),
            RowTexts(
                "retrieval.evaluation_answers",
                "Questions and answers of evaluation runs",
                EvaluationAnswer,
                ("text", "expected_answer", "answer", "expected", "found"),
            ),
        )
        when_submitted(impact_of_submission)
        register_stores()
        classify_retrieval()
        register_subject_access()
