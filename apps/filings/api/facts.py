"""Facts: list them, export them, and read a series of one concept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.filings.api.filters import FactFilter
from apps.filings.api.serializers import FactSerializer, SeriesAnswerSerializer, SeriesQuery
from apps.filings.errors import UnknownConceptError
from apps.filings.models import Fact
from apps.filings.selectors import companies_named, current_facts, read_series
from apps.filings.vocabulary.concepts import find_by_name
from apps.tenants.api.examples import sample
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.roles import Permission

_VIEW: Mapping[str, Permission | None] = {"GET": Permission.DOCUMENT_VIEW}


class FactListView(ApiListView[Fact]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    queryset = Fact._base_manager.none()
    serializer_class = FactSerializer
    filterset_class = FactFilter
    ordering = ("document_id", "number", "id")

    def get_queryset(self) -> QuerySet[Fact]:
        facts: QuerySet[Fact] = Fact.objects.all() if "document" in self.request.query_params else current_facts()
        return facts.select_related("document")

    @extend_schema(
        operation_id="list_facts",
        tags=["Facts"],
        summary="List facts",
        description=(
            "Returns the figures that were read from the tables and the inline XBRL of documents in your scopes, each "
            "with its row, column, period and place: `text[cell_start:cell_end]` of its page is `printed`. A fact "
            "whose `check_result` is `failed` belongs to a sum that does not hold; `check_detail` says which."
        ),
        extensions=sample(
            'curl "{base}/api/v1/facts/?concept=revenue&fiscal_quarter=0" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class SeriesView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = _VIEW
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": SeriesQuery}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {UnknownConceptError: "concept"}

    @extend_schema(
        operation_id="get_series",
        tags=["Facts"],
        summary="Read a series",
        description=(
            "Returns one concept of one company over its periods, earliest first. The value of a period is that of its "
            "own report. A later report that gives the same value is a further source; one that gives another value is "
            "a restatement and stands beside it. The list is empty if no document in your scopes gives the concept."
        ),
        responses=SeriesAnswerSerializer,
        extensions=sample(
            'curl "{base}/api/v1/series/?company=Example+AG&concept=revenue" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request) -> Response:
        asked = self.asked()
        concept = find_by_name(asked["concept"])
        if concept is None:
            raise UnknownConceptError(concept=asked["concept"])
        found = [
            series
            for company in companies_named(asked["company"])
            for series in read_series(
                company, concept.name, dimension=asked["dimension"], quarters=asked["quarters"] == "true"
            )
        ]
        return Response(SeriesAnswerSerializer({"series": found}).data)
