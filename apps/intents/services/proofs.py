"""Prove what a change of policy lets through: of two named policies, and of each submission, where the proof is kept.

The digest of a kept proof stands in the events of its submission and approval. So a proof that is altered in the
database, together with its own digest, is still found to be another than the log names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.audit.services import record
from apps.intents.access.held import held_at
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import ProofAlteredError, ProofMissingError
from apps.intents.events import POLICY_PROVEN
from apps.intents.models import PolicyProof, PolicyVersion, VersionStatus
from apps.intents.proof.rendering import Proof, Side, is_decided_so, proof_sha256, prove, stated_of
from apps.intents.proof.words import Stated
from apps.intents.rendering import content_sha256, policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

_SUBMITTED = "intents.policy.submitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProof:
    """The proof of a submission. problem: why it is not the one that was recorded; empty if it is."""

    text: str
    sha256: str
    created_at: datetime
    content: dict[str, Any]
    problem: str

    @property
    def stated(self) -> tuple[Stated, ...]:
        """Return every theorem in words; none of a proof that can't be read."""
        return stated_of(self.content) if self.content and not self.problem else ()


def policy_prove(
    before: PolicySnapshot,
    after: PolicySnapshot,
    *,
    at_before: datetime | None = None,
    at_after: datetime | None = None,
) -> Proof:
    """Prove what a change lets through, with who may ask where at both instants, by default now.

    Costs: four queries an instant, and as many more as in held_at.
    """
    now = timezone.now()
    instants = at_before or now, at_after or now
    held = {instant: held_at(instant) for instant in set(instants)}
    return prove(
        Side(policy=before, held=held[instants[0]], at=instants[0]),
        Side(policy=after, held=held[instants[1]], at=instants[1]),
    )


def proof_hand_out(
    before: PolicySnapshot,
    after: PolicySnapshot,
    *,
    form: str,
    at_before: datetime | None = None,
    at_after: datetime | None = None,
) -> Proof:
    """Prove what a change lets through, as policy_prove does, for somebody who takes it away; the log names its digest.

    Args:   form: how it is handed out, for the record.
    Raises: PermissionDeniedError: the principal may not read the audit log: the file says where which role is held.
    """
    current_scope().principal.require(Permission.AUDIT_VIEW)
    proof = policy_prove(before, after, at_before=at_before, at_after=at_after)
    times = {"since": proof.before.at, "until": proof.after.at}
    record(
        action=POLICY_PROVEN,
        core={
            "number": after.number or None,
            "before_sha256": policy_sha256(before),
            "content_sha256": policy_sha256(after),
            "proof_sha256": proof_sha256(proof.text()),
            **{name: at.isoformat() if at else None for name, at in times.items()},
            "format": form,
        },
    )
    return proof


def proof_store(version: PolicyVersion, in_force: PolicySnapshot | None = None) -> str:
    """Prove what a version that is being submitted would change of the policy in force, keep it, return its digest.

    Args: in_force: what the submission was checked against; the database refuses another than is in force by then.
    """
    text = policy_prove(in_force or policy_in_force(), version_snapshot(version)).text()
    digest = proof_sha256(text)
    PolicyProof.objects.create(
        tenant_id=version.tenant_id, version=version, revision=version.revision, text=text, sha256=digest
    )
    return digest


def kept_proof(version: PolicyVersion) -> KeptProof | None:
    """Return the proof of a version's last submission, compared with its digest, the log and the version's content.

    In review its theorems are decided anew.

    Costs: four queries, and one more for a data key that this process has not used lately.
    """
    row: PolicyProof | None = version.proofs.order_by("-revision").first()
    if row is None:
        return None
    try:
        content = json.loads(row.text)
    except ValueError:
        content = {}
    return KeptProof(
        text=row.text,
        sha256=row.sha256,
        created_at=row.created_at,
        content=content if isinstance(content, dict) else {},
        problem=_problem(version, row, content),
    )


def require_proof(version: PolicyVersion) -> str:
    """Return the digest of a version's proof. Raises ProofMissingError, ProofAlteredError."""
    kept = kept_proof(version)
    if kept is None:
        raise ProofMissingError(number=version.number)
    if kept.problem:
        raise ProofAlteredError(number=version.number, problem=kept.problem)
    return kept.sha256


def _problem(version: PolicyVersion, row: PolicyProof, content: Any) -> str:
    if proof_sha256(row.text) != row.sha256:
        return "its text does not have its digest"
    if _recorded(version) != row.sha256:
        return "the audit log names another digest for this submission"
    after = content.get("after", {}) if isinstance(content, dict) else {}
    if after.get("content_sha256") != policy_sha256(version_snapshot(version)):
        return "it is about another content than the version has"
    return _not_so(content) if version.status == VersionStatus.IN_REVIEW else ""


def _not_so(content: Any) -> str:
    """Return what a proof that is to be decided on says wrongly. Its author wrote it, and may have done so by hand."""
    try:
        before, after = content["before"], content["after"]
        earlier = policy_sha256(version_snapshot(PolicyVersion.objects.get(id=before["version_id"])))
        has = content_sha256(before["content"]), content_sha256(after["content"])
        if has != (earlier, after["content_sha256"]) or has[0] != before["content_sha256"]:
            return "it has another content than the version that it is about"
        return "" if is_decided_so(content) else "it says something else than follows from the contents in it"
    except (KeyError, TypeError, ValueError, ValidationError, PolicyVersion.DoesNotExist):
        return "it can't be read"


def _recorded(version: PolicyVersion) -> str:
    """Return the digest that the event of the last submission names; empty if there is none to be read."""
    events = Event.objects.filter(action=_SUBMITTED, subject_id=version.id).order_by("-occurred_at", "-id")
    event = events.first()
    if event is None:
        return ""
    core = readings_of([event], groups=[Group.CORE])[event.id].payload.get(Group.CORE, {})
    return str(core.get("proof_sha256", ""))
