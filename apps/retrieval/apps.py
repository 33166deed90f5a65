from __future__ import annotations

from django.apps import AppConfig


class RetrievalConfig(AppConfig):
    name = "apps.retrieval"
    label = "retrieval"
    verbose_name = "Retrieval"

    def ready(self) -> None:
        from apps.retrieval.events import register_events

        register_events()
