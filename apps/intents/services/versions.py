"""Write a policy as rows, and put it in force."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.db import transaction

from apps.audit.ids import new_id
from apps.audit.services import record
from apps.intents.contracts import FallbackRule, IntentRule, PolicySnapshot
from apps.intents.models import (
    GoldenExample,
    IntentTerm,
    KindBudget,
    PolicyIntent,
    PolicyIntentKind,
    PolicyVersion,
    VersionOrigin,
    VersionStatus,
)
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import version_snapshot
from apps.intents.validation import require_valid
from apps.tenants.bulk import insert_rows
from apps.tenants.context import current_scope
from apps.tenants.principals import PrincipalKind

FALLBACK_NAME = "unrecognised"


def policy_draft_create(
    *, snapshot: PolicySnapshot, number: int, origin: VersionOrigin, reason: str, based_on: PolicyVersion | None = None
) -> PolicyVersion:
    """Write a snapshot's content as a new draft of the open tenant, authored by the open scope's principal.

    Costs: six queries.
    """
    context = current_scope()
    principal = context.principal
    with transaction.atomic():
        version: PolicyVersion = PolicyVersion.objects.create(
            tenant_id=context.tenant_id,
            number=number,
            status=VersionStatus.DRAFT,
            origin=origin,
            based_on=based_on,
            reason=reason,
            author_id=principal.id if principal.kind is PrincipalKind.USER else None,
            author_label=principal.label[:255],
            **content_columns(snapshot),
        )
        insert_content(version, snapshot)
    return version


def content_columns(snapshot: PolicySnapshot) -> dict[str, Any]:
    """Return the columns of a version's row that belong to the policy's content."""
    return {
        "total_cap_chars": snapshot.total_cap_chars,
        "retrieval_settings": snapshot.retrieval.as_json(),
        **asdict(snapshot.classifier),
    }


def insert_content(version: PolicyVersion, snapshot: PolicySnapshot) -> None:
    """Insert the rows of a version's content; the version must have none yet. Five queries."""
    insert_rows(
        KindBudget,
        tenant_id=version.tenant_id,
        rows=({"version_id": version.id, **asdict(budget)} for budget in snapshot.budgets),
    )
    _insert_intents(version, snapshot)


def policy_version_activate(version: PolicyVersion) -> PolicyVersion:
    """Record that a version is in force since the time in its approval, at which the database ends the previous one.

    The version takes effect without this record, by the time of its approval (apps/intents/standing.py).

    Raises: InvalidPolicyError: its content can't be used.
            IntegrityError: its status does not allow it.
    """
    with transaction.atomic():
        content = version_snapshot(version)
        # An approved version is in force since its time, even if a later release would call its content invalid.
        if version.status != VersionStatus.APPROVED:
            require_valid(content)
        # The row lock makes concurrent activations wait for each other.
        earlier = (
            PolicyVersion.objects.select_for_update().filter(status=VersionStatus.ACTIVE).exclude(id=version.id).first()
        )
        before = policy_sha256(version_snapshot(earlier)) if earlier else None
        version.status = VersionStatus.ACTIVE
        version.save(update_fields=["status"])
        version.refresh_from_db()
        record(
            action="intents.policy.activated",
            core={
                "number": version.number,
                "origin": version.origin,
                "reason": version.reason,
                "author": version.author_label,
                "approver": version.approver_label,
                "superseded_number": earlier.number if earlier else None,
                # The event's own time is the time of this record, which may be later.
                "valid_from": version.valid_from.isoformat() if version.valid_from else None,
                "before_sha256": before,
                "content_sha256": policy_sha256(content),
            },
            subject_type="policy_version",
            subject_id=version.id,
        )
    return version


def _insert_intents(version: PolicyVersion, snapshot: PolicySnapshot) -> None:
    tenant_id = version.tenant_id
    rules: list[IntentRule | FallbackRule] = [*snapshot.intents, snapshot.fallback]
    # Set the ids here: bulk_create does not return ids that the database generates.
    intents: list[PolicyIntent] = PolicyIntent.objects.bulk_create(
        PolicyIntent(
            id=new_id(),
            tenant_id=tenant_id,
            version=version,
            name=rule.name if isinstance(rule, IntentRule) else FALLBACK_NAME,
            label=rule.label,
            description=rule.description,
            recording_mode=rule.recording_mode.value,
            is_fallback=isinstance(rule, FallbackRule),
            position=position,
        )
        for position, rule in enumerate(rules, start=1)
    )
    insert_rows(
        PolicyIntentKind,
        tenant_id=tenant_id,
        rows=(
            {"intent_id": intent.id, "kind": kind}
            for intent, rule in zip(intents, rules, strict=True)
            for kind in rule.kinds
        ),
    )
    insert_rows(
        IntentTerm,
        tenant_id=tenant_id,
        rows=(
            {"intent_id": intent.id, "text": term.text, "decisive": term.decisive, "position": position}
            for intent, rule in zip(intents, rules, strict=True)
            if isinstance(rule, IntentRule)
            for position, term in enumerate(rule.terms, start=1)
        ),
    )
    by_name = {"" if intent.is_fallback else intent.name: intent.id for intent in intents}
    insert_rows(
        GoldenExample,
        tenant_id=tenant_id,
        rows=(
            {"intent_id": by_name[example.intent], "text": example.text, "position": position}
            for position, example in enumerate(snapshot.examples, start=1)
        ),
    )
