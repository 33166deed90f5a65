"""How entities are written for API clients."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.filings.graph.contracts import LONGEST_KEY, LONGEST_NAME, EntityType, RelationType
from apps.filings.selectors.entities import (
    MOST_ENTITIES,
    Beside,
    DocumentMentions,
    Entity,
    PagePlace,
    RelatedEnd,
    StatedRelation,
)
from apps.tenants.api.serializers import StrictSerializer


class EntitiesQuery(StrictSerializer):
    """What entities are searched by."""

    name = serializers.CharField(
        max_length=LONGEST_NAME, help_text="How its name begins; case and an organisation's legal form do not matter."
    )
    type = serializers.ChoiceField(choices=EntityType.choices, required=False)
    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_ENTITIES, required=False, default=50, help_text="At most so many."
    )


class EntityQuery(StrictSerializer):
    """What an entity is read with."""

    def get_fields(self) -> dict[str, Any]:
        # "with" is a word of Python's, so that no attribute can have this name.
        with_ = serializers.CharField(
            max_length=LONGEST_KEY, required=False, default="", help_text="The key of another entity."
        )
        return {**super().get_fields(), "with": with_}


class EntitySerializer(serializers.Serializer[Entity]):
    """An entity, as your scopes know it."""

    key = serializers.CharField()
    type = serializers.ChoiceField(choices=EntityType.choices)
    name = serializers.CharField(help_text="The name that documents use most.")
    documents = serializers.IntegerField(help_text="How many documents in force name it.")
    mentions = serializers.IntegerField(help_text="How often they do.")
    first_year = serializers.IntegerField(allow_null=True, help_text="The fiscal years of these documents.")
    last_year = serializers.IntegerField(allow_null=True)


class EntitiesSerializer(serializers.Serializer[Any]):
    results = EntitySerializer(many=True)


class PagePlaceSerializer(serializers.Serializer[PagePlace]):
    """The page's text from start to end names it."""

    page = serializers.IntegerField()
    start = serializers.IntegerField(help_text="Where it begins on its page, in Unicode code points from 0.")
    end = serializers.IntegerField()


class DocumentMentionsSerializer(serializers.Serializer[DocumentMentions]):
    """Where a document names the entity."""

    document_id = serializers.UUIDField()
    title = serializers.CharField()
    company = serializers.CharField()
    fiscal_year = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(help_text="The name that the document uses most.")
    times = serializers.IntegerField()
    pages = PagePlaceSerializer(many=True, help_text="The first fifty pages that name it.")


class RelatedEndSerializer(serializers.Serializer[RelatedEnd]):
    type = serializers.ChoiceField(choices=EntityType.choices)
    key = serializers.CharField()
    name = serializers.CharField()


class StatedRelationSerializer(serializers.Serializer[StatedRelation]):
    """What a sentence states."""

    relation = serializers.ChoiceField(choices=RelationType.choices)
    subject = RelatedEndSerializer()
    object = RelatedEndSerializer()
    sentence = serializers.CharField(help_text="The page's text from start to end, on one line.")
    document_id = serializers.UUIDField()
    title = serializers.CharField()
    fiscal_year = serializers.IntegerField(allow_null=True)
    page = serializers.IntegerField()
    start = serializers.IntegerField(help_text="Where it begins on its page, in Unicode code points from 0.")
    end = serializers.IntegerField()
    hops = serializers.IntegerField(help_text="1 if it is of an entity asked for, 2 if of a neighbour of one.")


class BesideSerializer(serializers.Serializer[Beside]):
    """Another entity that is named on the same pages."""

    key = serializers.CharField()
    type = serializers.ChoiceField(choices=EntityType.choices)
    name = serializers.CharField()
    documents = serializers.IntegerField(help_text="In how many documents both stand on one page.")
    pages = serializers.IntegerField(help_text="On how many pages.")


class EntityWholeSerializer(serializers.Serializer[Any]):
    """Everything about an entity."""

    entity = EntitySerializer()
    mentions = DocumentMentionsSerializer(many=True)
    relations = StatedRelationSerializer(many=True)
    beside = BesideSerializer(many=True)
