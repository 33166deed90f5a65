"""The proof of what a policy version lets through: as it was kept at its submission, or computed now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.api.version_readings import AgainstSerializer, compared, instant_against, past_instant
from apps.intents.api.versions import visible_version
from apps.intents.errors import ProofAlteredError
from apps.intents.proof.contracts import Theorem
from apps.intents.proof.rendering import proof_sha256
from apps.intents.proof.words import Stated
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.proofs import kept_proof, proof_hand_out
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import StrictSerializer, choices_of
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission


class ProofQuestionSerializer(AgainstSerializer):
    on = serializers.CharField(
        required=False,
        max_length=40,
        help_text=(
            "A date or an instant at which this version was in force: who could ask where then counts for it, in place "
            "of now. With a date as `against`, the proof is of two dates."
        ),
    )

    def validate_on(self, on: str) -> str:
        past_instant(on)
        return on


class ProvenSerializer(serializers.Serializer[Any]):
    theorem = serializers.ChoiceField(choices=choices_of(Theorem))
    holds = serializers.BooleanField()
    count = serializers.IntegerField(help_text="How many counterexamples there are; all of them are in the file.")
    sentence = serializers.CharField(help_text="The statement, with the first counterexamples.")


class ProofSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    version_id = serializers.UUIDField()
    kept = serializers.BooleanField(help_text="Whether it is the proof of the submission; else it was computed now.")
    sha256 = serializers.CharField(help_text="Of the file. For a kept proof, the audit log names the same.")
    theorems = ProvenSerializer(many=True)
    file = serializers.CharField(help_text="The proof as one file: canonical JSON, with all that it was computed from.")


class PolicyVersionProofView(ApiView):
    # The file says which roles are held in which scopes.
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": ProofQuestionSerializer}

    @extend_schema(
        operation_id="get_policy_version_proof",
        tags=["Policy"],
        summary="Prove what a version lets through",
        description=(
            "Returns a closed list of statements about the change, each true or refuted by all of its "
            "counterexamples. Without `against` and `on`, it is the proof that was kept when the version was last "
            "submitted; a version that never was is compared with the one in force now. A proof that is computed is "
            "recorded with its digest, so that the log vouches for it as for a kept one."
        ),
        parameters=[ProofQuestionSerializer],
        responses=ProofSerializer,
        extensions={
            **sample(
                'curl "{base}/api/v1/policy/versions/$VERSION_ID/proof/" -H "Authorization: Bearer $GLASSBOX_KEY"'
            ),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        version = visible_version(id)
        against, on = (self.asked().get(name, "") for name in ("against", "on"))
        kept = None if against or on else kept_proof(version)
        if kept is not None:
            if kept.problem:
                raise ProofAlteredError(number=version.number, problem=kept.problem)
            return _answer(version.number, version.id, kept.text, kept.stated, kept=True)
        at = past_instant(on) if on else None
        before, after = compared(against or "active"), version_snapshot(version)
        if at is not None and policy_in_force(at).version_id != version.id:
            raise serializers.ValidationError({"on": [f"Version {version.number} was not in force then."]})
        proof = proof_hand_out(before, after, form="json", at_before=instant_against(against), at_after=at)
        return _answer(version.number, version.id, proof.text(), proof.stated, kept=False)


def _answer(number: int, version_id: UUID, text: str, stated: Iterable[Stated], *, kept: bool) -> Response:
    return Response(
        {
            "version": number,
            "version_id": str(version_id),
            "kept": kept,
            "sha256": proof_sha256(text),
            "theorems": [
                {"theorem": each.theorem, "holds": each.holds, "count": each.count, "sentence": each.sentence}
                for each in stated
            ],
            "file": text,
        }
    )
