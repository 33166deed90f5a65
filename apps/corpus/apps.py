from __future__ import annotations

from django.apps import AppConfig


class CorpusConfig(AppConfig):
    name = "apps.corpus"
    label = "corpus"
    verbose_name = "Corpus"

    def ready(self) -> None:
        # Makes it the application that tasks and messages of this process belong to.
        import config.celery  # noqa: F401
        from apps.audit.requests.codes import SubjectType
        from apps.audit.requests.subjects import register_finder
        from apps.corpus.events import register_events
        from apps.corpus.selectors import document_title
        from apps.corpus.services.ingest_reembed import reembed_after_change
        from apps.tenants.provisioning import on_tenant_configured

        register_events()
        register_finder(SubjectType.DOCUMENT, document_title)
        on_tenant_configured(reembed_after_change)
