"""The audit events of research."""

from __future__ import annotations

from typing import Final

from apps.audit.registry import EventClass, Group, register
from apps.tenants.roles import Permission

CLAIMS_CHECKED: Final = "research.claims.checked"


def register_events() -> None:
    """Register the classes of events that this room writes."""
    register(
        EventClass(
            action=CLAIMS_CHECKED,
            label="Text checked",
            fields={
                Group.CORE: frozenset(
                    {
                        "claims",
                        "sentences",
                        "verdicts",
                        "intents",
                        "permitted_kinds",
                        "withheld_kinds",
                        "policy_version",
                        "policy_version_id",
                        "facts_read",
                        "searches",
                        "tolerance",
                    }
                ),
                Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
                Group.ANSWER: frozenset({"result_hmac_sha256"}),
            },
            permissions=frozenset({Permission.QUESTION_ASK}),
        )
    )
