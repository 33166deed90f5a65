"""The audit events of policies."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register


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
