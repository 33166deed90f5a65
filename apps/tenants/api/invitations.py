"""Invitations: a link goes to a mailbox, and whoever reads it there accepts. Nothing is told of accounts.

The link's secret stands in the letter alone: no answer holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, ClassVar, Final
from uuid import UUID

from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.directory_parts import (
    BY_SESSION,
    IN_PERSON,
    JSON,
    KEY,
    NOT_BY_PERSONAL_KEYS,
    SESSION,
    ReachSerializer,
    reach_shown,
    said,
    scopes_field,
    scopes_named,
    scopes_told,
)
from apps.tenants.api.examples import sample
from apps.tenants.api.filtering import FilterSet, SeveralFilter
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.serializers import StrictSerializer, choices_of, require_no_fields
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.models import Invitation, Scope
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.invitations import InvitationState, in_state, invitation, invitation_state
from apps.tenants.services.invitations import invitation_resend, invitation_withdraw, member_invite

_BASE: Final = "{base}/api/v1/invitations/"
_TAG: Final = ["Members"]
_MANAGE: Mapping[str, Permission | None] = {"POST": Permission.MEMBER_MANAGE}


class InvitationStandingSerializer(ReachSerializer):
    """Without the mailbox: what a repeated request may be answered with, a day later."""

    id = serializers.UUIDField()
    role = serializers.ChoiceField(choices=Role.choices)
    state = serializers.ChoiceField(choices=choices_of(InvitationState))
    invited_by_id = serializers.UUIDField(source="created_by_id", allow_null=True)
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(
        allow_null=True, help_text="null: no letter has been sent yet, or sending failed."
    )
    expires_at = serializers.DateTimeField(allow_null=True, help_text="Seven days after the link was made.")
    accepted_at = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(source="revoked_at", allow_null=True)

    def to_representation(self, instance: Any) -> Any:
        keys: Mapping[UUID, str] = self.context.get("scope_keys") or _scope_keys()
        shown = {
            name: getattr(instance, name)
            for name in (
                *("id", "role", "created_by_id", "created_at", "sent_at", "expires_at", "accepted_at", "revoked_at"),
                "email",
            )
        }
        reach = reach_shown(keys.get(each) for each in instance.scope_ids)
        return super().to_representation({**shown, "state": invitation_state(instance).value, **reach})


class InvitationSerializer(InvitationStandingSerializer):
    email = serializers.CharField(allow_blank=True, help_text="The mailbox; empty once the invitation has ended.")


class InvitationFilter(FilterSet):
    state = SeveralFilter(
        choices=choices_of(InvitationState), method="standing", help_text="Repeat it to match any of several."
    )
    role = SeveralFilter(choices=Role.choices, help_text="Repeat it to match any of several.")

    class Meta:
        model = Invitation
        fields: list[str] = []

    def standing(self, queryset: QuerySet[Invitation], name: str, value: list[str]) -> QuerySet[Invitation]:
        now = timezone.now()
        return queryset.filter(reduce(or_, (in_state(InvitationState(each), now) for each in value)))


class InviteSerializer(StrictSerializer):
    email = serializers.EmailField(
        max_length=150,
        # It becomes the sign-in name of a person who has no account yet.
        validators=[UnicodeUsernameValidator(message="Only letters, digits and @ . + - _")],
        help_text="The person's own mailbox: whoever reads the link there may accept.",
    )
    role = serializers.ChoiceField(choices=Role.choices, help_text="For a second role, send a second invitation.")
    scopes = scopes_field()


class InvitationListView(ApiListView[Invitation]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.MEMBER_VIEW,
        "POST": Permission.MEMBER_MANAGE,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scopes"}
    serializer_class = InvitationSerializer
    filterset_class = InvitationFilter
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "-created_at": ("-created_at", "-id"),
        "created_at": ("created_at", "id"),
    }

    def get_queryset(self) -> QuerySet[Invitation]:
        found: QuerySet[Invitation] = Invitation.objects.all()
        return found

    def page_context(self, page: Sequence[Invitation]) -> dict[str, Any]:
        return {"scope_keys": _scope_keys()}

    @extend_schema(
        operation_id="list_invitations",
        tags=_TAG,
        summary="List invitations",
        description="Newest first. Includes open invitations and those that were accepted, withdrawn or expired.",
        extensions=sample(f'curl "{_BASE}?state=waiting" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(
        operation_id="invite_member",
        tags=_TAG,
        auth=BY_SESSION,
        summary="Invite a person",
        description=(
            "Sends a letter to the mailbox, with a link that works once within seven days. Whoever reads it there "
            "can accept, with an existing account or a new one. The answer is the same whether or not the mailbox "
            "has an account, and only the letter contains the link's secret. A role that approves also waits for a "
            f"second person (POST /api/v1/members/{{id}}/confirm/). {IN_PERSON}"
        ),
        request=InviteSerializer,
        responses={201: InvitationStandingSerializer},
        extensions=sample(
            f'curl "{_BASE}" {SESSION} {JSON} \\\n'
            '  -d \'{"email": "jo@example.com", "role": "analyst", "scopes": ["fund:alpha"]}\''
        ),
    )
    @idempotent
    def post(self, request: Request) -> ActResponse:
        asked = said(InviteSerializer, request)
        made = member_invite(email=asked["email"], role=Role(asked["role"]), scopes=scopes_named(asked["scopes"]))
        return _answer(made.id, status=201)


class InvitationView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.MEMBER_VIEW}

    @extend_schema(
        operation_id="get_invitation",
        tags=_TAG,
        summary="Show an invitation",
        description="Returns the role and scopes of the invitation, and whether its letter was sent and answered.",
        responses=InvitationSerializer,
        extensions=sample(f'curl "{_BASE}$INVITATION_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(InvitationSerializer(invitation(id)).data)


class InvitationSendView(ApiView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="send_invitation",
        tags=_TAG,
        summary="Send an invitation again",
        description=(
            "Sends a new link to the same mailbox. It works for seven days; the earlier link stops working. "
            f"{NOT_BY_PERSONAL_KEYS}"
        ),
        request=None,
        responses=InvitationStandingSerializer,
        extensions=sample(f'curl -X POST "{_BASE}$INVITATION_ID/send/" {KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        found = invitation(id)
        require_no_fields(request)
        invitation_resend(found)
        return _answer(id)


class InvitationWithdrawView(ApiView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="withdraw_invitation",
        tags=_TAG,
        summary="Withdraw an invitation",
        description=f"Its link stops working, and its mailbox is deleted. {NOT_BY_PERSONAL_KEYS}",
        request=None,
        responses=InvitationStandingSerializer,
        extensions=sample(f'curl -X POST "{_BASE}$INVITATION_ID/withdraw/" {KEY}'),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        found = invitation(id)
        require_no_fields(request)
        invitation_withdraw(found)
        return _answer(id)


def _scope_keys() -> dict[UUID, str]:
    """Of the scopes that the reader sees. One query."""
    return dict(Scope.objects.values_list("id", "key"))


def _answer(id: UUID, *, status: int = 200) -> ActResponse:
    headers = {"Location": f"/api/v1/invitations/{id}/"} if status == 201 else None
    data = dict(InvitationStandingSerializer(invitation(id)).data)
    return ActResponse(data, status=status, subject_id=id, scope_ids=scopes_told(data), headers=headers)
