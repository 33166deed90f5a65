from __future__ import annotations

from django.apps import AppConfig


class ResearchConfig(AppConfig):
    name = "apps.research"
    label = "research"
    verbose_name = "Research"

    def ready(self) -> None:
        from apps.research.events import register_events

        register_events()
