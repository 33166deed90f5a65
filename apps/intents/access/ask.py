"""Ask what a person or a key could reach: check who may ask about whom, and record the question."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from django.utils import timezone

from apps.audit.services import record
from apps.intents.access.contracts import AMBIGUOUS, AccessAnswer, Candidate, Holding, Subject
from apps.intents.access.facts import access_facts, api_key, person
from apps.intents.access.people import Member, NamedKey, keys, keys_meant, meant, members, nearest
from apps.intents.access.reach import access_answer
from apps.intents.errors import AmbiguousNameError
from apps.intents.events import ACCESS_ASKED
from apps.tenants.context import current_scope, record_failure
from apps.tenants.ids import UserId
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission

_MOST_CANDIDATES: Final = 20

_Found = tuple[Subject, tuple[Holding, ...]]


def access_ask(*, user: str = "", key: str = "", at: datetime | None = None, intent: str = "") -> AccessAnswer:
    """Answer which kinds and scopes a person or an API key of the open tenant could reach at an instant.

    All users may ask about themselves and about the keys that act for them. A question about others needs the
    permission to read the audit log, and names of others are looked up for nobody else. The question is recorded.
    Args:    user: a person's user name, their name as people write it, or the name of an API key: see people.py. To ask
             about yourself without that permission, the exact user name.
             key: a key's prefix without its `gbx_`. If both are empty, the subject is the open scope's principal, or
             the key that a person acts by.
             at: aware; None for now.
             intent: its name, `unrecognised`, or empty for every intent of the policy.
    Returns: the answer; without a statement about reach, but with the nearest names, if nobody has the name.
    Raises:  PermissionDeniedError: the subject is somebody else, whether or not the name exists.
             AmbiguousNameError: the name means several members or keys. That question is recorded too.
             NoScopeError: no scope is open.
    Costs:   eight queries and the opening of the tenant's directory; six more the first time that this process reads
             the policy version. For a name that is not an exact user name three more, and one more for an address.
    """
    principal = current_scope().principal
    answered_at = timezone.now()
    if user and key:
        raise ValueError("asked about a person and a key at once")
    suggestions: tuple[Candidate, ...] = ()
    if user and principal.may(Permission.AUDIT_VIEW):
        found, suggestions = subject_named(user, at=at or answered_at)
    elif user:
        found = _by_own_name(principal, user)
    else:
        found = _found(principal, key=key)
    subject = found[0]
    if not _is_own(subject, principal):
        principal.require(Permission.AUDIT_VIEW)
    facts = access_facts(found, at=at or answered_at, answered_at=answered_at)
    answer = replace(access_answer(facts, intent=intent), suggestions=suggestions)
    # The record is the only write in the open scope's transaction: an answer that can't be recorded is not returned.
    _record(answer)
    return answer


def subject_named(typed: str, *, at: datetime) -> tuple[_Found, tuple[Candidate, ...]]:
    """Return the person or key that a typed name means, with what they held; or nobody, and the nearest names.

    For those who may ask about others.
    Args:   at: the instant of the question, for the record of one that is not answered.
    Raises: AmbiguousNameError: the name means several members or keys. That is recorded.
    """
    name = " ".join(typed.split())
    exact = person(name=name)
    if exact[0].id is not None:
        return exact, ()
    everybody = members()
    found = meant(name, everybody)
    # A part of a key's name means the key only where nobody is meant: a person's keys often bear their name.
    named = keys_meant(name, keys(), in_part=not found)
    if len(found) + len(named) > 1:
        _record_ambiguous(at)
        raise _ambiguous((*found, *named))
    if found:
        return person(user_id=found[0].id), ()
    if named:
        return api_key(key_id=named[0].id), ()
    return exact, nearest(name, everybody)


def _by_own_name(principal: Principal, name: str) -> _Found:
    """Return the person who asks, if it is their user name, or else nobody.

    No name is looked up, so neither the answer nor its time tells which names exist.
    """
    if principal.kind is PrincipalKind.USER and principal.id is not None:
        found = person(user_id=UserId(principal.id))
        if found[0].name == name:
            return found
    return Subject(kind=PrincipalKind.USER, id=None, name=name, label=name), ()


def _found(principal: Principal, *, key: str) -> _Found:
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


def _ambiguous(found: tuple[Member | NamedKey, ...]) -> AmbiguousNameError:
    shown = tuple(each.candidate for each in found[:_MOST_CANDIDATES])
    return AmbiguousNameError(candidates=shown, more=len(found) - len(shown))


def _record_ambiguous(at: datetime) -> None:
    """Record the question without any name. The error that follows may undo the transaction, but not this record."""
    record_failure(
        action=ACCESS_ASKED,
        core={
            "asked_about": PrincipalKind.USER.value,
            "user_id": None,
            "api_key_id": None,
            "instant": at.isoformat(),
            "intent": "",
            "verdict": AMBIGUOUS,
            "policy_version": None,
        },
    )


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
