"""The classification of the columns of policies. See apps/erasure/personal_data/classification.py."""

from __future__ import annotations

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify, classify_columns

# GDPR 17(3)(b) and (e). The database also prevents the deletion: see erasure_stores.py.
_ACCOUNTABLE = (
    "Under GDPR 17(3)(b) and (e), as long as the log refers to the version: by what rules answers were given, who "
    "wrote them and who approved them is what the firm must be able to show."
)
_VERSION = "intents.policies"


def classify_policies() -> None:
    _versions()
    _parts()
    table = "intents_reviewcomment"
    classify_columns(table, "id tenant_id version_id created_at", Sort.NONE, because="Ids and times.")
    classify(
        f"{table}.author_label",
        Sort.IDENTIFIER,
        because="Who said it.",
        cleared_by=("intents.comment_authors", "intents.comments"),
    )
    classify(
        f"{table}.author_id",
        Sort.IDENTIFIER,
        because="The account of whoever said it.",
        cleared_by="intents.comments",
        stays="When a person is erased: the id names nobody once their account is empty.",
    )
    classify(
        f"{table}.text",
        Sort.FREE_TEXT,
        because="What was said about a version.",
        cleared_by="intents.comments",
        stays=f"When a person is erased. {_ACCOUNTABLE}",
    )
    classify(
        "memory:apps.intents.matching",
        Sort.FREE_TEXT,
        because="Terms of policies with their stems.",
        stays="In the memory of a process: gone when it ends.",
    )
    classify("task:apps.intents.tasks.activate_due_policies", Sort.NONE, because="Without arguments.")


def _versions() -> None:
    table = "intents_policyversion"
    classify_columns(
        table,
        "id tenant_id number status origin valid_from valid_to created_at total_cap_chars neighbours term_weight "
        "decisive_points points_for_full_weight minimum_score minimum_margin minimum_term_points minimum_term_margin "
        "minimum_golden_accuracy retrieval_settings based_on_id decided_at effective_from revision decided_revision "
        "submitted_at",
        Sort.NONE,
        because="Ids, figures, times and settings.",
    )
    classify_columns(
        table,
        "author_id author_label approver_id approver_label",
        Sort.IDENTIFIER,
        because="Who wrote and who approved the version.",
        cleared_by=_VERSION,
        stays=f"When a person is erased. {_ACCOUNTABLE}",
    )
    classify_columns(
        table,
        "reason decision_reason",
        Sort.FREE_TEXT,
        because="Why the version was wanted, and why it was decided so.",
        cleared_by=_VERSION,
        stays=f"When a person is erased. {_ACCOUNTABLE}",
    )


def _parts() -> None:
    shared = "id tenant_id position"
    classify_columns(
        "intents_policyintent",
        f"{shared} version_id name recording_mode is_fallback",
        Sort.NONE,
        because="Ids, short names and settings.",
    )
    classify_columns("intents_policyintentkind", "id tenant_id intent_id kind", Sort.NONE, because="Ids.")
    classify_columns("intents_intentterm", f"{shared} intent_id decisive", Sort.NONE, because="Ids and settings.")
    classify_columns("intents_kindbudget", f"{shared} version_id kind cap_chars", Sort.NONE, because="Ids and figures.")
    classify_columns("intents_goldenexample", f"{shared} intent_id", Sort.NONE, because="Ids.")
    classify_columns(
        "intents_goldenvector", "id tenant_id example_id model created_at", Sort.NONE, because="Ids and times."
    )
    for table, columns in (
        ("intents_policyintent", "label description"),
        ("intents_intentterm", "text"),
        ("intents_kindbudget", "label"),
        ("intents_goldenexample", "text"),
    ):
        classify_columns(
            table,
            columns,
            Sort.FREE_TEXT,
            because="Words of the policy, written by its authors; an example may be a question that somebody asked.",
            cleared_by=_VERSION,
            stays=f"When a person is erased. {_ACCOUNTABLE} A draft's author can take an example out.",
        )
    classify(
        "intents_goldenvector.vector",
        Sort.DERIVED,
        because="An example's meaning.",
        cleared_by=_VERSION,
        stays=f"With its example. {_ACCOUNTABLE}",
    )
