"""Classify the columns of evaluation questions and previews. See apps/erasure/personal_data/classification.py."""

from __future__ import annotations

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify, classify_columns


def classify_quality() -> None:
    table = "retrieval_evaluationquery"
    classify_columns(
        table, "id tenant_id scope_id series_id pages created_at", Sort.NONE, because="Ids, places, times."
    )
    classify(
        f"{table}.text",
        Sort.FREE_TEXT,
        because="A question, and what it says of the document that answers it.",
        cleared_by="retrieval.evaluation",
        stays="When its author is erased: it is the firm's question. A person whom it names is found by searching it.",
    )
    classify(
        f"{table}.created_by",
        Sort.IDENTIFIER,
        because="The name of whoever added the question.",
        cleared_by=("retrieval.evaluation_authors", "retrieval.evaluation"),
    )
    table = "retrieval_policyimpact"
    classify_columns(
        table,
        "id tenant_id version_id base_id revision content_sha256 base_sha256 state done total requested_at started_at "
        "finished_at lease_owner lease_until attempts next_attempt_at error_code",
        Sort.NONE,
        because="Ids, counts, times and codes; the digests are of policies.",
    )
    classify(
        f"{table}.error_detail", Sort.FREE_TEXT, because="What went wrong, in words.", cleared_by="retrieval.impacts"
    )
    classify(
        f"{table}.result",
        Sort.DERIVED,
        because="Which documents questions would reach: ids and figures.",
        cleared_by="retrieval.impacts",
    )
    classify(
        f"{table}.requested_by",
        Sort.IDENTIFIER,
        because="The name of whoever asked for the preview.",
        cleared_by=("retrieval.impact_requesters", "retrieval.impacts"),
    )
    table = "retrieval_evaluationrun"
    classify_columns(
        table,
        "id tenant_id state started_at seen_at finished_at settings changes models_used policy_number policy_sha256 "
        "corpus_sha256 questions_sha256 documents chunks failed_documents questions metrics latency_ms by_stage "
        "ablations",
        Sort.NONE,
        because="Ids, counts, times, codes, settings and figures; the digests are of a policy and of what was asked.",
    )
    classify_columns(
        table,
        "dataset by_type",
        Sort.FREE_TEXT,
        because="The name of a folder, and of the sorts of its questions.",
        cleared_by="retrieval.evaluation_runs",
        stays="Until the tenant is removed: it names a set of questions.",
    )
    table = "retrieval_evaluationanswer"
    classify_columns(
        table,
        "id tenant_id scope_id run_id position document_ids refusal grounding passed first_rank scores elapsed_ms",
        Sort.NONE,
        because="Ids, places, codes and figures.",
    )
    classify_columns(
        table,
        "key text type expected_answer why",
        Sort.FREE_TEXT,
        because="A question that was asked to measure, and the answer that is known to be right.",
        cleared_by="retrieval.evaluation_answers",
        stays="As long as all documents are there that it names. A person whom it names is found by searching it.",
    )
    classify_columns(
        table,
        "answer expected found",
        Sort.CONTENT,
        because="What was answered from documents, and which of their pages were expected and found.",
        cleared_by="retrieval.evaluation_answers",
    )
    classify("task:apps.retrieval.tasks.run_impact", Sort.NONE, because="Ids of a tenant and a preview.")
