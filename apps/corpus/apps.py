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
        from apps.audit.erasure.expansion import register_contents
        from apps.audit.erasure.searched import register_searched
        from apps.audit.holds.items import register_items
        from apps.audit.inventory.contracts import (
            register_documents,
            register_file_finder,
            register_person_finder,
            register_word_finder,
        )
        from apps.audit.requests.codes import SubjectType
        from apps.audit.requests.subjects import register_finder
        from apps.audit.tombstones.digests import register_digest_source
        from apps.corpus.erasure_stores import documents_of, register_stores
        from apps.corpus.events import register_events
        from apps.corpus.looked_for import register_looked_for_of_documents
        from apps.corpus.people.files import FileTexts, find_in_files
        from apps.corpus.people.hidden import find_words
        from apps.corpus.people.inventory import InventoryDocuments, find_person
        from apps.corpus.people.texts import JOBS, DocumentTexts, leave_unsearched_of_documents
        from apps.corpus.personal_data import classify_corpus
        from apps.corpus.reader import checks as reader_checks
        from apps.corpus.retention import register_retained_documents
        from apps.corpus.selectors import document_title
        from apps.corpus.services.ingest_erased import digests_of_documents
        from apps.corpus.services.ingest_reembed import reembed_after_change
        from apps.corpus.services.restricted import DocumentItems
        from apps.corpus.subject_access import register_subject_access
        from apps.tenants.provisioning import on_tenant_configured

        reader_checks.register()
        register_events()
        register_searched(DocumentTexts(), FileTexts(), JOBS)
        leave_unsearched_of_documents()
        register_contents(documents_of)
        register_items(TargetType.DOCUMENT, DocumentItems())
        register_person_finder(find_person)
        register_word_finder(find_words)
        register_file_finder(find_in_files)
        register_documents(InventoryDocuments())
        register_retained_documents()
        register_finder(SubjectType.DOCUMENT, document_title)
        on_tenant_configured(reembed_after_change)
        register_stores()
        register_digest_source(digests_of_documents)
        register_looked_for_of_documents()
        classify_corpus()
        register_subject_access()
