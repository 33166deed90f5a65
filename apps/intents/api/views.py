"""The policy in force, now or on a date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils.timezone import now
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.corpus.kinds import RetentionClass, SourceType
from apps.intents.contracts import RecordingMode
from apps.intents.errors import NoPolicyInForceError
from apps.intents.invariants import InvariantMode
from apps.intents.models import VersionOrigin, VersionStatus
from apps.intents.profile.contracts import InAnswer, InQuestion, RuleSort
from apps.intents.rendering import policy_json
from apps.intents.reviewers import TwoFor
from apps.intents.selectors import policy_in_force
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import LabelledSerializer, StrictSerializer, choices_of
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission, Role


class FallbackSerializer(LabelledSerializer):
    description = serializers.CharField()
    kinds = serializers.ListField(child=serializers.CharField())
    recording_mode = serializers.ChoiceField(choices=choices_of(RecordingMode))
    examples = serializers.ListField(child=serializers.CharField())


class IntentSerializer(FallbackSerializer):
    name = serializers.CharField()
    decisive_terms = serializers.ListField(child=serializers.CharField())
    terms = serializers.ListField(child=serializers.CharField())


class BudgetSerializer(LabelledSerializer):
    kind = serializers.CharField(help_text="The key.")
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    examples = serializers.ListField(child=serializers.CharField())
    cap_chars = serializers.IntegerField()
    retention_class = serializers.ChoiceField(choices=RetentionClass.choices)
    source_category = serializers.ChoiceField(choices=SourceType.choices)
    uploaders = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices), help_text="Empty for all that may add documents."
    )
    correctors = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices),
        required=False,
        help_text="Absent where those correct it who upload it.",
    )
    removers = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices),
        required=False,
        help_text="Absent where all may propose the removal whose role may.",
    )
    retired = serializers.BooleanField(help_text="true: nothing more is uploaded as such.")


class InvariantSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    mode = serializers.ChoiceField(choices=choices_of(InvariantMode))
    roles = serializers.ListField(child=serializers.CharField(), help_text="Empty for all.")
    intents = serializers.ListField(child=serializers.CharField(), help_text="Empty for all.")
    kinds = serializers.ListField(child=serializers.CharField())


class ProfileRuleSerializer(serializers.Serializer[Any]):
    """A rule of the compliance profile."""

    key = serializers.CharField()
    sort = serializers.ChoiceField(choices=choices_of(RuleSort))
    name = serializers.CharField()
    terms = serializers.ListField(
        child=serializers.CharField(), help_text="Words and phrases; of a bound, the permitted values."
    )
    intents = serializers.ListField(
        child=serializers.CharField(), help_text="Of a disclaimer or a bound; empty for all."
    )
    text = serializers.CharField(help_text="The reason that users read, or the disclaimer.")
    in_question = serializers.ChoiceField(choices=choices_of(InQuestion))
    in_answer = serializers.ChoiceField(choices=choices_of(InAnswer))


class PolicySerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    version_id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=VersionStatus.choices)
    origin = serializers.ChoiceField(choices=VersionOrigin.choices)
    author = serializers.CharField()
    approver = serializers.CharField(help_text="Empty for the shipped baseline.")
    reason = serializers.CharField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True, help_text="null while it is in force.")
    content_sha256 = serializers.CharField(help_text="Equal for policies with the same content.")
    intents = IntentSerializer(many=True)
    fallback = FallbackSerializer(help_text="What an unrecognised question may reach.")
    budgets = BudgetSerializer(many=True, help_text="Highest priority first.")
    total_cap_chars = serializers.IntegerField()
    classifier = serializers.DictField(child=serializers.FloatField(), help_text="The classifier's thresholds.")
    retrieval = serializers.DictField(child=serializers.JSONField(), help_text="Settings that change what is found.")
    invariants = InvariantSerializer(
        many=True, required=False, help_text="What no version may let through; absent where there are none."
    )
    profile = ProfileRuleSerializer(
        many=True, required=False, help_text="The compliance profile; absent where it has no rule."
    )
    two_reviewers_for = serializers.ListField(
        child=serializers.ChoiceField(choices=choices_of(TwoFor)),
        required=False,
        help_text="Which changes of this version take two reviewers; absent where one always suffices.",
    )


class MomentSerializer(StrictSerializer):
    at = serializers.DateTimeField(required=False, help_text="A time in the past.")

    def validate_at(self, at: Any) -> Any:
        if at > now():
            raise serializers.ValidationError("It is not known which policy will be in force then.")
        return at


class PolicyView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.POLICY_VIEW}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": MomentSerializer}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {NoPolicyInForceError: "at"}

    @extend_schema(
        operation_id="get_policy_in_force",
        tags=["Policy"],
        summary="Show the policy in force",
        description=(
            "Returns which kinds of document each intent may reach, with how many characters, and who approved that. "
            "With `at`, returns the policy that was in force then."
        ),
        parameters=[MomentSerializer],
        responses=PolicySerializer,
        extensions={
            **sample('curl "{base}/api/v1/policy/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    def get(self, request: Request) -> Response:
        return Response(policy_json(policy_in_force(self.asked().get("at"))))
