"""The proof of a submission: on the review page, on a page to print, and as the file that a verifier reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.intents.contracts import PolicySnapshot
from apps.intents.invariants import read_invariants
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.proof.invariants import invariant_words
from apps.intents.proof.rendering import Proof, proof_sha256
from apps.intents.proof.words import Names, Stated, names_of
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.proofs import KeptProof, kept_proof
from apps.intents.standing import by_time
from apps.tenants.admin.base import may, require
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofShown:
    """A proof as a page shows it.

    problem: why it can't be trusted; then nothing else of it is shown. outdated: what has changed since, in a sentence.
    first: the first statement, on what is newly permitted: the one to read if only one is read.
    invariants: the name of each, and what it demands. dropped: the name of each that stood in the version before and
        does not stand in this one as it was, what it demanded, and what it demands now, which may be nothing.
    """

    problem: str
    outdated: str
    sha256: str
    created_at: datetime
    before: int | None
    first: str
    refuted: tuple[Stated, ...]
    proven: tuple[Stated, ...]
    invariants: tuple[tuple[str, str], ...]
    dropped: tuple[tuple[str, str, str], ...]

    @property
    def total(self) -> int:
        return len(self.refuted) + len(self.proven)


def proof_shown(version: PolicyVersion) -> ProofShown | None:
    """Return the proof of a version's last submission, or None if it was never submitted."""
    kept = kept_proof(version)
    if kept is None:
        return None
    snapshot = version_snapshot(version)
    names = names_of(snapshot)
    before = kept.content.get("before", {}) if not kept.problem else {}
    return ProofShown(
        problem=kept.problem,
        outdated=_outdated(version, kept),
        sha256=kept.sha256,
        created_at=kept.created_at,
        before=before.get("version"),
        first=next((each.sentence for each in kept.stated), ""),
        refuted=tuple(each for each in kept.stated if not each.holds),
        proven=tuple(each for each in kept.stated if each.holds),
        invariants=tuple((each.name, invariant_words(each, names)) for each in snapshot.invariants),
        dropped=_dropped(before.get("content", {}), snapshot),
    )


def computed_proof(proof: Proof) -> ProofShown:
    """Return a proof that was computed now, of two policies that were compared."""
    return ProofShown(
        problem="",
        outdated="",
        sha256=proof_sha256(proof.text()),
        created_at=timezone.now(),
        before=proof.before.policy.number or None,
        first=next((each.sentence for each in proof.stated), ""),
        refuted=tuple(each for each in proof.stated if not each.holds),
        proven=tuple(each for each in proof.stated if each.holds),
        invariants=(),
        dropped=(),
    )


def _dropped(before: Mapping[str, Any], snapshot: PolicySnapshot) -> tuple[tuple[str, str, str], ...]:
    labels = {rule["name"]: rule["label"] for rule in before.get("intents", ())}
    kinds = {row["kind"]: row["name"] for row in before.get("budgets", ()) if row.get("name")}
    here = names_of(snapshot)
    names = Names(intents={**labels, **here.intents}, kinds={**kinds, **here.kinds})
    now = {each.name: invariant_words(each, names) for each in snapshot.invariants}
    return tuple(
        (each.name, invariant_words(each, names), now.get(each.name, ""))
        for each in read_invariants(before.get("invariants", ()))
        if each not in snapshot.invariants
    )


@require_safe
def proof_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Show the proof on a page of its own, with all statements, to be printed."""
    version = _version(request, version_id)
    proof = proof_shown(version)
    if proof is None:
        raise Http404("This version was never submitted, so it has no proof.")
    title = f"Proof of version {version.number}"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Policy versions", reverse("admin:intents_policyversion_changelist")), (title, "")],
        "version": version,
        "proof": proof,
        "sees_file": may(request, Permission.AUDIT_VIEW),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/proof.html", context, headers={"Cache-Control": "no-store"})


@require_safe
def proof_file_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Hand the proof out to the byte: its digest is that of the file, which says where which role is held."""
    require(request, Permission.AUDIT_VIEW)
    version = _version(request, version_id)
    kept = kept_proof(version)
    if kept is None:
        raise Http404("This version was never submitted, so it has no proof.")
    return HttpResponse(
        kept.text,
        content_type="application/json; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="policy-version-{version.number}-proof.json"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


def _version(request: HttpRequest, version_id: UUID) -> PolicyVersion:
    require(request, Permission.POLICY_VIEW)
    version: PolicyVersion | None = by_time(PolicyVersion.objects.filter(id=version_id)).first()
    if version is None:
        raise Http404("There is no policy version with this id that you may see.")
    return version


def _outdated(version: PolicyVersion, kept: KeptProof) -> str:
    """Return what a reviewer must know before they decide by a proof that is older than the policy in force."""
    if version.status != VersionStatus.IN_REVIEW or kept.problem:
        return ""
    in_force = policy_in_force()
    if kept.content["before"]["content_sha256"] == policy_sha256(in_force):
        return ""
    return (
        f"Version {in_force.number} has come into force since this was proven, against version "
        f"{kept.content['before']['version']}. Send the version back to have it proven against what is in force now."
    )
