from __future__ import annotations

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "apps.corpus"
    label = "corpus"
    verbose_name = "Corpus"

    def ready(self) -> None:
        # Makes it the application that tasks and messages of this process belong to.
        import config.celery  # noqa: F401
        from apps.audit.tombstones.digests import register_digest_source
        from apps.corpus.erasure_stores import register_stores
        from apps.corpus.events import register_events
        from apps.corpus.personal_data import classify_corpus
        from apps.corpus.services.ingest_erased import digests_of_documents
        from apps.corpus.services.ingest_reembed import reembed_after_change
        from apps.tenants.provisioning import on_tenant_configured

        register_events()
        on_tenant_configured(reembed_after_change)
        register_stores()
        register_digest_source(digests_of_documents)
        classify_corpus()
