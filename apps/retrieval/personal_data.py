"""What the columns of evaluation questions and previews hold. See apps/audit/erasure/classification.py."""

from __future__ import annotations

from apps.audit.erasure.classification import Sort, classify, classify_columns


def classify_retrieval() -> None:
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
    classify(
        "memory:apps.retrieval.stages.mentions",
        Sort.DERIVED,
        because="Patterns made of names of companies and of words of questions.",
        stays="In the memory of a process: gone when it ends, which the physical phase sees to.",
    )
    classify("task:apps.retrieval.tasks.run_impact", Sort.NONE, because="Ids of a tenant and a preview.")
    classify("task:apps.retrieval.tasks.impact_sweep", Sort.NONE, because="Without arguments.")
