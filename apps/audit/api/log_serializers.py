"""Checkpoints and proofs, as a client sees them: hashes in hex."""

from __future__ import annotations

from typing import Any, Final

from rest_framework import serializers

from apps.audit.log.proofs import ConsistencyProof, InclusionProof
from apps.audit.models import Checkpoint
from apps.tenants.api.serializers import Field, StrictSerializer

_LARGEST: Final = 2**63 - 1
_PATH: Final = "SHA-256 hashes in hex, in the order in which the verification uses them."


class HexField(serializers.CharField):
    """Bytes as hexadecimal digits in lower case."""

    def to_representation(self, value: Any) -> str:
        return bytes(value).hex()


class CheckpointSerializer(serializers.Serializer[Checkpoint]):
    size = serializers.IntegerField(help_text="How many events it covers.")
    created_at = serializers.DateTimeField()
    note = serializers.CharField(
        help_text="A signed note (C2SP): origin, size, root in base64, an empty line, and the Ed25519 signature."
    )

    def get_fields(self) -> dict[str, Field]:
        root = HexField(help_text="The root of the Merkle tree over their leaves, in hex.")
        return {**super().get_fields(), "root": root}


class ProofQuerySerializer(StrictSerializer):
    size = serializers.IntegerField(
        min_value=1,
        max_value=_LARGEST,
        required=False,
        help_text="The size of the log; by default that of the newest checkpoint.",
    )


class ConsistencyQuerySerializer(StrictSerializer):
    first = serializers.IntegerField(min_value=1, max_value=_LARGEST, help_text="The smaller size, from 1.")
    second = serializers.IntegerField(min_value=1, max_value=_LARGEST, help_text="The larger size.")


class InclusionProofSerializer(serializers.Serializer[InclusionProof]):
    event_id = serializers.UUIDField()
    leaf = HexField(help_text="The hash of the event's header and commitments, in hex.")
    index = serializers.IntegerField(help_text="Its place, from 0.")
    size = serializers.IntegerField(help_text="The size of the log that the proof is about.")
    path = serializers.ListField(child=HexField(), help_text=_PATH)
    checkpoint = serializers.CharField(
        allow_null=True, help_text="The signed note of this size; null if none was signed."
    )

    def get_fields(self) -> dict[str, Field]:
        return {**super().get_fields(), "root": HexField(help_text="The root over the leaves of that size, in hex.")}


class ConsistencyProofSerializer(serializers.Serializer[ConsistencyProof]):
    first = serializers.IntegerField()
    second = serializers.IntegerField()
    first_root = HexField()
    second_root = HexField()
    path = serializers.ListField(child=HexField(), help_text=_PATH)
