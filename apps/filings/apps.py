from __future__ import annotations

from django.apps import AppConfig


class FilingsConfig(AppConfig):
    name = "apps.filings"
    label = "filings"
    verbose_name = "Filings"

    def ready(self) -> None:
        from apps.corpus.reader.derivations import register_store_of_derivation
        from apps.filings.events import register_events
        from apps.filings.reading import derivation
        from apps.filings.services.store import store_facts

        register_events()
        register_store_of_derivation(derivation.NAME, store_facts)
