"""Quotes and packages of requests for access, as a client sees them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.privacy.access_packages.quotes import Quote, Thing
from apps.privacy.api.inventory_serializers import MOST_PLACES, ExcerptSerializer
from apps.privacy.api.request_serializers import LetteredSerializer, RevisedSerializer
from apps.privacy.codes.inventory import Quoting
from apps.tenants.api.serializers import StrictSerializer


class QuoteSerializer(serializers.Serializer[Quote]):
    hit_id = serializers.UUIDField(source="hit.id")
    page = serializers.IntegerField(source="hit.page", allow_null=True)
    part = serializers.CharField(source="hit.part", allow_blank=True)
    quoting = serializers.ChoiceField(choices=Quoting.choices, source="hit.quoting", allow_null=True)
    is_open = serializers.BooleanField(
        help_text="Somebody must decide whether the words are quoted, or review them again."
    )
    read = ExcerptSerializer(allow_null=True, help_text="The original words; null if they are gone.")
    shown = ExcerptSerializer(allow_null=True, help_text="The words as the package quotes them; null if it does not.")
    hidden = serializers.ListField(child=serializers.CharField(), help_text="Words about others that are hidden.")
    collides = serializers.BooleanField(
        help_text="A name that the package hides appears in the place itself, which is confirmed to name the person."
    )

    def to_representation(self, instance: Quote) -> dict[str, Any]:
        shown: dict[str, Any] = super().to_representation(instance)
        return {**shown, "quoting": shown["quoting"] or None}


class QuotedThingSerializer(serializers.Serializer[Thing]):
    store = serializers.CharField(help_text="Where it is, in words for people.")
    name = serializers.CharField()
    detail = serializers.CharField(allow_blank=True)
    quotes = QuoteSerializer(many=True)


class QuotesSerializer(serializers.Serializer[Any]):
    """All confirmed places in the scopes that the key opens."""

    things = QuotedThingSerializer(many=True)


class ChosenSerializer(StrictSerializer):
    hit_id = serializers.UUIDField()
    quoting = serializers.ChoiceField(choices=Quoting.choices, allow_null=True, help_text="null reopens it.")
    hidden = serializers.ListField(
        child=serializers.CharField(max_length=200),
        max_length=50,
        default=list,
        help_text="Words around the place that are about others (Article 15(4)).",
    )
    seen = serializers.ChoiceField(
        choices=Quoting.choices, allow_null=True, help_text="The value that you read; null if there was none."
    )


class ChoicesSerializer(StrictSerializer):
    choices = serializers.ListField(child=ChosenSerializer(), min_length=1, max_length=MOST_PLACES)


class PackageSerializer(serializers.Serializer[Any]):
    """made: whether there is one that you may see. Sizes, counts and times; what it says is taken out by itself."""

    made = serializers.BooleanField()
    problems = serializers.ListField(
        child=serializers.CharField(), help_text="What must be done before the package can be made."
    )
    places = serializers.IntegerField(allow_null=True)
    quoted = serializers.IntegerField(allow_null=True)
    hidden = serializers.IntegerField(allow_null=True, help_text="How many quotes have hidden words.")
    byte_size = serializers.IntegerField(allow_null=True)
    made_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True, help_text="When it is destroyed, with its key.")


def _told(help_text: str) -> serializers.CharField:
    said = f"{help_text} By default taken from the rules in force, in the language of the request."
    return serializers.CharField(max_length=4000, required=False, help_text=said)


class MakePackageSerializer(RevisedSerializer):
    """What the package says of the firm's documents; what is not given is filled in."""

    purposes = _told("What they are kept for.")
    legal_basis = _told("On which legal basis.")
    # Django REST Framework has an attribute of this name; its metaclass takes the field out of its way.
    source = _told("Where they come from.")  # type: ignore[assignment]
    retention = _told("How long they are kept.")


class AnswerSerializer(LetteredSerializer, RevisedSerializer):
    """The letter that goes out."""
