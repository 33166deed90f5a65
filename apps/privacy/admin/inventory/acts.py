"""What a DPO does on the inventory's page. Each act reads its fields and calls one service, which holds the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from django.http import QueryDict

from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide, hits_decide_at_once
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.redacting import redactions_prepare
from apps.privacy.inventory.restricting import lift_now, restrict_now
from apps.privacy.proposals.proposing import inventory_propose
from apps.tenants.admin.read import number_read

_MOST_WORDS: Final = 500  # characters


def _search(id: UUID, post: QueryDict) -> str:
    inventory_request(id)
    return "The search has begun. You can leave this page in the meantime."


def _decide(id: UUID, post: QueryDict) -> str:
    seen = _seen(post)
    words = str(post.get("words", ""))[:_MOST_WORDS]
    hits_decide(id, [Said(hit_id=_id(post, "hit"), seen=seen, reason=_reason(post), words=words)])
    return "Kept."


def _take_back(id: UUID, post: QueryDict) -> str:
    seen = _seen(post)
    hits_decide(id, [Said(hit_id=_id(post, "hit"), seen=seen, reason=None)])
    return "The place is open again."


def _at_once(id: UUID, post: QueryDict) -> str:
    try:
        seen = [UUID(each) for each in post.get("hits", "").split(",") if each]
    except ValueError:
        raise InventoryError("audit.inventory_hit_not_found") from None
    certain = post.get("certain") == "1"
    # Certain places are confirmed as what each of them is shown as; of the others, one thing is said of all.
    reason = None if certain else _reason(post)
    count = hits_decide_at_once(id, like=_id(post, "hit"), certain=certain, reason=reason, seen=seen)
    return f"{count} place{'s' * (count != 1)} decided together."


def _treat(id: UUID, post: QueryDict) -> str:
    chosen, before = str(post.get("treatment", "")), str(post.get("seen", ""))
    if chosen not in Treatment.values:
        raise InventoryError("audit.inventory_treatment_missing")
    seen = Treatment(before) if before in Treatment.values else None
    document_treat(id, _id(post, "document"), Treatment(chosen), seen=seen)
    return "Choice saved. Nothing has been changed in the document yet."


def _prepare(id: UUID, post: QueryDict) -> str:
    count = redactions_prepare(id, revision=number_read(post))
    return f"{count} redacted version{'s are' if count != 1 else ' is'} being made. The old ones are out of use."


def _restrict(id: UUID, post: QueryDict) -> str:
    count = restrict_now(id)
    return f"{count} document{'s are' if count != 1 else ' is'} out of use while the request is assessed."


def _lift(id: UUID, post: QueryDict) -> str:
    lift_now(id)
    return "The documents are in use again, except those being redacted."


def _propose(id: UUID, post: QueryDict) -> str:
    inventory_propose(id, revision=number_read(post))
    return "You proposed the erasure. Another person decides; nothing is removed before that."


ACTS: Final[Mapping[str, Callable[[UUID, QueryDict], str]]] = {
    "search": _search,
    "decide": _decide,
    "take_back": _take_back,
    "at_once": _at_once,
    "treat": _treat,
    "prepare": _prepare,
    "restrict": _restrict,
    "lift": _lift,
    "propose": _propose,
}


def _id(post: QueryDict, name: str) -> UUID:
    try:
        return UUID(str(post.get(name, "")))
    except ValueError:
        raise InventoryError("audit.inventory_hit_not_found") from None


def _reason(post: QueryDict) -> Reason:
    reason = str(post.get("reason", ""))
    if reason not in Reason.values:
        raise InventoryError("audit.inventory_reason_missing")
    return Reason(reason)


def _seen(post: QueryDict) -> Decision:
    seen = str(post.get("seen", ""))
    return Decision(seen) if seen in Decision.values else Decision.OPEN
