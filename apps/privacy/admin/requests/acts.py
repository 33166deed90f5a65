"""What a DPO does on a request's own page: one form and one service each. The services hold the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.http import QueryDict

from apps.erasure.runs.runs import RejectionReason
from apps.privacy.admin.requests.forms import AssessForm, PlainForm, SendBackForm, WordsForm
from apps.privacy.codes.requests import Ground
from apps.privacy.proposals.approving import request_approve, request_send_back, request_take_back
from apps.privacy.proposals.ending import withdraw
from apps.privacy.proposals.proposing import inventory_propose
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.services.forgetting import request_forget
from apps.privacy.requests.services.letters import letter_retry, letter_settle
from apps.privacy.requests.services.steps import assess, identity_confirm
from apps.tenants.admin.read import id_read, number_read
from apps.tenants.roles import Permission

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """run: does it, with the form's answers and the post. done: what the next page says, with {reference}."""

    run: Callable[[UUID, Said, QueryDict], object]
    done: str
    form: type[PlainForm] | None = None
    permission: Permission = Permission.PRIVACY_MANAGE


ACTS: Final[Mapping[str, Act]] = {
    "confirm": Act(
        run=lambda id, said, post: identity_confirm(id, revision=number_read(post)),
        done="{reference} is being assessed.",
    ),
    "assess": Act(
        form=AssessForm,
        run=lambda id, said, post: assess(
            id, revision=number_read(post), ground=Ground(said["ground"]), notes=said["notes"]
        ),
        done="The assessment of {reference} is saved.",
    ),
    "propose": Act(
        run=lambda id, said, post: inventory_propose(id, revision=number_read(post)),
        done="You proposed the erasure of {reference}. Another person decides; nothing is removed before that.",
    ),
    "take_back": Act(
        run=lambda id, said, post: request_take_back(id, **_proposal(post)),
        done="You withdrew the proposal. {reference} can be proposed again.",
    ),
    "approve": Act(
        run=lambda id, said, post: request_approve(id, **_proposal(post)),
        done="You approved the erasure of {reference}. It now continues automatically.",
        permission=Permission.PRIVACY_APPROVE,
    ),
    "send_back": Act(
        form=SendBackForm,
        run=lambda id, said, post: request_send_back(id, **_proposal(post), reason=RejectionReason(said["reason"])),
        done="You sent {reference} back. Nothing was erased.",
        permission=Permission.PRIVACY_APPROVE,
    ),
    "withdraw": Act(
        form=WordsForm,
        run=lambda id, said, post: withdraw(id, revision=number_read(post), words=said["words"]),
        done="{reference} is closed as withdrawn. Nothing was erased, and nothing was disclosed.",
    ),
    "forget": Act(
        run=lambda id, said, post: request_forget(id),
        done="The key of {reference} is destroyed: nobody can read any more what was known about the person.",
    ),
    "letter_retry": Act(
        run=lambda id, said, post: letter_retry(id, _letter(post)),
        done="The letter for {reference} is being sent again.",
    ),
    "letter_settle": Act(
        run=lambda id, said, post: letter_settle(id, _letter(post)),
        done="The letter for {reference} is marked as sent.",
    ),
}


def _proposal(post: QueryDict) -> dict[str, Any]:
    """The proposal that was read."""
    return {"run_id": id_read(post, "run_id"), "revision": number_read(post)}


def _letter(post: QueryDict) -> UUID:
    try:
        return UUID(str(post.get("letter", "")))
    except ValueError:
        raise RequestError("audit.letter_not_found", letter="with that id") from None
