from __future__ import annotations

from django.apps import AppConfig


class QualityConfig(AppConfig):
    name = "apps.quality"
    label = "quality"
    verbose_name = "Quality"

    def ready(self) -> None:
        from apps.intents.submission import when_submitted
        from apps.quality.events import register_events
        from apps.quality.services.impact import impact_of_submission

        register_events()
        when_submitted(impact_of_submission)
