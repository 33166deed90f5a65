"""The inventory of a request for erasure, as a client sees it: places without words, unless they are asked for."""

from __future__ import annotations

from typing import Any, Final

from rest_framework import serializers

from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, InventoryState, Treatment
from apps.privacy.models import Inventory, InventoryHit, InventoryTreatment
from apps.tenants.api.serializers import StrictSerializer

# More than a body can hold.
MOST_PLACES: Final = 10_000


class StandingSerializer(serializers.Serializer[Any]):
    total = serializers.IntegerField()
    open = serializers.IntegerField()
    confirmed = serializers.IntegerField()
    cleared = serializers.IntegerField()
    beyond = serializers.IntegerField(help_text="How many of all places are in scopes that you don't hold.")
    beyond_open = serializers.IntegerField()
    carried = serializers.IntegerField(
        help_text="How many of the cleared places had their decision carried over from an earlier version."
    )
    set_aside = serializers.IntegerField(
        help_text="Open places of an old version that is removed as a whole, because its redacted version exists. "
        "The other numbers exclude them. They need no decision: anything left in the redacted version is "
        "found and decided on there."
    )


class StoreCountSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    certain = serializers.IntegerField()
    uncertain = serializers.IntegerField()


class UnsearchedSerializer(serializers.Serializer[Any]):
    because = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField(), help_text="Names as in the classification.")


class SearchSerializer(serializers.Serializer[Inventory]):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=InventoryState.choices)
    done = serializers.IntegerField(help_text="Texts searched so far.")
    total = serializers.IntegerField()
    unreadable = serializers.IntegerField(help_text="Texts that could not be read.")
    unread_files = serializers.ListField(
        child=serializers.UUIDField(), help_text="Documents whose file could not be unpacked, or not completely."
    )
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    error_code = serializers.CharField(allow_blank=True)


class TreatmentSerializer(serializers.Serializer[InventoryTreatment]):
    document_id = serializers.UUIDField()
    treatment = serializers.ChoiceField(choices=Treatment.choices)
    redacted_id = serializers.UUIDField(allow_null=True, help_text="The redacted version, once it is being made.")
    error_code = serializers.CharField(allow_blank=True)


class InventorySerializer(serializers.Serializer[Any]):
    search = SearchSerializer(allow_null=True, help_text="The newest search; null before the first.")
    standing = StandingSerializer(allow_null=True, help_text="null before a search has ended.")
    stores = StoreCountSerializer(many=True)
    unsearched = UnsearchedSerializer(
        many=True, help_text="Data that may concern the person but was not searched, by reason."
    )
    treatments = TreatmentSerializer(many=True)
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="What must be done before it can be proposed; empty when it can."
    )


class ExcerptSerializer(serializers.Serializer[Any]):
    before = serializers.CharField()
    found = serializers.CharField()
    after = serializers.CharField()


class HitSerializer(serializers.Serializer[InventoryHit]):
    id = serializers.UUIDField()
    store = serializers.CharField()
    item_id = serializers.UUIDField()
    part = serializers.CharField(allow_blank=True)
    page = serializers.IntegerField(allow_null=True)
    target_type = serializers.CharField(allow_blank=True, help_text="Empty for data that is changed by hand.")
    target_id = serializers.UUIDField(allow_null=True)
    target_part = serializers.CharField(allow_blank=True)
    char_start = serializers.IntegerField()
    char_end = serializers.IntegerField()
    how = serializers.CharField()
    matched = serializers.CharField()
    confidence = serializers.FloatField()
    is_certain = serializers.BooleanField()
    decision = serializers.ChoiceField(choices=Decision.choices)
    reason = serializers.ChoiceField(choices=Reason.choices, allow_null=True, help_text="null while it is open.")
    decided_by_id = serializers.UUIDField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    carried_from_id = serializers.UUIDField(
        allow_null=True,
        help_text="The place in an earlier version of the document whose decision also applies to this one.",
    )
    excerpt = serializers.SerializerMethodField(
        help_text="Only if you manage privacy and the text still exists; otherwise null."
    )

    def to_representation(self, instance: InventoryHit) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        return {**shown, "reason": shown["reason"] or None}

    def get_excerpt(self, hit: InventoryHit) -> dict[str, str] | None:
        excerpts = self.context.get("excerpts")
        found = None if excerpts is None else excerpts.of(hit)
        return None if found is None else dict(ExcerptSerializer(found).data)


class SaidSerializer(StrictSerializer):
    hit_id = serializers.UUIDField()
    reason = serializers.ChoiceField(
        choices=Reason.choices,
        allow_null=True,
        help_text="The reason decides whether it is the person; null reopens the place.",
    )
    words = serializers.CharField(max_length=500, required=False, default="", allow_blank=True)
    seen = serializers.ChoiceField(choices=Decision.choices, help_text="The decision that you read.")


class DecisionsSerializer(StrictSerializer):
    decisions = serializers.ListField(child=SaidSerializer(), min_length=1, max_length=MOST_PLACES)


class DecidedSerializer(serializers.Serializer[Any]):
    changed = serializers.IntegerField()


class TreatSerializer(StrictSerializer):
    document_id = serializers.UUIDField()
    treatment = serializers.ChoiceField(choices=Treatment.choices)
    seen = serializers.ChoiceField(
        choices=Treatment.choices, allow_null=True, help_text="The choice that you read; null if there was none."
    )


class PreparedSerializer(serializers.Serializer[Any]):
    making = serializers.IntegerField(help_text="How many redacted versions are being made.")
