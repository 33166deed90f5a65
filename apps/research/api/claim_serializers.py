"""What a check of a text takes, and what it gives back."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.utils import timezone
from rest_framework import serializers

from apps.research.claims.check import MAXIMUM_CHARS
from apps.research.claims.contracts import ClaimSort, Verdict
from apps.tenants.api.serializers import StrictSerializer

_MAXIMUM_SCOPES: Final = 100


class ClaimCheckRequest(StrictSerializer):
    text = serializers.CharField(
        max_length=MAXIMUM_CHARS, trim_whitespace=False, help_text="The text, in English or German."
    )
    company = serializers.CharField(
        max_length=200,
        allow_blank=True,
        default="",
        help_text="Of which the text is, for sentences that name no company.",
    )
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=127),
        max_length=_MAXIMUM_SCOPES,
        default=list,
        help_text="Keys of scopes to read, including everything below them. If empty or absent: all that you reach.",
    )
    as_of = serializers.DateTimeField(
        required=False,
        help_text="Read the document versions that were current at this time. The policy is the one in force now.",
    )

    def validate_as_of(self, as_of: datetime) -> datetime:
        if as_of > timezone.now():
            raise serializers.ValidationError("This time is in the future. Omit it for what is current now.")
        return as_of

    def asked(self) -> dict[str, Any]:
        """Return what check_text takes. Call is_valid before."""
        data = self.validated_data
        return {
            "text": data["text"],
            "company": data["company"],
            "scopes": tuple(data["scopes"]),
            "as_of": data.get("as_of"),
        }


class ClaimDocumentSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    title = serializers.CharField()


class ClaimSerializer(serializers.Serializer[Any]):
    sort = serializers.ChoiceField(choices=[each.value for each in ClaimSort])
    start = serializers.IntegerField(help_text="`text[start:end]` of what you sent.")
    end = serializers.IntegerField()
    text = serializers.CharField(help_text="The clause that makes the claim.")
    number_start = serializers.IntegerField(help_text="The place of its number; equal to `number_end` if it has none.")
    number_end = serializers.IntegerField()
    company = serializers.CharField(allow_blank=True)
    compared_with = serializers.CharField(allow_blank=True, help_text="The other company of a comparison.")
    concept = serializers.CharField(allow_blank=True, help_text="The measure's name in the vocabulary.")
    measure = serializers.CharField(allow_blank=True, help_text="What the text calls it.")
    part = serializers.CharField(allow_blank=True, help_text="A segment or region.")
    period = serializers.CharField(allow_blank=True)
    base_period = serializers.CharField(allow_blank=True, help_text="The period with which it is compared.")


class ClaimFactSerializer(serializers.Serializer[Any]):
    company = serializers.CharField()
    concept = serializers.CharField(allow_blank=True)
    row = serializers.CharField()
    column = serializers.CharField(allow_blank=True)
    period = serializers.CharField()
    value = serializers.CharField(help_text="In whole units, as a decimal.")
    printed = serializers.CharField(help_text="As the page prints it.")
    quote = serializers.CharField(allow_blank=True, help_text="Its row.")
    document = ClaimDocumentSerializer()
    page = serializers.IntegerField()
    url = serializers.CharField()


class ClaimPassageSerializer(serializers.Serializer[Any]):
    quote = serializers.CharField()
    same_words = serializers.FloatField(help_text="Which share of the claim's words it has.")
    document = ClaimDocumentSerializer()
    page = serializers.IntegerField()
    url = serializers.CharField()


class SearchedForClaimSerializer(serializers.Serializer[Any]):
    companies = serializers.ListField(child=serializers.CharField())
    concepts = serializers.ListField(child=serializers.CharField())
    periods = serializers.ListField(child=serializers.CharField())
    facts = serializers.IntegerField()
    passages = serializers.IntegerField()


class ClaimFindingSerializer(serializers.Serializer[Any]):
    claim = ClaimSerializer()
    verdict = serializers.ChoiceField(choices=[each.value for each in Verdict])
    reason = serializers.CharField()
    expression = serializers.CharField(allow_blank=True, help_text="The calculation over the facts.")
    facts = ClaimFactSerializer(many=True)
    passages = ClaimPassageSerializer(many=True)
    searched = SearchedForClaimSerializer()
    correct = serializers.CharField(allow_blank=True, help_text="What would stand in the number's place.")
    suggestion = serializers.CharField(allow_blank=True, help_text="The claim's clause with it.")
    intent = serializers.CharField(help_text="By which the policy decided what could be read for it.")


class ClaimReachSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    permitted = serializers.ListField(child=serializers.CharField())
    withheld = serializers.ListField(child=serializers.CharField())


class ClaimCheckSerializer(serializers.Serializer[Any]):
    verdicts = serializers.DictField(child=serializers.IntegerField(), help_text="How many claims got each verdict.")
    findings = ClaimFindingSerializer(many=True, help_text="In the order of the text.")
    intents = ClaimReachSerializer(many=True, help_text="Which kinds each intent may reach, and which not.")
    policy_version = serializers.IntegerField()
    tolerance = serializers.CharField(
        help_text=(
            "How far, as a share of the figure, a number that is rounded or hedged may lie from it and still be mostly "
            "accurate."
        )
    )
    audit_event_id = serializers.UUIDField()
