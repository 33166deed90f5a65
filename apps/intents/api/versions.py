"""Policy versions: list, begin a draft, show, change, discard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.api.version_serializers import (
    CommentSerializer,
    VersionChangeSerializer,
    VersionDetailSerializer,
    VersionSerializer,
    VersionStartSerializer,
)
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import PolicyFileError, PolicyVersionNotFoundError, ReasonMissingError
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.policy_file import checked_policy_file
from apps.intents.policy_file.importing import policy_file_import
from apps.intents.rendering import policy_json
from apps.intents.selectors import policy_versions, version_snapshot, version_snapshots
from apps.intents.services.drafts import draft_copy, draft_discard, draft_of, draft_save, draft_start
from apps.intents.snapshots.content import read_content
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import require_no_fields
from apps.tenants.api.views import ApiListView
from apps.tenants.roles import Permission

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
_FILENAME: Final = "The file"

_BEGIN = f"""\
curl "{{base}}/api/v1/policy/versions/" {_KEY} {_JSON} \\
  -d '{{"reason": "Analysts need the schedules."}}'"""
_BEGIN_WITH_FILE = f"""\
curl "{{base}}/api/v1/policy/versions/$VERSION_ID/file/" {_KEY} |
  python3 -c 'import json, sys
print(json.dumps({{"reason": "As in our repository.", "file": sys.stdin.read()}}))' |
  curl "{{base}}/api/v1/policy/versions/" {_KEY} {_JSON} -d @-"""
_CHANGE = f"""\
curl "{{base}}/api/v1/policy/versions/$VERSION_ID/file/" {_KEY} |
  python3 -c 'import json, sys
print(json.dumps({{"reason": "As in our repository.", "revision": 1, "file": sys.stdin.read()}}))' |
  curl -X PUT "{{base}}/api/v1/policy/versions/$VERSION_ID/" {_KEY} {_JSON} -d @-"""


class VersionFilter(FilterSet):
    status = filters.ChoiceFilter(field_name="standing", choices=VersionStatus.choices, empty_label=None)

    class Meta:
        model = PolicyVersion
        fields: list[str] = []


class PolicyVersionListView(ApiListView[PolicyVersion]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.POLICY_VIEW,
        "POST": Permission.POLICY_EDIT,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        PolicyVersionNotFoundError: "copy_of",
        PolicyFileError: "file",
        ReasonMissingError: "reason",
    }
    serializer_class = VersionSerializer
    filterset_class = VersionFilter
    ordering = ("-number", "-id")

    def get_queryset(self) -> QuerySet[PolicyVersion]:
        return _versions()

    def page_context(self, page: Sequence[PolicyVersion]) -> dict[str, Any]:
        return {"snapshots": version_snapshots(page)}

    @extend_schema(
        operation_id="list_policy_versions",
        tags=["Policy"],
        summary="List policy versions",
        description="Returns all of the tenant's versions, newest first, with their authors, decisions and dates.",
        extensions=sample(f'curl "{{base}}/api/v1/policy/versions/?status=in_review" {_KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="begin_policy_draft",
        tags=["Policy"],
        summary="Begin a draft",
        description=(
            "Begins a draft as a copy of the version in force, or from one of these: `copy_of` brings back an older "
            "version, `content` is a policy in the form that a version shows, and `file` is the text of a policy "
            "file, as a repository may keep it. A file must be usable: the answer names every problem with line and "
            "column. A content may be unfinished. Only you can change the draft, and it changes nothing until "
            "somebody else approves it."
        ),
        request=VersionStartSerializer,
        responses={201: OpenApiResponse(VersionSerializer, description="Begun.")},
        extensions=sample(_BEGIN, _BEGIN_WITH_FILE),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        form = VersionStartSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        version = _begun(form.validated_data)
        return version_answer(version, status=201, headers={"Location": f"/api/v1/policy/versions/{version.id}/"})


class PolicyVersionView(TaggedView):
    tagged = PolicyVersion
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.POLICY_VIEW,
        "PUT": Permission.POLICY_EDIT,
        "DELETE": Permission.POLICY_EDIT,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {PolicyFileError: "file", ReasonMissingError: "reason"}

    @extend_schema(
        operation_id="get_policy_version",
        tags=["Policy"],
        summary="Show a policy version",
        description=(
            "Returns its content, its history and its comments. The fields `intents`, `fallback`, `budgets`, "
            "`total_cap_chars`, `classifier` and `retrieval` together form a `content` that you can send for a draft."
        ),
        responses=VersionDetailSerializer,
        extensions=sample(f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        version = visible_version(id)
        snapshot = version_snapshot(version)
        comments = CommentSerializer(version.comments.all(), many=True).data
        return Response({**policy_json(snapshot), **version_json(version, snapshot), "comments": comments})

    @extend_schema(
        operation_id="change_policy_draft",
        tags=["Policy"],
        summary="Change a draft",
        description=(
            "Replaces the whole content of your own draft, as `content` or as `file`. `revision` is the one that you "
            "read. If the draft has changed since, nothing is saved and the answer is 409: read it again."
        ),
        request=VersionChangeSerializer,
        responses=VersionSerializer,
        extensions=sample(_CHANGE),
    )
    @idempotent
    def put(self, request: Request, id: UUID) -> ActResponse:
        version = visible_version(id)
        form = VersionChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        changed = form.validated_data
        return version_answer(
            draft_save(version.id, content=_content(changed), reason=changed["reason"], revision=changed["revision"])
        )

    @extend_schema(
        operation_id="discard_policy_draft",
        tags=["Policy"],
        summary="Discard a draft",
        description="Discards your own draft before anybody has reviewed it. It stays in the list as withdrawn.",
        responses={204: OpenApiResponse(description="Withdrawn.")},
        extensions=sample(f'curl -X DELETE "{{base}}/api/v1/policy/versions/$VERSION_ID/" {_KEY}'),
    )
    @idempotent
    def delete(self, request: Request, id: UUID) -> ActResponse:
        version = visible_version(id)
        require_no_fields(request)
        draft_discard(version.id)
        return ActResponse(status=204, subject_id=id)


def visible_version(version_id: UUID) -> PolicyVersion:
    """Raises PolicyVersionNotFoundError, alike for one that is not there and one that is not yours."""
    version = _versions().filter(id=version_id).first()
    if version is None:
        raise PolicyVersionNotFoundError(version=version_id)
    return version


def version_answer(
    version: PolicyVersion, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> ActResponse:
    """A version's life after an act, as the database has it now."""
    now = visible_version(version.id)
    return ActResponse(version_json(now, version_snapshot(now)), status=status, subject_id=now.id, headers=headers)


def version_json(version: PolicyVersion, snapshot: PolicySnapshot) -> dict[str, Any]:
    return dict(VersionSerializer(version, context={"snapshots": {version.id: snapshot}}).data)


def _versions() -> QuerySet[PolicyVersion]:
    return policy_versions().select_related("based_on")


def _begun(asked: Mapping[str, Any]) -> PolicyVersion:
    reason = asked["reason"]
    if "copy_of" in asked:
        return draft_copy(visible_version(asked["copy_of"]), reason=reason)
    if "file" in asked:
        return policy_file_import(text=asked["file"], filename=_FILENAME, reason=reason)
    if "content" in asked:
        return draft_of(read_content(asked["content"]), origin=VersionOrigin.IMPORT, reason=reason)
    return draft_start(reason=reason)


def _content(asked: Mapping[str, Any]) -> PolicySnapshot:
    if "file" in asked:
        return checked_policy_file(asked["file"], filename=_FILENAME)
    return read_content(asked["content"])
