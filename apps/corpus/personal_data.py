"""The classification of the corpus's columns. See apps/erasure/personal_data/classification.py."""

from __future__ import annotations

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify, classify_columns

_KEYS = "id tenant_id scope_id document_id"


def classify_corpus() -> None:
    _documents()
    _parts()
    _jobs()
    classify(
        "memory:apps.corpus.terms",
        Sort.DERIVED,
        because="Words of any tenant's texts with their stems, without where they stood.",
        stays="In the memory of a process: gone when it ends, which the physical phase sees to.",
    )
    classify(
        "memory:apps.corpus.extraction.numerals",
        Sort.DERIVED,
        because="Cells of tables that look like numbers or years, without where they stood.",
        stays="In the memory of a process: gone when it ends, which the physical phase sees to.",
    )
    classify(
        "memory:apps.corpus.reader.process",
        Sort.NONE,
        because="Which parts of the sandbox this machine was said to lack.",
    )
    classify(
        "memory:apps.corpus.reader.sandbox.seccomp",
        Sort.NONE,
        because="The filter of system calls, which is the same for every file.",
    )
    classify("memory:apps.corpus.tokens", Sort.NONE, because="A program's vocabulary, which is the same for everybody.")
    classify(
        "cache:apps.corpus.services.ingest.turns",
        Sort.NONE,
        because="ingest:served:<tenant>: when a document of the tenant was last taken up; a day.",
    )
    classify("task:apps.corpus.tasks.run_next", Sort.NONE, because="Without arguments.")
    _memories()


def _documents() -> None:
    table, store = "corpus_document", "corpus.documents"
    classify_columns(
        table,
        "id tenant_id scope_id kind document_type source_type fiscal_year fiscal_quarter published_on language "
        "jurisdictions corrected_fields series_id version valid_from valid_to status error_code media_type byte_size "
        "page_count chunk_count term_count terms_version created_at updated_at",
        Sort.NONE,
        because="Ids, kinds, dates and counts.",
    )
    classify_columns(
        table,
        "title slug company ticker external_id filename",
        Sort.FREE_TEXT,
        because="What the document is called and whom it is about.",
        cleared_by=store,
    )
    classify_columns(
        table,
        "error_detail warnings",
        Sort.FREE_TEXT,
        because="May quote the file that they are about.",
        cleared_by=store,
    )
    classify(
        f"{table}.content_sha256",
        Sort.DERIVED,
        because="Digest of the file: shows who has it already.",
        cleared_by=store,
    )


def _parts() -> None:
    classify_columns("corpus_sourcefile", _KEYS, Sort.NONE, because="Ids.")
    classify("corpus_sourcefile.content", Sort.CONTENT, because="The file.", cleared_by="corpus.document_files")
    classify_columns("corpus_page", f"{_KEYS} number extracted", Sort.NONE, because="Ids and places.")
    classify("corpus_page.text", Sort.CONTENT, because="The text of a page.", cleared_by="corpus.pages")
    classify_columns(
        "corpus_chunk",
        f"{_KEYS} parent_id kind number is_parent page_start page_end char_start char_end sec_item token_count",
        Sort.NONE,
        because="Ids, places and counts.",
    )
    classify_columns(
        "corpus_chunk",
        "text context_header section",
        Sort.CONTENT,
        because="The text of a passage and the headings above it.",
        cleared_by="corpus.chunks",
    )
    classify("corpus_chunk.content_sha256", Sort.DERIVED, because="Digest of the text.", cleared_by="corpus.chunks")
    classify_columns("corpus_posting", f"{_KEYS} kind", Sort.NONE, because="Ids.")
    classify_columns(
        "corpus_posting",
        "term chunk_numbers term_frequencies chunk_term_counts",
        Sort.DERIVED,
        because="Which words, names among them, stand in which passages.",
        cleared_by="corpus.postings",
    )
    for dimensions in (384, 1536):
        table = f"corpus_embedding{dimensions}"
        classify_columns(table, f"{_KEYS} chunk_id kind model", Sort.NONE, because="Ids.")
        classify(
            f"{table}.vector",
            Sort.DERIVED,
            because="A passage's meaning, from which parts of its text can be guessed.",
            cleared_by=f"corpus.embeddings_{dimensions}",
        )


def _jobs() -> None:
    table = "corpus_ingestjob"
    classify_columns(
        table,
        f"{_KEYS} actor_kind stage state embedding_profile attempts next_attempt_at lease_owner lease_until "
        "pages_total chunks_total chunks_embedded error_code requested_at updated_at started_at finished_at",
        Sort.NONE,
        because="Ids, counts, times and codes; a lease's owner is a process.",
    )
    classify(f"{table}.request_id", Sort.NONE, because="A request's own name: no words, and no address.")
    classify(f"{table}.error_detail", Sort.FREE_TEXT, because="May quote the file.", cleared_by="corpus.jobs")
    classify(
        f"{table}.actor_label",
        Sort.IDENTIFIER,
        because="The name of whoever brought the document.",
        cleared_by=("corpus.job_actors", "corpus.jobs"),
    )
    classify_columns(
        table,
        "actor_id actor_key_id",
        Sort.IDENTIFIER,
        because="The account or key of whoever brought the document.",
        cleared_by="corpus.jobs",
        stays="With the document, when a person is erased: the id names nobody once their account is empty.",
    )


def _memories() -> None:
    for module in ("normalise", "variants"):
        classify(
            f"memory:apps.privacy.people.{module}",
            Sort.CONTENT,
            because="Single words of what was searched for a person, each by itself.",
            stays="Until other words push them out, in the memory of a process, and not after its end.",
        )
