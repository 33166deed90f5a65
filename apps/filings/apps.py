from __future__ import annotations

from django.apps import AppConfig


class FilingsConfig(AppConfig):
    name = "apps.filings"
    label = "filings"
    verbose_name = "Filings"

    def ready(self) -> None:
        from apps.corpus.registry import register_store_of_derivation
        from apps.filings.events import register_events
        from apps.filings.graph import derivation as graph
        from apps.filings.reading import derivation
        from apps.filings.services.store import store_facts
        from apps.filings.services.store_graph import store_graph

        register_events()
        register_store_of_derivation(derivation.NAME, store_facts)
        register_store_of_derivation(graph.NAME, store_graph)
