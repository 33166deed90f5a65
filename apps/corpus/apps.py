from __future__ import annotations

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "apps.corpus"
    label = "corpus"
    verbose_name = "Corpus"

    def ready(self) -> None:
        # This import makes it the Celery application for the tasks and messages of this process.
        import config.celery  # noqa: F401
        from apps.corpus.contents import documents_of
        from apps.corpus.events import register_events
        from apps.corpus.looked_for import register_looked_for_of_documents
        from apps.corpus.providers.recording import register_request_events
        from apps.corpus.reader import checks as reader_checks
        from apps.corpus.retention import register_retained_documents
        from apps.corpus.searched_texts import DocumentTexts
        from apps.corpus.services.ingest.erased import digests_of_documents
        from apps.corpus.services.ingest.events import register_ingest_events
        from apps.corpus.services.ingest.reembed import reembed_after_change
        from apps.corpus.services.page_image_cache import PageImages
        from apps.corpus.services.restricted import DocumentItems
        from apps.erasure.contracts import TargetType
        from apps.erasure.registry import (
            register_contents,
            register_digest_source,
            register_items,
            register_searched,
            register_store,
        )
        from apps.tenants.registry import register_on_tenant_configured

        reader_checks.register()
        register_ingest_events()
        register_request_events()
        register_events()
        register_searched(DocumentTexts())
        register_contents(documents_of)
        register_items(TargetType.DOCUMENT, DocumentItems())
        register_retained_documents()
        register_on_tenant_configured(reembed_after_change)
        register_digest_source(digests_of_documents)
        register_looked_for_of_documents()
        register_store(PageImages())
