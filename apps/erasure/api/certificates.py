"""Certificates of erasures: the list, and one as the file that can be checked without us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.erasure.certificate.document import document_of
from apps.erasure.certificate.selectors import certificate_of
from apps.erasure.models import Certificate
from apps.erasure.models.removal import RemovalOrigin
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

# Who manages or approves privacy may view the log too.
_VIEW: Final[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'


class CertificateSerializer(serializers.Serializer[Certificate]):
    id = serializers.UUIDField()
    number = serializers.IntegerField(help_text="Counted within the tenant, from 1.")
    origin = serializers.ChoiceField(choices=RemovalOrigin.choices, help_text="The reason for the erasure.")
    origin_id = serializers.UUIDField()
    run_id = serializers.UUIDField(help_text="The removal run.")
    outcome = serializers.ChoiceField(
        choices=("completed", "partially_completed"),
        help_text="partially_completed: something must be kept, for the reasons given.",
    )
    issued_at = serializers.DateTimeField()


class CertificateProofSerializer(serializers.Serializer[Any]):
    checkpoint = serializers.CharField(help_text="The log's signed checkpoint that the certificate names.")
    path = serializers.ListField(child=serializers.CharField(), help_text="From the leaf to the root, base64.")
    header = serializers.DictField(
        help_text="For the event that ended the run: the data from which its leaf is computed."
    )
    commitments = serializers.DictField(child=serializers.CharField(), help_text="In hex, by part of the event.")
    core = serializers.DictField(
        child=serializers.CharField(), help_text="The content of the event, and the salt that opens its commitment."
    )


class CertificateFileSerializer(serializers.Serializer[Any]):
    certificate = serializers.DictField(help_text="What is certified: ids, counts, codes, digests and times.")
    note = serializers.CharField(help_text="Its signature: a signed note over the SHA-256 of its canonical JSON.")
    targets = serializers.ListField(
        child=serializers.CharField(),
        help_text="A hash of each item to be removed; the manifest is their Merkle root. Empty above 20,000 items.",
    )
    proof = CertificateProofSerializer(help_text="Proof that the log says so.")
    restored = serializers.ListField(
        child=serializers.DictField(),
        help_text="What was signed after restores that concern this erasure, newest first, in the same form: whether "
        "the data was proved gone again.",
    )


class CertificateListView(ApiListView[Certificate]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    serializer_class = CertificateSerializer
    ordering = ("-number",)

    def get_queryset(self) -> QuerySet[Certificate]:
        certificates: QuerySet[Certificate] = Certificate.objects.all()
        return certificates

    @extend_schema(
        operation_id="list_erasure_certificates",
        tags=["Privacy"],
        summary="List certificates of erasures",
        description="Newest first. Glassbox issues one about a minute after an erasure request is complete.",
        extensions=sample(f'curl "{{base}}/api/v1/privacy/certificates/" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class CertificateView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW

    @extend_schema(
        operation_id="get_erasure_certificate",
        tags=["Privacy"],
        summary="Show a certificate of an erasure",
        description=(
            "Returns a file that can be checked without this installation: `python verify_certificate.py FILE --key "
            "KEY`, with the program that `manage.py erasure certificate-verifier` prints. It holds no personal data."
        ),
        responses=CertificateFileSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/privacy/certificates/$CERTIFICATE_ID/" {_KEY}'),
            PROBLEMS_EXTENSION: ["NotFound", "Gone"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(document_of(certificate_of(id)))
