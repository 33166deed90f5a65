"""A policy version read in other ways: as the one file, against another version, and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.api.version_serializers import GoldenCheckSerializer, PolicyDiffSerializer, VersionCheckSerializer
from apps.intents.api.versions import visible_version
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import policy_diff_json
from apps.intents.errors import UnknownPolicyReferenceError
from apps.intents.policy_file import render_policy_file, version_heading
from apps.intents.policy_file.references import instant_named
from apps.intents.selectors import policy_in_force, policy_versions, version_snapshot
from apps.intents.services.checking import version_checked
from apps.intents.services.successor import usage_problems
from apps.intents.standing import TO_COME
from apps.intents.validation import policy_problems
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_HOW: Final = "Enter a date or an instant that is not in the future."
_HOW_AGAINST: Final = "Enter active, a version's number, or a date or an instant that is not in the future."
_VIEW: Mapping[str, Permission | None] = {"GET": Permission.POLICY_VIEW}


class AgainstSerializer(StrictSerializer):
    against = serializers.CharField(
        required=False,
        max_length=40,
        help_text=(
            "`active` for the version in force (the default), a version's number, or a date or an instant: the version "
            "that was in force then. A date means its first moment, UTC."
        ),
    )

    def validate_against(self, against: str) -> str:
        if against != "active" and not _NUMBER.fullmatch(against):
            past_instant(against, how=_HOW_AGAINST)
        return against


class PolicyFileRenderer(BaseRenderer):
    media_type = "text/plain"
    format = "txt"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return str(data).encode()


class PolicyVersionFileView(ApiView):
    required_permissions = _VIEW
    renderer_classes = (PolicyFileRenderer,)

    @extend_schema(
        operation_id="get_policy_version_file",
        tags=["Policy"],
        summary="Show a version as one file",
        description=(
            "Returns the file that an officer reads and a repository keeps. Comment lines at the top say which "
            "version it is. Below those lines, equal policies give files that are equal to the byte."
        ),
        responses={(200, "text/plain"): OpenApiTypes.STR},
        extensions=sample(f'curl -OJ "{{base}}/api/v1/policy/versions/$VERSION_ID/file/" {_KEY}'),
    )
    def get(self, request: Request, id: UUID) -> Response:
        snapshot = version_snapshot(visible_version(id))
        return Response(
            version_heading(snapshot) + render_policy_file(snapshot),
            headers={
                "Content-Disposition": f'attachment; filename="policy-version-{snapshot.number}.py"',
                "X-Content-Type-Options": "nosniff",
            },
        )


class PolicyVersionDiffView(ApiView):
    required_permissions = _VIEW
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": AgainstSerializer}

    @extend_schema(
        operation_id="get_policy_version_diff",
        tags=["Policy"],
        summary="What a version changes, in words",
        description=(
            "Returns the changes from the version that `against` names to this one. Changes that widen what can be "
            "reached come first."
        ),
        parameters=[AgainstSerializer],
        responses=PolicyDiffSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/diff/?against=active" {_KEY}'),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        after = version_snapshot(visible_version(id))
        return Response(policy_diff_json(compared(self.asked().get("against", "active")), after))


class PolicyVersionCheckView(ApiView):
    required_permissions = _VIEW
    # The provider may have to embed the examples first.
    opens_own_scopes = True

    @extend_schema(
        operation_id="check_policy_version",
        tags=["Policy"],
        summary="Check a version as a submission does",
        description=(
            "Returns all problems that prevent its use, in words. If there are none, the answer also says how many "
            "of its review examples get their intent, each left out in turn, and which intents the others got."
        ),
        responses=VersionCheckSerializer,
        extensions={
            **sample(f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/check/" {_KEY}'),
            PROBLEMS_EXTENSION: ["ProviderFailed", "ProviderTimeout"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        acting = ShortScopes.all_of(self.principal)
        with acting.open():
            version = visible_version(id)
            snapshot = version_snapshot(version)
            to_come = version.status in TO_COME
            problems = list(usage_problems(snapshot) if to_come else policy_problems(snapshot))
        golden = None if problems else version_checked(version.id, acting).result()
        return Response(
            {
                "version": version.number,
                "version_id": str(version.id),
                "problems": problems,
                "golden": None if golden is None else GoldenCheckSerializer(golden).data,
            }
        )


def past_instant(text: str, *, how: str = _HOW) -> datetime:
    """Return the instant that a date or an instant means. Raises ValidationError: it is neither, or in the future."""
    try:
        instant = instant_named(text)
    except UnknownPolicyReferenceError:
        instant = None
    if instant is None or instant > timezone.now():
        raise ValidationError(how)
    return instant


def instant_against(against: str) -> datetime | None:
    """Return the instant that `against` names; None for a version."""
    return None if against in ("", "active") or _NUMBER.fullmatch(against) else past_instant(against)


def compared(against: str) -> PolicySnapshot:
    """Return the policy that `against` names. Raises ValidationError, NoPolicyInForceError."""
    if against == "active":
        return policy_in_force()
    if (instant := instant_against(against)) is not None:
        return policy_in_force(instant)
    version = policy_versions().filter(number=int(against)).first()
    if version is None:
        raise ValidationError({"against": [f"There is no version {against}."]})
    return version_snapshot(version)
