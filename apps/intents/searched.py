"""The texts of policies in which a person is searched for. Only its author sees a draft."""

from __future__ import annotations

from apps.erasure.registry import register_searched
from apps.erasure.searched.rows import RowTexts
from apps.intents.models import GoldenExample, IntentTerm, KindBudget, PolicyIntent, PolicyVersion, ReviewComment


def register_policy_texts() -> None:
    register_searched(
        RowTexts(
            "intents.policy_versions",
            "Reasons for policy versions",
            PolicyVersion,
            ("reason", "decision_reason", "author_label", "approver_label"),
        ),
        RowTexts("intents.review_comments", "Comments on policy versions", ReviewComment, ("text", "author_label")),
        RowTexts("intents.golden_examples", "Review examples", GoldenExample, ("text",)),
        RowTexts("intents.intents", "Intents", PolicyIntent, ("label", "description")),
        RowTexts("intents.intent_terms", "Terms of intents", IntentTerm, ("text",)),
        RowTexts("intents.kind_budgets", "Headings of kinds", KindBudget, ("label",)),
    )
