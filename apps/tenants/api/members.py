"""Members: who works in the tenant, in which role and scopes; and the second person's word on roles that approve.

A role is given by an invitation (invitations.py) and taken by ending the membership: a row is one role of one person.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import Q, QuerySet
from django_filters import rest_framework as filters
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
from apps.tenants.api.filtering import FilterSet, SeveralFilter, text_filter
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.api.serializers import StrictSerializer, choices_of, revision_field
from apps.tenants.api.views import ApiListView, ApiView
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.models import Membership
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.members import OF_STATE, MemberState, member, member_state, members
from apps.tenants.selectors.tenants import scope_by_key
from apps.tenants.services.members import membership_confirm, membership_decline, membership_revoke
from apps.tenants.services.people import membership_scopes_set

_BASE: Final = "{base}/api/v1/members/"
_TAG: Final = ["Members"]
# Within an example's single quotes: what the reader of the page has in front of them.
_REVISION: Final = '"revision": \'"$REVISION"\''
_SEE: Mapping[str, Permission | None] = {"POST": Permission.MEMBER_VIEW}
_MANAGE: Mapping[str, Permission | None] = {"POST": Permission.MEMBER_MANAGE}


class MembershipSerializer(ReachSerializer):
    """Ids, states and times: what a repeated request may be answered with, a day later."""

    id = serializers.UUIDField()
    person_id = serializers.UUIDField(source="user_id", help_text="The id under which events name the person.")
    role = serializers.ChoiceField(choices=Role.choices)
    state = serializers.ChoiceField(
        choices=choices_of(MemberState), help_text="`waiting`: a second person must agree, and it gives no rights yet."
    )
    revision = serializers.IntegerField(
        help_text="Counts the changes. Send the revision that you read with your decision."
    )
    invited_by_id = serializers.UUIDField(
        source="created_by_id", allow_null=True, help_text="null if the operator gave it."
    )
    accepted_at = serializers.DateTimeField(allow_null=True)
    confirmed_at = serializers.DateTimeField(allow_null=True, help_text="When it began to give its rights.")
    confirmed_by_id = serializers.UUIDField(allow_null=True, help_text="The second person, if one was needed.")
    ended_at = serializers.DateTimeField(source="revoked_at", allow_null=True)

    def to_representation(self, instance: Any) -> Any:
        shown = {
            name: getattr(instance, name)
            for name in (
                *("id", "user_id", "role", "revision", "created_by_id", "accepted_at", "confirmed_at"),
                *("confirmed_by_id", "revoked_at", "username"),
            )
        }
        person = {"name": instance.user.get_full_name(), "state": member_state(instance).value}
        return super().to_representation({**shown, **person, **reach_shown(instance.scope_keys)})


class MemberSerializer(MembershipSerializer):
    username = serializers.CharField()
    name = serializers.CharField(allow_blank=True, help_text="As the person entered it; may be empty.")


class MemberFilter(FilterSet):
    role = SeveralFilter(choices=Role.choices, help_text="Repeat it to match any of several.")
    state = SeveralFilter(
        choices=choices_of(MemberState), method="in_state", help_text="Repeat it to match any of several."
    )
    person_id = filters.UUIDFilter(field_name="user_id", help_text="One person's roles.")
    scope = text_filter(
        max_length=127, method="given", help_text="A scope's key: only members who were granted exactly this scope."
    )
    q = text_filter(max_length=150, method="named", help_text="A part of the username or the name, in any case.")

    class Meta:
        model = Membership
        fields: list[str] = []

    def in_state(self, queryset: QuerySet[Membership], name: str, value: list[str]) -> QuerySet[Membership]:
        return queryset.filter(reduce(or_, (OF_STATE[MemberState(each)] for each in value)))

    def given(self, queryset: QuerySet[Membership], name: str, value: str) -> QuerySet[Membership]:
        return queryset.filter(grants__scope_id=scope_by_key(value).id, grants__valid_to__isnull=True)

    def named(self, queryset: QuerySet[Membership], name: str, value: str) -> QuerySet[Membership]:
        fields = ("username", "first_name", "last_name")
        return queryset.filter(reduce(or_, (Q(**{f"user__{field}__icontains": value}) for field in fields)))


class ReachedScopesSerializer(StrictSerializer):
    scopes = scopes_field()


class DecideMembershipSerializer(StrictSerializer):
    """A decision on the membership that was read."""

    revision = revision_field("The revision of the membership that you read.")


class MemberListView(ApiListView[Membership]):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.MEMBER_VIEW}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scope"}
    serializer_class = MemberSerializer
    filterset_class = MemberFilter
    sorts: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "-created_at": ("-created_at", "-id"),
        "created_at": ("created_at", "id"),
        "username": ("username", "id"),
        "-username": ("-username", "-id"),
    }

    def get_queryset(self) -> QuerySet[Membership]:
        return members()

    @extend_schema(
        operation_id="list_members",
        tags=_TAG,
        summary="List members",
        description=(
            "Returns each role of each member of the tenant, newest first unless `sort` says otherwise. Ended "
            "memberships and those that wait for a second person are included."
        ),
        extensions=sample(f'curl "{_BASE}?state=in_force&sort=username" {KEY}'),
    )
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class MemberView(TaggedView):
    tagged = Membership
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {
        "GET": Permission.MEMBER_VIEW,
        "PATCH": Permission.MEMBER_MANAGE,
    }
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {ScopeNotGrantedError: "scopes"}

    @extend_schema(
        operation_id="get_member",
        tags=_TAG,
        summary="Show a member",
        description="Returns one role of one person: what it reaches, who invited them, who agreed, and its revision.",
        responses=MemberSerializer,
        extensions=sample(f'curl "{_BASE}$MEMBER_ID/" {KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        return Response(MemberSerializer(member(id)).data)

    @extend_schema(
        operation_id="change_member_scopes",
        tags=_TAG,
        summary="Change which scopes a member reaches",
        description=(
            "Sets exactly these scopes, from the next request on. Scopes that you do not hold do not change: you can "
            "neither grant nor remove them. A membership's role can't change: invite the person to another role, and "
            f"end this membership. {NOT_BY_PERSONAL_KEYS}"
        ),
        request=ReachedScopesSerializer,
        responses=MembershipSerializer,
        extensions=sample(f'curl -X PATCH "{_BASE}$MEMBER_ID/" {KEY} {JSON} \\\n  -d \'{{"scopes": ["fund:beta"]}}\''),
    )
    @idempotent
    def patch(self, request: Request, id: UUID) -> ActResponse:
        found = member(id)
        membership_scopes_set(found, scopes=scopes_named(said(ReachedScopesSerializer, request)["scopes"]))
        return _answer(id)


class _StepView(ApiView):
    """Not there is told before what may be done with it."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.found = member(kwargs["id"])

    def revision(self, request: Request) -> int:
        return int(said(DecideMembershipSerializer, request)["revision"])


