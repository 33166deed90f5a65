from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    name = "apps.quality"
    label = "quality"
    verbose_name = "Quality"

    def ready(self) -> None:
        from apps.erasure.registry import leave_unsearched, register_searched
        from apps.erasure.searched.rows import RowTexts
        from apps.intents.registry import register_on_submitted
        from apps.quality.erasure_stores import register_stores
        from apps.quality.events import register_events
        from apps.quality.models import EvaluationAnswer, EvaluationQuery, EvaluationRun, PolicyImpact
        from apps.quality.personal_data import classify_quality
        from apps.quality.services.impact import impact_of_submission

        register_events()
        register_searched(
            RowTexts("retrieval.evaluation_questions", "Evaluation questions", EvaluationQuery, ("text", "created_by")),
            RowTexts(
                "retrieval.evaluation_answers",
                "Questions and answers of evaluation runs",
                EvaluationAnswer,
                ("key", "text", "type", "expected_answer", "why", "answer", "expected", "found"),
            ),
            RowTexts("retrieval.evaluation_runs", "Evaluation runs", EvaluationRun, ("dataset",)),
            RowTexts("retrieval.impacts", "Previews of policies", PolicyImpact, ("requested_by", "error_detail")),
        )
        leave_unsearched(
            "retrieval_evaluationrun.by_type",
            because="Names of sorts of questions: each stands beside its answers too, and is searched there.",
        )
        register_on_submitted(impact_of_submission)
        register_stores()
        classify_quality()
