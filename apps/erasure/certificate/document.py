"""A certificate as a file: all that whoever has it needs to check it without us."""

from __future__ import annotations

import base64
from typing import Any, Final
from uuid import UUID

from apps.audit.canonical import event_header
from apps.audit.errors import NotSealedError, SizeUnknownError
from apps.audit.keys.data_keys import data_keys
from apps.audit.log.proofs import InclusionProof, inclusion_proof
from apps.audit.models import Event, Leaf, Payload
from apps.audit.registry import Group
from apps.audit.sealing import SealBinding, SealBrokenError, unsealed
from apps.erasure.certificate import manifest
from apps.erasure.certificate.errors import NoProofError
from apps.erasure.events import LOG_EMPTIED
from apps.erasure.models import Certificate, RemovalTarget, Restoration, Supplement
from apps.erasure.runs.runs import target_of

# A hash each; of more, the root alone is in the file.
MOST_LISTED: Final = 20_000


def document_of(certificate: Certificate) -> dict[str, Any]:
    """The certificate, its signature, and its proof in the log.

    targets: a hash of each, of which the manifest is the root; none where there are more than MOST_LISTED.
    proof: the checkpoint that is named, signed; the way from the leaf to its root; what the leaf is made of, with the
    salt that opens the commitment over what is certified, as the log holds it.
    restored: what was signed after restores that concern its run (supplement_of), the newest first.
    Raises: NoProofError: one of its kinds; MissingNodesError: the stored tree is damaged; KeyEncryptionKeyMissingError.
    Costs: thirteen queries, and ten for each of those.

    What is read one after the other may be changed between two reads by one thing alone, the end of the tenant, which
    removes what the event says, and its key after that. What lacks is looked for again for that reason, and each read
    sees all that was committed before it: no snapshot of the whole is needed.
    """
    targets = [target_of(each) for each in RemovalTarget.objects.filter(run_id=certificate.run_id)]
    return {
        "certificate": certificate.body,
        "note": certificate.note,
        "targets": [leaf.hex() for leaf in manifest.leaves_of(targets)] if len(targets) <= MOST_LISTED else [],
        "proof": _proof(certificate),
        "restored": [supplement_of(each) for each in supplements_of_run(certificate.run_id)],
    }


def supplement_of(supplement: Supplement) -> dict[str, Any]:
    """What was signed after a restore, as a file of the same form. Raises: as document_of. Costs: ten queries."""
    restoration = Restoration.objects.get(id=supplement.restoration_id)
    return {
        "certificate": supplement.body,
        "note": supplement.note,
        "targets": restoration.leaves,
        "proof": _proof(supplement),
    }


def supplements_of_run(run_id: UUID) -> list[Supplement]:
    """What was signed after restores that concern a run, the newest first."""
    return list(Supplement.objects.filter(body__runs__contains=[{"run": str(run_id)}]))


def _proof(certificate: Certificate | Supplement) -> dict[str, Any]:
    event = Event.objects.filter(id=certificate.event_id).first()
    if event is None:
        raise NoProofError("audit.certificate_end_missing", event=certificate.event_id)
    found = _included(certificate)
    return {
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
    }


def _included(certificate: Certificate | Supplement) -> InclusionProof:
    """Raises: NoProofError: the log is too short, or lacks the leaf or the checkpoint; MissingNodesError."""
    try:
        found = inclusion_proof(certificate.event_id, size=certificate.size)
    except SizeUnknownError as error:
        raise NoProofError(
            "audit.certificate_log_too_short", size=certificate.size, largest=error.data["largest"]
        ) from error
    except NotSealedError as error:
        raise NoProofError(
            "audit.certificate_leaf_missing", event=certificate.event_id, size=certificate.size
        ) from error
    if found.checkpoint is None:
        raise NoProofError("audit.certificate_checkpoint_missing", size=certificate.size)
    return found


def _core(event: Event) -> dict[str, str]:
    """The core of the event as it was committed to, and the salt.

    Raises: NoProofError: the content or its key is gone or damaged; KeyEncryptionKeyMissingError.
    """
    row = _sealed_core(event)
    keys = data_keys(event.tenant_id, [row.data_key_id])
    if row.data_key_id not in keys:
        # A key goes after the last that it sealed: it may have gone since the row was read, and the row before it.
        _sealed_core(event)
        raise NoProofError("audit.certificate_key_missing", key=row.data_key_id)
    key = keys[row.data_key_id]
    if key is None:
        raise NoProofError("audit.certificate_key_damaged", key=row.data_key_id)
    place = SealBinding(tenant_id=event.tenant_id, event_id=event.id, group=Group.CORE)
    try:
        salt, content = unsealed(bytes(row.ciphertext), place=place, key=key)
    except SealBrokenError as error:
        raise NoProofError("audit.certificate_content_damaged", event=event.id, problem=str(error)) from error
    return {"salt": base64.b64encode(salt).decode(), "content": content.decode()}


def _sealed_core(event: Event) -> Payload:
    """Raises: NoProofError: by its code, the log says why it is gone, or does not."""
    row: Payload | None = Payload.objects.filter(event_id=event.id, group=Group.CORE).first()
    if row is not None:
        return row
    index = Leaf.objects.filter(event_id=event.id).values("index")
    later = Leaf.objects.filter(index__gt=index[:1]).values("event_id")
    emptied = Event.objects.filter(action=LOG_EMPTIED, id__in=later).order_by("-id").first()
    if emptied is None:
        raise NoProofError("audit.certificate_content_missing", event=event.id)
    raise NoProofError("audit.certificate_end_emptied", by=emptied.id)
