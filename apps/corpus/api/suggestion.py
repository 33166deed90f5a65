"""The kinds that fit a file, before it is uploaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.services.ingest.suggest import kind_suggest
from apps.tenants.api.examples import sample
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission

_BEGINNING_CHARS = 65_536


class FileSignsSerializer(StrictSerializer):
    filename = serializers.CharField(max_length=255, help_text="The file's name, such as credit-policy.md.")
    beginning = serializers.CharField(
        max_length=_BEGINNING_CHARS,
        required=False,
        allow_blank=True,
        help_text="The first text of the file. Without it, only the name is looked at.",
    )


class KindSuggestionSerializer(serializers.Serializer[None]):
    kind = serializers.CharField(help_text="The key of the kind, as an upload takes it.")
    name = serializers.CharField(help_text="The firm's name of the kind.")
    score = serializers.FloatField(help_text="0 to 1; compare it within one answer only.")
    why = serializers.ListField(child=serializers.CharField(), help_text="What speaks for it, in words.")


class KindSuggestionsSerializer(serializers.Serializer[None]):
    suggestions = KindSuggestionSerializer(many=True, help_text="Best first, at most three; empty if none fits.")


class SuggestKindView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.DOCUMENT_ADD}

    @extend_schema(
        operation_id="suggest_kind",
        tags=["Documents"],
        summary="Suggest the kind of a file",
        description=(
            "Returns the kinds of the policy in force that fit a file, among those that you may upload: by its name, "
            "its form and its first words, compared with the name, examples and description of each kind. No model is "
            "asked, the same file gets the same answer, and nothing is stored. An upload still has to name its kind."
        ),
        request=FileSignsSerializer,
        responses=KindSuggestionsSerializer,
        extensions=sample(
            'curl "{base}/api/v1/documents/suggest-kind/" -H "Authorization: Bearer $GLASSBOX_KEY" '
            '-H "Content-Type: application/json" \\\n  -d \'{"filename": "fund-profile.md", "beginning": "# Fees"}\''
        ),
    )
    def post(self, request: Request) -> Response:
        form = FileSignsSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        found = kind_suggest(filename=said["filename"], content=said.get("beginning", "").encode())
        return Response(
            {
                "suggestions": [
                    {"kind": each.kind.value, "name": each.name, "score": each.score, "why": list(each.why)}
                    for each in found
                ]
            }
        )
