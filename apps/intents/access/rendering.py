"""The answer as one JSON object: the same for the page, the API and the command."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from apps.intents.access.contracts import AccessAnswer, Candidate, GrantedBy
from apps.intents.contracts import PolicySnapshot
from apps.intents.rendering import policy_sha256
from apps.tenants.principals import PrincipalKind


def access_json(answer: AccessAnswer) -> dict[str, Any]:
    return {
        "sentence": answer.sentence,
        "verdict": answer.verdict.value,
        "at": answer.at.isoformat(),
        "answered_at": answer.answered_at.isoformat(),
        "tenant": answer.tenant.slug,
        "subject": {
            "kind": answer.subject.kind.value,
            "id": str(answer.subject.id) if answer.subject.id else None,
            "name": answer.subject.name,
            "label": answer.subject.label,
            "acts_for": answer.subject.acts_for.name if answer.subject.acts_for else None,
        },
        "intent": answer.intent,
        "intents": [
            {
                "name": each.name,
                "label": each.label,
                "recognised": each.recognised,
                "kinds": [kind.value for kind in each.kinds],
            }
            for each in answer.intents
        ],
        "scopes": [{"id": str(scope.id), "key": scope.key, "name": scope.name} for scope in answer.scopes],
        "hidden_scopes": answer.hidden_scopes,
        "granted_by": [_granted_by(each) for each in answer.granted_by],
        "bounded_by": [_granted_by(each) for each in answer.bounded_by],
        "policy": None if answer.policy is None else _policy(answer.policy),
        "notes": list(answer.notes),
        "suggestions": [candidate_json(each) for each in answer.suggestions],
    }


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    return {
        "kind": candidate.kind.value,
        "name": candidate.name,
        "label": candidate.label,
        "roles": [role.value for role in candidate.roles],
        "former_member": candidate.kind is PrincipalKind.USER and not candidate.roles,
    }


def _granted_by(granted: GrantedBy) -> dict[str, Any]:
    holding = granted.holding
    return {
        "through": holding.through.value,
        "id": str(holding.id),
        "role": holding.role.value,
        "may_ask": holding.may_ask,
        "valid_from": holding.valid_from.isoformat(),
        "valid_to": _time(holding.valid_to),
        "grants": [
            {
                "scope": grant.scope.key,
                "valid_from": grant.valid_from.isoformat(),
                "valid_to": _time(grant.valid_to),
            }
            for grant in granted.grants
        ],
        "hidden_grants": granted.hidden_grants,
    }


def _policy(policy: PolicySnapshot) -> dict[str, Any]:
    return {
        "version": policy.number,
        "version_id": str(policy.version_id),
        "content_sha256": policy_sha256(policy),
        "origin": policy.origin,
        "author": policy.author_label,
        "approver": policy.approver_label,
        "reason": policy.reason,
        "valid_from": _time(policy.valid_from),
        "valid_to": _time(policy.valid_to),
    }


def _time(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
