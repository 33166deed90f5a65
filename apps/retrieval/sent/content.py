"""What an officer is told of a question that was sent to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.audit.registry import Group
from apps.retrieval.kept.reading import from_json
from apps.retrieval.kept.sealing import SealedText, unseal
from apps.retrieval.models import SentQuestion
from apps.retrieval.serialise import to_json

REPLY = b"reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentContent:
    """What is sealed.

    asker: their name then. intent: its name in the policy.
    refusal: why there is no answer; empty where the closest passages were quoted.
    withheld: the kinds of document that the policy kept from the question.
    """

    question: str
    note: str
    asker: str
    intent: str
    policy_version: int
    refusal: str
    withheld: tuple[str, ...]

    def as_bytes(self) -> bytes:
        return json.dumps(to_json(self), ensure_ascii=False).encode()


def content_to_send(question: str, note: str, asker: str, payload: Mapping[str, Mapping[str, Any]]) -> SentContent:
    """Args: payload: that of the question's event."""
    core = payload.get(Group.CORE, {})
    return SentContent(
        question=question,
        note=note,
        asker=asker,
        intent=core.get("intent", ""),
        policy_version=core.get("policy_version", 0),
        refusal=payload.get(Group.ANSWER, {}).get("refusal", ""),
        withheld=tuple(core.get("withheld_kinds", ())),
    )


def content_of(row: SentQuestion) -> SentContent:
    """Raises: PayloadDamagedError."""
    sealed = SealedText(data_key_id=row.data_key_id, ciphertext=bytes(row.sealed))
    return from_json(SentContent, json.loads(unseal(row.id, sealed, tenant=row.tenant_id)))


def reply_of(row: SentQuestion) -> str:
    """Return what the officer said to the asker; empty without one. Raises: PayloadDamagedError."""
    if row.reply_key_id is None or row.reply_sealed is None:
        return ""
    sealed = SealedText(data_key_id=row.reply_key_id, ciphertext=bytes(row.reply_sealed))
    return unseal(row.id, sealed, tenant=row.tenant_id, part=REPLY).decode()
