"""Recertifications over the API: begin, read, remind and close. Grants are decided on in person, in the admin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.access.recertified import (
    CertifiedLine,
    Progress,
    RecertificationState,
    lines_of,
    progress_of,
    recertification_of,
    visible_recertifications,
)
from apps.intents.errors import RecertificationError
from apps.intents.models import GrantDecision, Recertification
from apps.intents.services.recertification import recertification_begin, recertification_close
from apps.intents.services.recertification_reminders import owners_remind
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer, choices_of, require_no_fields
from apps.tenants.api.views import ApiView
from apps.tenants.models import Scope
from apps.tenants.roles import Permission, Role

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_LIMIT: Final = 200


class RecertificationBeginSerializer(StrictSerializer):
    owners = serializers.ListField(
        child=serializers.UUIDField(), min_length=1, max_length=50, help_text="Ids of people (`person_id`), in order."
    )
    due_at = serializers.DateTimeField()
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=Role.choices), required=False, max_length=10, help_text="By default all."
    )
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=127),
        required=False,
        max_length=500,
        help_text="Keys of scopes; by default all that you may see.",
    )


class RecertificationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=choices_of(RecertificationState))
    started_at = serializers.DateTimeField()
    started_by_id = serializers.UUIDField()
    due_at = serializers.DateTimeField()
    reminded_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    closed_by_id = serializers.UUIDField(allow_null=True)
    roles = serializers.ListField(child=serializers.CharField(), help_text="Empty: every role.")
    owner_ids = serializers.ListField(child=serializers.UUIDField())
    grants = serializers.IntegerField(help_text="How many it began with.")
    hidden = serializers.IntegerField(help_text="How many of them you may not see.")
    confirmed = serializers.IntegerField()
    ended = serializers.IntegerField()
    waiting = serializers.IntegerField(help_text="Once it is closed: how many stayed undecided.")


class CertifiedGrantSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    grant_id = serializers.UUIDField()
    holder = serializers.CharField(help_text="The person or API key, by name.")
    holder_id = serializers.UUIDField(allow_null=True, help_text="null for a key that acts for nobody.")
    role = serializers.ChoiceField(choices=Role.choices)
    scope = serializers.CharField(help_text="Its key.")
    owner_id = serializers.UUIDField()
    decision = serializers.ChoiceField(choices=GrantDecision.choices, allow_blank=True, help_text="Empty: none yet.")
    reason = serializers.CharField(allow_blank=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    is_late = serializers.BooleanField(help_text="Decided after `due_at`.")


class RecertificationDetailSerializer(RecertificationSerializer):
    items = CertifiedGrantSerializer(many=True, help_text="At most 200 of the grants that you may see.")
    next = serializers.IntegerField(allow_null=True, help_text="The `first` of the next grants; null after the last.")


class RecertificationPageSerializer(StrictSerializer):
    first = serializers.IntegerField(
        required=False, min_value=0, max_value=10_000_000, help_text="How many grants to leave out; see `next`."
    )


class RecertificationListView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.POLICY_VIEW,
        "POST": Permission.POLICY_EDIT,
    }

    @extend_schema(
        operation_id="list_recertifications",
        tags=["Policy"],
        summary="List recertifications",
        description="Lists those that you may see, newest first: all of them, or those in which you own grants.",
        responses=RecertificationSerializer(many=True),
        extensions=sample(f'curl "{{base}}/api/v1/recertifications/" {_KEY}'),
    )
    def get(self, request: Request) -> Response:
        return Response([_shown(each) for each in progress_of(visible_recertifications())])

    @extend_schema(
        operation_id="begin_recertification",
        tags=["Policy"],
        summary="Begin a recertification",
        description=(
            "Gives every valid grant of the roles and scopes to the first owner who does not hold it and reaches its "
            "scope, and tells the owners by e-mail. They decide in the admin, signed in: a key decides on no grant."
        ),
        request=RecertificationBeginSerializer,
        responses={201: OpenApiResponse(RecertificationSerializer, description="Begun.")},
        extensions=sample(
            f'curl "{{base}}/api/v1/recertifications/" {_KEY} -H "Content-Type: application/json" \\\n'
            '  -d \'{"owners": ["\'"$PERSON_ID"\'"], "due_at": "2099-01-31T17:00:00Z", "roles": ["analyst"]}\''
        ),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        form = RecertificationBeginSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        try:
            made = recertification_begin(
                owner_ids=said["owners"],
                due_at=said["due_at"],
                roles=[Role(each) for each in said.get("roles", ())],
                scope_ids=_scope_ids(said.get("scopes", ())),
            )
        except RecertificationError as error:
            if error.status == 400:
                raise serializers.ValidationError({error.data["field"]: error.detail}) from error
            raise
        return _answer(made, status=201, headers={"Location": f"/api/v1/recertifications/{made.id}/"})


class RecertificationView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.POLICY_VIEW}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": RecertificationPageSerializer}

    @extend_schema(
        operation_id="get_recertification",
        tags=["Policy"],
        summary="Show a recertification with its grants",
        description="Shows every grant that you may see, or those that you own, with what was decided and why.",
        parameters=[RecertificationPageSerializer],
        responses=RecertificationDetailSerializer,
        extensions=sample(f'curl "{{base}}/api/v1/recertifications/$RECERTIFICATION_ID/" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        found = recertification_of(id)
        first = self.asked().get("first", 0)
        (progress,) = progress_of([found])
        every = lines_of(found)
        return Response(
            {
                **_shown(progress),
                "items": [_item(each) for each in every[first : first + _LIMIT]],
                "next": first + _LIMIT if first + _LIMIT < len(every) else None,
            }
        )


class RecertificationRemindView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.POLICY_EDIT}

    @extend_schema(
        operation_id="remind_owners",
        tags=["Policy"],
        summary="Remind the owners",
        description="Writes to every owner of a grant that waits. Nothing is sent, or recorded, if none waits.",
        request=None,
        responses=RecertificationSerializer,
        extensions={
            **sample(f'curl -X POST "{{base}}/api/v1/recertifications/$RECERTIFICATION_ID/remind/" {_KEY}'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        found = recertification_of(id)
        owners_remind(found.id)
        return _answer(found)


class RecertificationCloseView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": Permission.POLICY_EDIT}

    @extend_schema(
        operation_id="close_recertification",
        tags=["Policy"],
        summary="Close a recertification",
        description="Closes it for ever. What nobody decided stays undecided, and its grants go on.",
        request=None,
        responses=RecertificationSerializer,
        extensions={
            **sample(f'curl -X POST "{{base}}/api/v1/recertifications/$RECERTIFICATION_ID/close/" {_KEY}'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        require_no_fields(request)
        return _answer(recertification_close(recertification_of(id).id))


def _answer(found: Recertification, *, status: int = 200, headers: Mapping[str, str] | None = None) -> ActResponse:
    found.refresh_from_db()
    (progress,) = progress_of([found])
    return ActResponse(_shown(progress), status=status, subject_id=found.id, headers=headers)


def _shown(progress: Progress) -> dict[str, Any]:
    row = progress.recertification
    return {
        "id": str(row.id),
        "state": progress.state.value,
        "started_at": _time(row.started_at),
        "started_by_id": str(row.started_by_id),
        "due_at": _time(row.due_at),
        "reminded_at": _time(row.reminded_at),
        "closed_at": _time(row.closed_at),
        "closed_by_id": str(row.closed_by_id) if row.closed_by_id else None,
        "roles": list(row.roles),
        "owner_ids": [str(each) for each in row.owner_ids],
        "grants": row.grant_count,
        "hidden": progress.hidden,
        "confirmed": progress.confirmed,
        "ended": progress.ended,
        "waiting": progress.waiting,
    }


def _item(line: CertifiedLine) -> dict[str, Any]:
    row = line.row
    return {
        "id": str(row.id),
        "grant_id": str(row.grant_id),
        "holder": line.who,
        "holder_id": str(row.holder_id) if row.holder_id else None,
        "role": row.role,
        "scope": line.scope,
        "owner_id": str(row.owner_id),
        "decision": row.decision,
        "reason": row.reason,
        "decided_at": _time(row.decided_at),
        "is_late": line.is_late,
    }


def _time(at: Any) -> str | None:
    return at.isoformat() if at else None


def _scope_ids(keys: list[str]) -> list[UUID]:
    found = dict(Scope.objects.filter(key__in=keys).values_list("key", "id"))
    if unknown := sorted(set(keys) - found.keys()):
        raise serializers.ValidationError({"scopes": f"There is no scope {unknown[0]} that you may see."})
    return [found[key] for key in keys]
