"""Entities: search for them, and read all that documents say of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.filings.api.entity_serializers import EntitiesQuery, EntitiesSerializer, EntityQuery, EntityWholeSerializer
from apps.filings.errors import EntityNotFoundError
from apps.filings.graph.contracts import EntityType
from apps.filings.selectors.entities import (
    beside,
    entity_of_key,
    find_entities,
    find_of_all_types,
    mentions_of_entity,
    relations_of,
)
from apps.tenants.api.examples import sample
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission

_VIEW: Mapping[str, Permission | None] = {"GET": Permission.DOCUMENT_VIEW}


class EntityListView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": EntitiesQuery}

    @extend_schema(
        operation_id="list_entities",
        tags=["Entities"],
        summary="Search for entities",
        description=(
            "Returns the organisations, people, places, regulations and other entities that documents in force in your "
            "scopes name, whose names begin with `name`, those in most documents first. `key` is the entity's address. "
            "Documents that were read before entities were, have none until they are read again."
        ),
        responses=EntitiesSerializer,
        extensions=sample('curl "{base}/api/v1/entities/?name=Bafin" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request) -> Response:
        asked = self.asked()
        name, most = asked["name"], asked["limit"]
        found = (
            find_entities(name, EntityType(asked["type"]), most=most)
            if asked.get("type")
            else find_of_all_types(name, most=most)
        )
        return Response(EntitiesSerializer({"results": found}).data)


class EntityView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": EntityQuery}

    @extend_schema(
        operation_id="get_entity",
        tags=["Entities"],
        summary="Read an entity",
        description=(
            "Returns everything about an entity that documents in force in your scopes say: where they name it, by "
            "document and year; the relations that a sentence states, each with the sentence and its page; and what is "
            "named on the same pages, with the number of documents that they share. With `with`, relations of two "
            "steps are among them, so that a way from one entity to the other shows."
        ),
        parameters=[OpenApiParameter("key", OpenApiTypes.STR, OpenApiParameter.PATH, description="The entity's key.")],
        responses=EntityWholeSerializer,
        extensions=sample('curl "{base}/api/v1/entities/$ENTITY_KEY/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request, *, key: str) -> Response:
        entity = entity_of_key(key)
        if entity is None:
            raise EntityNotFoundError
        other = self.asked()["with"]
        whole: dict[str, Any] = {
            "entity": entity,
            "mentions": mentions_of_entity(key),
            "relations": relations_of([key, other] if other and other != key else [key]),
            "beside": beside(key),
        }
        return Response(EntityWholeSerializer(whole).data)
