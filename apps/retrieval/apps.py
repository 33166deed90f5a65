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
        from apps.audit.erasure.unsearched import leave_unsearched
        from apps.intents.stage_words import register_stage_words
        from apps.intents.submission import when_submitted
        from apps.retrieval.erasure_stores import register_stores
        from apps.retrieval.events import register_events
        from apps.retrieval.models import EvaluationAnswer, EvaluationQuery, EvaluationRun, PolicyImpact
        from apps.retrieval.personal_data import classify_retrieval
        from apps.retrieval.services.impact import impact_of_submission
        from apps.retrieval.stage_choice import stages_check
        from apps.retrieval.stage_words import stage_words
        from apps.retrieval.subject_access import register_subject_access

        register_events()
        checks.register(stages_check)
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
        when_submitted(impact_of_submission)
        register_stage_words(stage_words)
        register_stores()
        classify_retrieval()
        register_subject_access()
