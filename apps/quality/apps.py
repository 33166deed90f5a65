from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    name = "apps.quality"
    label = "quality"
    verbose_name = "Quality"

    def ready(self) -> None:
        from apps.intents.registry import register_on_submitted
        from apps.quality.events import register_events
        from apps.quality.services.impact import impact_of_submission

        register_events()
        register_on_submitted(impact_of_submission)