class MemberConfirmView(_StepView):
    # What the role approves, the service asks for: it depends on the membership.
    required_permissions = _SEE

    @extend_schema(
        operation_id="confirm_member",
        tags=_TAG,
        auth=BY_SESSION,
        summary="Agree that somebody gets a role that approves",
        description=(
            "You confirm as the second person, who must hold what the role approves. You can't be the inviter, the "
            "person, another account of either, or anybody above them in the chain of invitations (409). You must "
            "have entered a code of your second factor in the admin within the last minutes (403, "
            f"`tenants.step_up_needed`). {IN_PERSON}"
        ),
        request=DecideMembershipSerializer,
        responses=MembershipSerializer,
        extensions=sample(f"curl \"{_BASE}$MEMBER_ID/confirm/\" {SESSION} {JSON} \\\n  -d '{{{_REVISION}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        membership_confirm(self.found, revision=self.revision(request))
        return _answer(id)


class MemberDeclineView(_StepView):
    required_permissions = _SEE

    @extend_schema(
        operation_id="decline_member",
        tags=_TAG,
        summary="Refuse that somebody gets a role that approves",
        description=(
            "Declines a membership that waits: it ends without ever giving any rights. You must hold what the role "
            "approves, and use a session or a key that acts for you. The person may be invited again."
        ),
        request=DecideMembershipSerializer,
        responses=MembershipSerializer,
        extensions=sample(f"curl \"{_BASE}$MEMBER_ID/decline/\" {KEY} {JSON} \\\n  -d '{{{_REVISION}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        membership_decline(self.found, revision=self.revision(request))
        return _answer(id)


class MemberEndView(_StepView):
    required_permissions = _MANAGE

    @extend_schema(
        operation_id="end_member",
        tags=_TAG,
        summary="End a membership",
        description=(
            "From their next request on, the person loses the role and what it reached, and their keys with this "
            "role end. Their other roles stay. The membership can't be restored: inviting the person again begins a "
            "new one. You can end the last administrator's membership. Then nobody can manage members and keys, and "
            f"the operator must help. {NOT_BY_PERSONAL_KEYS}"
        ),
        request=DecideMembershipSerializer,
        responses=MembershipSerializer,
        extensions=sample(f"curl \"{_BASE}$MEMBER_ID/end/\" {KEY} {JSON} \\\n  -d '{{{_REVISION}}}'"),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        membership_revoke(self.found, revision=self.revision(request))
        return _answer(id)


def _answer(id: UUID) -> ActResponse:
    data = dict(MembershipSerializer(member(id)).data)
    return ActResponse(data, status=200, subject_id=id, scope_ids=scopes_told(data))
