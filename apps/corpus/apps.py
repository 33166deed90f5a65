from __future__ import annotations

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "apps.corpus"
    label = "corpus"
    verbose_name = "Corpus"

    def ready(self) -> None:
        # Makes it the application that tasks and messages of this process belong to.
        import config.celery  # noqa: F401
        from apps.audit.erasure.contracts import TargetType
        from apps.audit.erasure.searched import register_searched
        from apps.audit.holds.items import register_items
        from apps.corpus.erasure_stores import register_stores
        from apps.corpus.events import register_events
        from apps.corpus.looked_for import register_looked_for_of_documents
        from apps.corpus.people.texts import DocumentTexts
        from apps.corpus.personal_data import classify_corpus
        from apps.corpus.services.ingest_reembed import reembed_after_change
        from apps.corpus.services.restricted import DocumentItems
        from apps.tenants.provisioning import on_tenant_configured

        register_events()
        register_searched(DocumentTexts())
        register_items(TargetType.DOCUMENT, DocumentItems())
        on_tenant_configured(reembed_after_change)
        register_stores()
        register_looked_for_of_documents()
        classify_corpus()
