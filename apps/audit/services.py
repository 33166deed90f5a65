"""Writing an event: in the act's own transaction, so that the act without its event does not happen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Event, Outcome
from apps.audit.registry import Group, check_fields, event_class
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId


def record(
    *,
    action: str,
    core: Mapping[str, Any],
    actor: Mapping[str, Any] | None = None,
    question: Mapping[str, Any] | None = None,
    answer: Mapping[str, Any] | None = None,
    passages: Mapping[str, Any] | None = None,
    outcome: Outcome = Outcome.SUCCESS,
    subject_type: str = "",
    subject_id: UUID | None = None,
    scopes: Iterable[ScopeId] = (),
) -> Event:
    """Record what the open scope's principal did.

    Args:    action: a registered one.
             core, actor, question, answer, passages: the payload by field group; JSON values, and only fields that
                 the registration names.
             scopes: the scopes that the act touched; empty for an act on the tenant as a whole.
    Returns: the event, already inserted in the current transaction.
    Raises:  UnregisteredActionError, UnregisteredFieldError, NoScopeError.
    Costs:   one query.
    """
    context = current_scope()
    groups: dict[str, Mapping[str, Any] | None] = {
        Group.CORE: core,
        Group.ACTOR: actor,
        Group.QUESTION: question,
        Group.ANSWER: answer,
        Group.PASSAGES: passages,
    }
    payload = {str(group): dict(values) for group, values in groups.items() if values}
    check_fields(event_class(action), payload)
    event: Event = Event.objects.create(
        tenant_id=context.tenant_id,
        scope_ids=sorted(scopes),
        action=action,
        outcome=outcome,
        occurred_at=timezone.now(),
        actor_kind=context.principal.kind.value,
        actor_id=context.principal.id,
        actor_label=context.principal.label[:255],
        subject_type=subject_type,
        subject_id=subject_id,
        payload=payload,
    )
    return event
