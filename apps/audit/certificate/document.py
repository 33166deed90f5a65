"""A certificate as a file: all that whoever has it needs to check it without us."""

from __future__ import annotations

import base64
from typing import Any, Final

from apps.audit.canonical import event_header
from apps.audit.certificate import manifest
from apps.audit.erasure.runs import target_of
from apps.audit.keys.data_keys import data_keys
from apps.audit.log.proofs import inclusion_proof
from apps.audit.models import Certificate, Event, Payload, RemovalTarget
from apps.audit.registry import Group
from apps.audit.sealing import Place, unsealed

# A hash each; of more, the root alone is in the file.
MOST_LISTED: Final = 20_000


def document_of(certificate: Certificate) -> dict[str, Any]:
    """The certificate, its signature, and its proof in the log.

    targets: a hash of each, of which the manifest is the root; none where there are more than MOST_LISTED.
    proof: the checkpoint that is named, signed; the way from the leaf to its root; what the leaf is made of, with the
    salt that opens the commitment over what is certified, as the log holds it.
    Raises: MissingNodesError, PayloadDamagedError: the log is damaged.
    Costs: eleven queries.
    """
    event = Event.objects.get(id=certificate.event_id)
    found = inclusion_proof(event.id, size=certificate.size)
    targets = [target_of(each) for each in RemovalTarget.objects.filter(run_id=certificate.run_id)]
    return {
        "certificate": certificate.body,
        "note": certificate.note,
        "targets": [leaf.hex() for leaf in manifest.leaves_of(targets)] if len(targets) <= MOST_LISTED else [],
        "proof": {
            "checkpoint": found.checkpoint,
            "path": [base64.b64encode(each).decode() for each in found.path],
            "header": event_header(
                tenant_id=event.tenant_id,
                event_id=event.id,
                action=event.action,
                outcome=event.outcome,
                occurred_at=event.occurred_at,
                actor_kind=event.actor_kind,
                actor_id=event.actor_id,
                subject_type=event.subject_type,
                subject_id=event.subject_id,
                scope_ids=event.scope_ids,
            ),
            "commitments": event.commitments,
            "core": _core(event),
        },
    }


def _core(event: Event) -> dict[str, str]:
    """The core of the event as it was committed to, and the salt. Raises: SealBrokenError."""
    row = Payload.objects.get(event_id=event.id, group=Group.CORE)
    key = data_keys(event.tenant_id, [row.data_key_id])[row.data_key_id]
    place = Place(tenant_id=event.tenant_id, event_id=event.id, group=Group.CORE)
    salt, content = unsealed(bytes(row.ciphertext), place=place, key=key or b"")
    return {"salt": base64.b64encode(salt).decode(), "content": content.decode()}
