"""Who could reach what, when: one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.access import Verdict, access_ask, access_json
from apps.intents.access.contracts import Candidate, Through
from apps.intents.errors import AmbiguousNameError
from apps.intents.models import VersionOrigin
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import LabelledSerializer, StrictSerializer, choices_of
from apps.tenants.api.views import ApiView
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role

KEY_PATTERN = r"^(gbx_)?[0-9a-zA-Z]{12}$"
INTENT_PATTERN = r"^[a-z][a-z0-9_]{0,39}$"


class AccessQuestionSerializer(StrictSerializer):
    user = serializers.CharField(
        required=False,
        max_length=254,
        help_text=(
            "A user name, or a name as people write it: Maria Lindqvist; Lindqvist, Maria; a part of it; initials; an "
            "e-mail address; or the name of an API key, ended ones too. Case and accents do not matter. An exact user "
            "name wins. To ask about yourself without audit.view, your exact user name."
        ),
    )
    key = serializers.RegexField(
        KEY_PATTERN,
        required=False,
        help_text="An API key's prefix, never the whole key.",
        error_messages={"invalid": "Enter the key's prefix, the 12 characters after gbx_; never the whole key."},
    )
    date = serializers.DateTimeField(required=False, help_text="A time, in UTC if it has no zone; now by default.")
    intent = serializers.RegexField(
        INTENT_PATTERN,
        required=False,
        help_text="An intent's name, or `unrecognised`; by default all intents.",
        error_messages={"invalid": "Enter the intent's short name, such as performance, or unrecognised."},
    )

    def validate_key(self, key: str) -> str:
        return key.removeprefix("gbx_")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "user" in attrs and "key" in attrs:
            raise serializers.ValidationError(
                {"key": "Ask about a person or about an API key, not about both at once."}
            )
        return attrs


class AccessSubjectSerializer(LabelledSerializer):
    kind = serializers.ChoiceField(choices=choices_of(PrincipalKind))
    id = serializers.UUIDField(allow_null=True, help_text="null if this tenant knows nobody of that name.")
    name = serializers.CharField(help_text="The user name, or gbx_ and the key's prefix.")
    acts_for = serializers.CharField(
        allow_null=True, help_text="The user name of the person for whom the key acts; null otherwise."
    )


class IntentReachSerializer(LabelledSerializer):
    name = serializers.CharField()
    recognised = serializers.BooleanField(help_text="false for questions that no intent recognises.")
    kinds = serializers.ListField(child=serializers.CharField(), help_text="Highest priority first.")


class ReachedScopeSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    key = serializers.CharField()
    name = serializers.CharField()


class AccessGrantSerializer(serializers.Serializer[Any]):
    scope = serializers.CharField(help_text="The scope's key; everything below it could be reached too.")
    valid_from = serializers.DateTimeField()
    valid_to = serializers.DateTimeField(allow_null=True)


class GrantedBySerializer(serializers.Serializer[Any]):
    through = serializers.ChoiceField(choices=choices_of(Through))
    id = serializers.UUIDField(help_text="The role of the membership or of the key.")
    role = serializers.ChoiceField(choices=Role.choices)
    may_ask = serializers.BooleanField(help_text="Whether the role allows questions.")
    valid_from = serializers.DateTimeField()
    valid_to = serializers.DateTimeField(allow_null=True, help_text="The first moment at which it was no longer valid.")
    grants = AccessGrantSerializer(many=True)
    hidden_grants = serializers.IntegerField(
        help_text="How many more grants there were, to scopes that you may not see."
    )


class AccessPolicySerializer(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    version_id = serializers.UUIDField()
    content_sha256 = serializers.CharField()
    origin = serializers.ChoiceField(choices=VersionOrigin.choices)
    author = serializers.CharField()
    approver = serializers.CharField(help_text="Empty for the shipped baseline.")
    reason = serializers.CharField()
    valid_from = serializers.DateTimeField()
    valid_to = serializers.DateTimeField(allow_null=True, help_text="null while it is in force.")


class AccessCandidateSerializer(LabelledSerializer):
    kind = serializers.ChoiceField(choices=choices_of(PrincipalKind))
    name = serializers.CharField(help_text="The user name, or gbx_ and the key's prefix, by which to ask.")
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices),
        help_text="Those in force now; empty for a former member or an ended key.",
    )
    former_member = serializers.BooleanField()


class AccessAnswerSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField(
        help_text="The whole answer in one sentence that you can quote. With not_known it states nothing about reach."
    )
    verdict = serializers.ChoiceField(
        choices=choices_of(Verdict),
        help_text=(
            "not_known and in_the_future say nothing about what could be reached. With any other verdict except "
            "could_reach, nothing could be reached."
        ),
    )
    at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField()
    tenant = serializers.CharField()
    subject = AccessSubjectSerializer()
    intent = serializers.CharField(help_text="As in the request; empty for all of the policy's intents.")
    intents = IntentReachSerializer(many=True)
    scopes = ReachedScopeSerializer(many=True, help_text="The scopes that could be reached and that you may see.")
    hidden_scopes = serializers.IntegerField(help_text="How many more scopes could be reached that you may not see.")
    granted_by = GrantedBySerializer(
        many=True, help_text="The memberships or keys that were valid then; roles and scopes add up."
    )
    bounded_by = GrantedBySerializer(
        many=True,
        help_text="For a personal key: what the person held then. The key could reach only what both gave.",
    )
    policy = AccessPolicySerializer(allow_null=True)
    notes = serializers.ListField(child=serializers.CharField(), help_text="What the recorded facts do not show.")
    suggestions = AccessCandidateSerializer(
        many=True, help_text="With not_known: members, past and present, with the nearest names."
    )


_EXAMPLE = {
    "sentence": (
        "On 31 January 2026 at 12:00 UTC, Alice Meyer (alice), as Analyst since 5 January 2026 at 09:00 UTC, could "
        "reach in Meridian, within the scope fund:alpha, the kinds Fund profile, Past run and Dataset summary with a "
        "question of the intent Performance, while policy version 2 was in force (since 20 January 2026 at 08:00 UTC; "
        "written by oscar; approved by rita)."
    ),
    "verdict": "could_reach",
    "at": "2026-01-31T12:00:00Z",
    "answered_at": "2026-06-02T08:15:04Z",
    "tenant": "meridian",
    "subject": {
        "kind": "user",
        "id": "019b8a52-7c3e-7d10-9a44-6f2f6f1f2a01",
        "name": "alice",
        "label": "Alice Meyer",
        "acts_for": None,
    },
    "intent": "performance",
    "intents": [
        {
            "name": "performance",
            "recognised": True,
            "kinds": ["fund_profile", "run", "dataset_summary"],
            "label": "Performance",
        }
    ],
    "scopes": [{"id": "019b8a52-7c3e-7d10-9a44-6f2f6f1f2a02", "key": "fund:alpha", "name": "Alpha"}],
    "hidden_scopes": 0,
    "granted_by": [
        {
            "through": "membership",
            "id": "019b8a52-7c3e-7d10-9a44-6f2f6f1f2a03",
            "role": "analyst",
            "may_ask": True,
            "valid_from": "2026-01-05T09:00:00Z",
            "valid_to": None,
            "grants": [{"scope": "fund:alpha", "valid_from": "2026-01-05T09:00:00Z", "valid_to": None}],
            "hidden_grants": 0,
        }
    ],
    "bounded_by": [],
    "policy": {
        "version": 2,
        "version_id": "019b8a52-7c3e-7d10-9a44-6f2f6f1f2a04",
        "content_sha256": "9f2c1f5b7d0e4a86c3b1d2e4f6078192a3b4c5d6e7f8091a2b3c4d5e6f708192",
        "origin": "draft",
        "author": "oscar",
        "approver": "rita",
        "reason": "Analysts need the dataset notes.",
        "valid_from": "2026-01-20T08:00:00Z",
        "valid_to": None,
    },
    "notes": ["No dates are kept for a suspension of the tenant, so it is not considered."],
    "suggestions": [],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateQuestion:
    """A candidate as the problem shows it. url: the same question about this member or key."""

    kind: PrincipalKind
    name: str
    label: str
    roles: tuple[Role, ...]
    former_member: bool
    url: str


class AccessView(ApiView):
    # About oneself anybody may ask; about others, who may read the audit log: held by access_ask.
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": None}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": AccessQuestionSerializer}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {AmbiguousNameError: "user"}

    @extend_schema(
        operation_id="get_access_at",
        tags=["Policy"],
        summary="Who could reach what, when",
        description=(
            "Returns which kinds of document and which scopes a person or an API key could reach on a date, with the "
            "policy version, its author and approver, and the memberships and grants that gave this access. The "
            "answer is one sentence, and also its parts. Without `user` and `key` it is about yourself; to ask about "
            "others you need the permission audit.view. If nothing could be reached (before the tenant existed, "
            "without a membership), the sentence and the verdict say why.\n\n"
            "If `user` may mean several members or API keys, past or present, there is no answer but the problem "
            "`intents.name_ambiguous`: its `data.candidates` has the `kind`, `name`, `label`, `roles`, `former_member` "
            "and `url` of each, and `data.more` says how many others there are. If nobody has the name, the verdict is "
            "`not_known`, `suggestions` has the nearest names, and nothing is stated about reach. Each request is "
            "recorded, never with the name that you sent."
        ),
        parameters=[AccessQuestionSerializer],
        responses=AccessAnswerSerializer,
        examples=[OpenApiExample("An answer about an analyst", value=_EXAMPLE, response_only=True)],
        extensions={
            PROBLEMS_EXTENSION: ["Ambiguous"],
            **sample('curl "{base}/api/v1/policy/access/?intent=performance" -H "Authorization: Bearer $GLASSBOX_KEY"'),
        },
    )
    def get(self, request: Request) -> Response:
        asked = self.asked()
        try:
            answer = access_ask(
                user=asked.get("user", ""),
                key=asked.get("key", ""),
                at=asked.get("date"),
                intent=asked.get("intent", ""),
            )
        except AmbiguousNameError as error:
            candidates = candidate_questions(request, error.data["candidates"])
            raise AmbiguousNameError(candidates=candidates, more=error.data["more"]) from error
        return Response(access_json(answer))


def candidate_questions(request: Request, candidates: Iterable[Candidate]) -> tuple[CandidateQuestion, ...]:
    """Return each candidate with the address of the same question about it."""
    return tuple(_question(request, each) for each in candidates)


def _question(request: Request, candidate: Candidate) -> CandidateQuestion:
    query = request.query_params.copy()
    if candidate.kind is PrincipalKind.API_KEY:
        query.pop("user", None)
        query["key"] = candidate.name
    else:
        query["user"] = candidate.name
    return CandidateQuestion(
        kind=candidate.kind,
        name=candidate.name,
        label=candidate.label,
        roles=candidate.roles,
        former_member=candidate.kind is PrincipalKind.USER and not candidate.roles,
        url=f"{request.path}?{query.urlencode()}",
    )
