from __future__ import annotations

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "apps.retrieval"
    label = "retrieval"
    verbose_name = "Retrieval"

    def ready(self) -> None:
        from django.core import checks

        from apps.erasure.registry import register_store
        from apps.intents.registry import register_jurisdiction_reader, register_stage_words, register_traffic
        from apps.retrieval.events import register_events
        from apps.retrieval.kept.momentary import AnswersJustGiven
        from apps.retrieval.stage_choice import stages_check
        from apps.retrieval.stage_words import stage_words
        from apps.retrieval.steps.bounds import read_jurisdictions
        from apps.retrieval.usage.traffic import question_traffic

        register_events()
        register_store(AnswersJustGiven())
        checks.register(stages_check)
        register_stage_words(stage_words)
        register_traffic(question_traffic)
        register_jurisdiction_reader(read_jurisdictions)
