"""What is held about me, for a program that works in my name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.privacy.my_data.contracts import Format
from apps.privacy.my_data.services import my_data_export, my_package
from apps.tenants.api.examples import sample
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission


class AboutMyDataSerializer(serializers.Serializer[None]):
    title = serializers.CharField()
    person = serializers.CharField(help_text="Your user name.")
    person_id = serializers.UUIDField()
    firm = serializers.CharField()
    region = serializers.CharField()
    until = serializers.DateTimeField(help_text="Later data is not in it.")
    law = serializers.CharField()
    not_reached = serializers.CharField(
        allow_blank=True, help_text="How many events about you are missing, and why; empty if none is missing."
    )


class RecipientSerializer(serializers.Serializer[None]):
    who = serializers.CharField()
    which = serializers.CharField()
    gets = serializers.CharField()
    region = serializers.CharField(allow_null=True)
    leaves_region = serializers.BooleanField()


class HeldCategorySerializer(serializers.Serializer[None]):
    key = serializers.CharField(help_text="Such as account, memberships, grants, keys, events.")
    title = serializers.CharField()
    about = serializers.CharField()
    purpose = serializers.CharField()
    legal_basis = serializers.CharField()
    # Django REST Framework has an attribute of this name; its metaclass takes the field out of its way.
    source = serializers.CharField()  # type: ignore[assignment]
    retention = serializers.CharField()
    entries = serializers.ListField(
        child=serializers.DictField(),
        help_text="Everything that is held; the fields of an entry depend on the category.",
    )


class KindOfEventSerializer(serializers.Serializer[None]):
    action = serializers.CharField()
    what = serializers.CharField()
    legal_basis = serializers.CharField(allow_null=True)
    at_least = serializers.CharField(allow_null=True, help_text="For how long it must be kept.")
    in_force = serializers.ListField(child=serializers.CharField(), help_text="What the firm's rules say at present.")


class NotIncludedSerializer(serializers.Serializer[None]):
    because = serializers.CharField()
    what = serializers.ListField(child=serializers.CharField(), help_text="Places, such as table.column.")


class MyDataSerializer(serializers.Serializer[None]):
    """The document, as JsonWriter writes it."""

    about = AboutMyDataSerializer()
    article_15 = serializers.DictField(child=serializers.CharField())
    recipients = RecipientSerializer(many=True)
    categories = HeldCategorySerializer(many=True)
    kinds_of_events = KindOfEventSerializer(many=True)
    not_included = NotIncludedSerializer(many=True)
    complete = serializers.BooleanField(help_text="Always last. If it is missing, the document is incomplete.")


class MyDataView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": None}

    @extend_schema(
        operation_id="get_my_data",
        tags=["Account"],
        summary="Download what is held about you",
        description=(
            "Returns everything that this tenant holds about your own account (Article 15 GDPR), with purposes, "
            "legal bases, periods and recipients. This needs a session, or a key that acts for you; a key returns "
            "only events within its scopes. The answer is streamed, and the download is recorded. Other people who "
            "took part are called “another person”."
        ),
        responses={200: OpenApiResponse(MyDataSerializer, description="Everything, in one document.")},
        extensions=sample('curl "{base}/api/v1/me/data/" -H "Authorization: Bearer $GLASSBOX_KEY"'),
    )
    def get(self, request: Request) -> HttpResponseBase:
        if request.method == "HEAD":
            # Hands nothing out, so it reads and records nothing; but it tells who may ask.
            my_package()
            return StreamingHttpResponse(iter(()), content_type="application/json")
        return StreamingHttpResponse(my_data_export(Format.JSON), content_type="application/json")
