"""The audit events of policies."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register

ACCESS_ASKED = "intents.access.asked"


def register_policy_events() -> None:
    register(
        EventClass(
            action="intents.policy.activated",
            label="Policy put in force",
            fields={
                Group.CORE: frozenset(
                    {
                        "number",
                        "origin",
                        "reason",
                        "author",
                        "approver",
                        "superseded_number",
                        "content_sha256",
                    }
                )
            },
        )
    )
    register(
        EventClass(
            action=ACCESS_ASKED,
            label="Asked who could reach what",
            fields={
                Group.CORE: frozenset(
                    {"asked_about", "user_id", "api_key_id", "instant", "intent", "verdict", "policy_version"}
                )
            },
        )
    )
