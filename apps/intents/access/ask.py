"""Ask what a person or a key could reach: check who may ask about whom, and record the question."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from apps.audit.services import record
from apps.intents.access.contracts import AccessAnswer, Holding, Subject
from apps.intents.access.facts import access_facts, api_key, person
from apps.intents.access.reach import access_answer
from apps.intents.events import ACCESS_ASKED
from apps.tenants.context import current_scope
from apps.tenants.ids import UserId
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission


def access_ask(*, user: str = "", key: str = "", at: datetime | None = None, intent: str = "") -> AccessAnswer:
    """Answer which kinds and scopes a person or an API key of the open tenant could reach at an instant.

    All users may ask about themselves and about the keys that act for them. A question about others needs the
    permission to read the audit log. The question is recorded.
    Args:    user, key: a user name, or a key's prefix without its `gbx_`. If both are empty, the subject is the open
             scope's principal, or the key that a person acts by.
             at: aware; None for now.
             intent: its name, `unrecognised`, or empty for every intent of the policy.
    Raises:  PermissionDeniedError: the subject is somebody else, whether or not the name exists.
             NoScopeError: no scope is open.
    Costs:   eight queries and the opening of the tenant's directory; six more the first time that this process reads
             the policy version.
    """
    principal = current_scope().principal
    answered_at = timezone.now()
    found = _found(principal, user=user, key=key)
    subject = found[0]
    if not _is_own(subject, principal):
        principal.require(Permission.AUDIT_VIEW)
    facts = access_facts(found, at=at or answered_at, answered_at=answered_at)
    answer = access_answer(facts, intent=intent)
    # The record is the only write in the open scope's transaction: an answer that can't be recorded is not returned.
    _record(answer)
    return answer


def _found(principal: Principal, *, user: str, key: str) -> tuple[Subject, tuple[Holding, ...]]:
    if user and key:
        raise ValueError("asked about a person and a key at once")
    if user:
        return person(name=user)
    if key:
        return api_key(prefix=key)
    if principal.id is None:
        raise ValueError("the platform itself holds nothing: name a person or a key")
    if principal.kind is PrincipalKind.API_KEY or principal.key_id:
        return api_key(key_id=principal.key_id or principal.id)
    return person(user_id=UserId(principal.id))


def _is_own(subject: Subject, principal: Principal) -> bool:
    if subject.id is None or principal.id is None:
        return False
    if principal.kind is PrincipalKind.USER and subject.acts_for:
        return subject.acts_for.id == principal.id
    return (subject.kind, subject.id) == (principal.kind, principal.id)


def _record(answer: AccessAnswer) -> None:
    subject = answer.subject
    known = str(subject.id) if subject.id else None
    is_person = subject.kind is PrincipalKind.USER
    record(
        action=ACCESS_ASKED,
        # Never the typed name: it may be any text, or the name of somebody who is not known to this tenant.
        core={
            "asked_about": subject.kind.value,
            "user_id": known if is_person else None,
            "api_key_id": None if is_person else known,
            "instant": answer.at.isoformat(),
            # Only a name that the policy has, for the same reason.
            "intent": answer.intent if answer.intents else "",
            "verdict": answer.verdict.value,
            "policy_version": answer.policy.number if answer.policy else None,
        },
        subject_type=subject.kind.value if known else "",
        subject_id=subject.id,
    )
