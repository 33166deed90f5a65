"""What is to go says so in its answers and in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, ClassVar

import pytest
from django.test import RequestFactory
from django.urls import path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.deprecation import Deprecated
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from tests.api.client import openapi

LEAVES = Deprecated(since=date(2027, 1, 1), sunset=date(2027, 7, 1))


class _Parameters(StrictSerializer):
    old = serializers.CharField(required=False)
    new = serializers.CharField(required=False)


class _View(ApiView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": _Parameters}
    deprecated: ClassVar[Mapping[str, Deprecated]] = {"DELETE": LEAVES}
    deprecated_parameters: ClassVar[Mapping[str, Deprecated]] = {"old": Deprecated(since=date(2026, 12, 1))}

    @extend_schema(operation_id="get_thing", description="A thing.", parameters=[_Parameters], responses={200: None})
    def get(self, request: Request) -> Response:
        return Response({})

    @extend_schema(operation_id="delete_thing", description="No thing.", responses={204: None})
    def delete(self, request: Request) -> Response:
        return Response(status=204)


def answer(method: str, query: str = "") -> Any:
    return _View.as_view()(getattr(RequestFactory(), method)(f"/thing/{query}"))


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    generator: Any = SchemaGenerator(patterns=[path("api/v1/thing/", _View.as_view())])
    found: dict[str, Any] = generator.get_schema(request=None, public=True)["paths"]["/api/v1/thing/"]
    return found


def test_every_answer_of_an_operation_says_when_it_goes() -> None:
    told = answer("delete")
    assert (told.status_code, told["Deprecation"]) == (204, "@1798761600")
    assert told["Sunset"] == "Thu, 01 Jul 2027 00:00:00 GMT"
    assert told["Link"].endswith('/api/v1/changelog/>; rel="deprecation"; type="text/html"')


def test_a_refusal_says_so_too() -> None:
    told = answer("delete", "?unknown=1")
    assert (told.status_code, told["Deprecation"]) == (400, "@1798761600")


def test_a_parameter_says_so_where_it_was_sent() -> None:
    told = answer("get", "?old=x")
    assert (told["Deprecation"], "Sunset" in told) == ("@1796083200", False)
    for query in ("", "?new=x"):
        assert not {"Deprecation", "Sunset", "Link"} & set(answer("get", query).headers)


def test_the_document_says_so(described: dict[str, Any]) -> None:
    gone, kept = described["delete"], described["get"]
    assert (gone["deprecated"], "deprecated" in kept) == (True, False)
    assert gone["description"].startswith("**Deprecated since 2027-01-01, and will be removed on 2027-07-01")
    assert {"Deprecation", "Sunset", "Link", "X-Request-ID"} <= gone["responses"]["204"]["headers"].keys()
    assert {each["name"]: each.get("deprecated", False) for each in kept["parameters"]} == {"old": True, "new": False}


def test_nothing_goes_before_anybody_was_told() -> None:
    with pytest.raises(ValueError, match="2027-01-01"):
        Deprecated(since=date(2027, 1, 1), sunset=date(2026, 12, 31))


def test_what_is_deprecated_now_has_been_told_in_the_document() -> None:
    """No operation is, at present: one that becomes so is found here, and in the changelog."""
    told = [operation for operations in openapi()["paths"].values() for operation in operations.values()]
    assert [each["operationId"] for each in told if each.get("deprecated")] == []
