"""Write an event in the transaction of the act that it records, so that the act can't happen without its event.

The row of the event holds what is never removed, and a commitment for each field group. The groups themselves are
sealed, each in a separate row (see apps/audit/canonical.py and sealing.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.keys.data_keys import context_of, current_data_key, key_provider, unwrapped
from apps.audit.models import DataKey, Event, Outcome
from apps.audit.registry import ACTOR_LABEL, ACTOR_REQUEST, Group, check_fields, event_class
from apps.audit.sealing import SealBinding, seal
from apps.audit.terms import terms_of
from apps.audit.writing import insert_event
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import LABEL_CHARS
from apps.tenants.tally import counted
from config.operations import request_id


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
    Returns: the event, already inserted in the current transaction, with its payload sealed.
    Raises:  UnregisteredActionError, LogError, NoScopeError; NotCanonicalError for what is not JSON;
             KeyEncryptionKeyMissingError. Each of them rolls the act back.
    Costs:   one query; up to four more when the process has not used the tenant's data key lately.
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
    now, label = timezone.now(), context.principal.label[:LABEL_CHARS]
    # The name in the row is for searching. The authoritative name is in the sealed group, and is removed with it when
    # required.
    payload[Group.ACTOR] = {**payload.get(Group.ACTOR, {}), ACTOR_LABEL: label}
    # The request's name is stored beside the actor's name and removed with it, since a caller can choose any name for a
    # request.
    if request_id.current():
        payload[Group.ACTOR][ACTOR_REQUEST] = request_id.current()
    id, key = new_id(), current_data_key(context.tenant_id, now)
    sealed = {
        group: seal(values, place=SealBinding(tenant_id=context.tenant_id, event_id=id, group=group), key=key.key)
        for group, values in payload.items()
    }
    event = Event(
        id=id,
        tenant_id=context.tenant_id,
        scope_ids=sorted(scopes),
        action=action,
        outcome=outcome,
        occurred_at=now,
        actor_kind=context.principal.kind.value,
        actor_id=context.principal.id,
        actor_label=label,
        subject_type=subject_type,
        subject_id=subject_id,
        commitments={group: each.commitment.hex() for group, each in sealed.items()},
    )
    terms = {group: terms_of(group, values) for group, values in payload.items()}
    insert_event(event, sealed, key_id=key.id, terms=terms)
    transaction.on_commit(lambda: counted("event", action, str(outcome)), robust=True)
    return event


def rewrap_data_keys() -> int:
    """Wrap the open tenant's data keys under the newest key-encryption key, and record it. Can be repeated.

    No payload is changed. Run it as glassbox_worker: no other role of a running process may change a data key's row.

    Returns: how many were wrapped again. Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError.
    """
    provider = key_provider()
    newest = provider.current_id
    rewrapped = 0
    for row in DataKey.objects.exclude(kek_id=newest).order_by("id"):
        wrapped = provider.wrap(unwrapped(row), context=context_of(row))
        # The filter on kek_id skips a row that a concurrent rotation has already rewrapped.
        rewrapped += DataKey.objects.filter(id=row.id, kek_id=row.kek_id).update(
            kek_id=wrapped.kek_id, wrapped_key=wrapped.wrapped
        )
    if rewrapped:
        record(action="audit.data_keys.rewrapped", core={"kek_id": newest, "rewrapped": rewrapped})
    return rewrapped
