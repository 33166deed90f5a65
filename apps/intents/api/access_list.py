"""Who could reach what, for everybody or narrowed: at an instant, over a range, or what differs between two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.access.register.asking import Asked, Form, register_ask
from apps.intents.access.register.contracts import Mode
from apps.intents.access.register.json_page import register_json
from apps.intents.api.access import KEY_PATTERN, candidate_questions
from apps.intents.errors import (
    AmbiguousDocumentError,
    AmbiguousNameError,
    NameNotKnownError,
    RegisterQuestionError,
)
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import LabelledSerializer, StrictSerializer, choices_of
from apps.tenants.api.views import ApiView
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role

_LIMIT = 200


class AccessListQuestionSerializer(StrictSerializer):
    mode = serializers.ChoiceField(
        choices=choices_of(Mode),
        required=False,
        help_text="By default `at`: at one instant. `range` and `changes` need `until`.",
    )
    date = serializers.DateTimeField(required=False, help_text="The instant, or the beginning; now by default.")
    until = serializers.DateTimeField(required=False, help_text="The end of a range, or the later instant.")
    user = serializers.CharField(
        required=False, max_length=254, help_text="A name as people write it, as for `/policy/access/`."
    )
    key = serializers.RegexField(
        KEY_PATTERN,
        required=False,
        help_text="An API key's prefix, never the whole key.",
        error_messages={"invalid": "Enter the key's prefix, the 12 characters after gbx_; never the whole key."},
    )
    role = serializers.ChoiceField(choices=Role.choices, required=False, help_text="Whoever held it then.")
    scope = serializers.CharField(required=False, max_length=127, help_text="A scope's key: that very scope.")
    kind = serializers.CharField(
        required=False, max_length=80, help_text="A kind of document, by its key or by the name that the firm gave it."
    )
    document = serializers.CharField(
        required=False, max_length=300, help_text="A document's id, or its title; of a removed one, its id."
    )
    first = serializers.IntegerField(
        required=False, min_value=0, max_value=10_000_000, help_text="How many lines to leave out; see `next`."
    )

    def validate_key(self, key: str) -> str:
        return key.removeprefix("gbx_")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "user" in attrs and "key" in attrs:
            raise serializers.ValidationError(
                {"key": "Ask about a person or about an API key, not about both at once."}
            )
        return attrs


class PlacesSerializer(serializers.Serializer[Any]):
    scopes = serializers.ListField(child=serializers.CharField(), help_text="Their keys.")
    hidden = serializers.IntegerField(help_text="How many more you may not see.")


class IntentKindsSerializer(serializers.Serializer[Any]):
    intent = serializers.CharField(help_text="Its name, or `unrecognised`.")
    kinds = serializers.ListField(child=serializers.CharField())


class ReachingSerializer(LabelledSerializer):
    kind = serializers.ChoiceField(choices=choices_of(PrincipalKind))
    id = serializers.UUIDField()
    name = serializers.CharField(help_text="The user name, or gbx_ and the key's prefix.")


class AccessLineSerializer(ReachingSerializer):
    roles = serializers.CharField()
    since = serializers.DateTimeField(allow_null=True, help_text="In a range: from when on; null at an instant.")
    until = serializers.DateTimeField(allow_null=True)
    asks = PlacesSerializer(help_text="Where questions found documents, of the kinds in `reaches`.")
    opens = PlacesSerializer(help_text="Where documents could be opened, whatever their kind.")
    reaches = IntentKindsSerializer(many=True)


class AccessChangeSerializer(ReachingSerializer):
    roles_before = serializers.CharField(allow_blank=True)
    roles_after = serializers.CharField(allow_blank=True)
    gained_asks = PlacesSerializer()
    gained_opens = PlacesSerializer()
    lost_asks = PlacesSerializer()
    lost_opens = PlacesSerializer()


class PolicyThenSerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    version_id = serializers.UUIDField()
    content_sha256 = serializers.CharField()
    valid_from = serializers.DateTimeField()
    valid_to = serializers.DateTimeField(allow_null=True)
    reaches = IntentKindsSerializer(many=True)


class ReachChangeSerializer(IntentKindsSerializer):
    gained = serializers.BooleanField(help_text="false: its questions no longer reach these kinds.")


class DocumentThenSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    title = serializers.CharField(allow_blank=True, help_text="Empty for a document that is not there any more.")
    kind = serializers.CharField()
    scope = serializers.CharField(allow_null=True, help_text="null: one that you may not see.")
    received_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True, help_text="From then on questions could find it.")
    gone_at = serializers.DateTimeField(allow_null=True)


class LogHeadSerializer(serializers.Serializer[Any]):
    size = serializers.IntegerField(help_text="How many events the log had when the answer was computed.")
    root_hash = serializers.CharField(help_text="The root of its Merkle tree then, in hex.")


class AccessListSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField(help_text="The answer in words that you can quote.")
    mode = serializers.ChoiceField(choices=choices_of(Mode))
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True)
    answered_at = serializers.DateTimeField()
    tenant = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices, allow_null=True)
    scope = serializers.CharField(allow_null=True)
    kind = serializers.CharField(allow_null=True)
    document = DocumentThenSerializer(allow_null=True)
    policies = PolicyThenSerializer(many=True, help_text="The versions that were in force.")
    policy_changes = ReachChangeSerializer(many=True, help_text="With `changes`: what the policy itself changed.")
    profile_changes = serializers.ListField(
        child=serializers.CharField(), help_text="With `changes`: how the compliance profile differs, in sentences."
    )
    log = LogHeadSerializer()
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="What the recorded facts do not show, and what the compliance profile of each version kept back.",
    )
    total = serializers.IntegerField(help_text="How many lines there are.")
    next = serializers.IntegerField(
        allow_null=True, help_text="The `first` of the next lines; null after the last ones. Send the same `date`."
    )
    rows = AccessLineSerializer(many=True, help_text="With `at` and `range`.")
    changes = AccessChangeSerializer(many=True, help_text="With `changes`.")


class AccessListView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": AccessListQuestionSerializer}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        AmbiguousNameError: "user",
        NameNotKnownError: "user",
        AmbiguousDocumentError: "document",
    }

    @extend_schema(
        operation_id="list_access_at",
        tags=["Policy"],
        summary="List who could reach what",
        description=(
            "Lists every person and API key that could reach documents, or those that `user`, `key`, `role`, `scope`, "
            "`kind` and `document` leave: at an instant, over a range with the times of each, or what differs between "
            "two instants. It is computed from memberships, grants, keys, policy versions and documents as they were. "
            "At most 200 lines are in one answer. Each request is recorded, never with the name that you sent.\n\n"
            "Nothing is stated if a name or a title means several or nobody: see the problems "
            "`intents.name_ambiguous`, `intents.name_not_known` and `intents.document_ambiguous`, whose `data` has "
            "candidates."
        ),
        parameters=[AccessListQuestionSerializer],
        responses=AccessListSerializer,
        extensions={
            PROBLEMS_EXTENSION: ["Ambiguous", "NotFound"],
            **sample('curl "{base}/api/v1/policy/access/list/?kind=run" -H "Authorization: Bearer $GLASSBOX_KEY"'),
        },
    )
    def get(self, request: Request) -> Response:
        said = self.asked()
        asked = Asked(
            mode=Mode(said.get("mode", Mode.AT)),
            since=said.get("date"),
            until=said.get("until"),
            user=said.get("user", ""),
            key=said.get("key", ""),
            role=Role(said["role"]) if "role" in said else None,
            scope=said.get("scope", ""),
            kind=said.get("kind", ""),
            document=said.get("document", ""),
        )
        try:
            register = register_ask(asked, form=Form.JSON)
        except AmbiguousNameError as error:
            candidates = candidate_questions(request, error.data["candidates"])
            raise AmbiguousNameError(candidates=candidates, more=error.data["more"]) from error
        except NameNotKnownError as error:
            raise NameNotKnownError(candidates=candidate_questions(request, error.data["candidates"])) from error
        except RegisterQuestionError as error:
            # One class for several fields: which one it complains about stands in the error itself.
            field = {"since": "date"}.get(error.data["field"], error.data["field"])
            if error.status == 400:
                raise serializers.ValidationError({field: error.detail}) from error
            raise
        return Response(register_json(register, first=said.get("first", 0), limit=_LIMIT))
