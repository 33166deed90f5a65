"""The steps of a version's life: submit, approve, reject, send back, withdraw, comment. The services hold the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from apps.intents.api.version_serializers import (
    ApprovalSerializer,
    CommentTextSerializer,
    DecisionSerializer,
    ReceiptSerializer,
    RevisionSerializer,
    VersionSerializer,
)
from apps.intents.api.versions import version_answer, visible_version
from apps.intents.cells import Cell
from apps.intents.errors import InvalidMomentError, NoSuchCellError, ReasonMissingError
from apps.intents.models import Turn
from apps.intents.services.checking import Checked, version_checked
from apps.intents.services.discussion import comment_answer, version_comment
from apps.intents.services.reviews import (
    version_approve,
    version_reject,
    version_send_back,
    version_submit,
    version_withdraw,
)
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.idempotency import ActResponse, idempotent
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
_JSON: Final = '-H "Content-Type: application/json"'
# Within an example's single quotes.
_REVISION: Final = '"revision": \'"$REVISION"\''
_EDIT: Mapping[str, Permission | None] = {"POST": Permission.POLICY_EDIT}
_APPROVE: Mapping[str, Permission | None] = {"POST": Permission.POLICY_APPROVE}
# Who may see a version may be one who may comment on it or withdraw it: that depends on the version.
_SEE: Mapping[str, Permission | None] = {"POST": Permission.POLICY_VIEW}
_OF_REASON: Mapping[type[Exception], str] = {ReasonMissingError: "reason"}
_PROVIDER: Final = {PROBLEMS_EXTENSION: ["ProviderFailed", "ProviderTimeout"]}


class _CheckedView(ApiView):
    """A step that stands on the check of the review examples, which is computed before the step's transaction."""

    opens_own_scopes = True

    def _carry_out(self, request: Request, id: UUID) -> Response:
        acting = ShortScopes.all_of(self.principal)
        checked = version_checked(id, acting)
        with acting.open():
            return self._step(request, id, checked=checked)

    def _step(self, request: Request, id: UUID, *, checked: Checked) -> Response:
        raise NotImplementedError


class VersionSubmitView(_CheckedView):
    required_permissions = _EDIT

    @extend_schema(
        operation_id="submit_policy_version",
        tags=["Policy"],
        summary="Submit a draft for review",
        description=(
            "Submits your own draft. After that it can't change, and the reviewers are told by e-mail. A draft that "
            "can't be used is refused with all its problems. A draft that says the same as the version in force, or "
            "that recognises fewer of its review examples than its own bar requires, is refused with 409. The "
            "submitted version has a new revision."
        ),
        request=RevisionSerializer,
        responses=VersionSerializer,
        extensions={
            **sample(
                f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/submit/" {_KEY} {_JSON} \\\n'
                f"  -d '{{{_REVISION}}}'"
            ),
            **_PROVIDER,
        },
    )
    def post(self, request: Request, id: UUID) -> Response:
        return self._carry_out(request, id)

    @idempotent
    def _step(self, request: Request, id: UUID, *, checked: Checked) -> ActResponse:
        said = _said(RevisionSerializer, request)
        return version_answer(version_submit(visible_version(id).id, checked=checked, **said))


class VersionApproveView(_CheckedView):
    required_permissions = _APPROVE
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {InvalidMomentError: "effective_from"}

    @extend_schema(
        operation_id="approve_policy_version",
        tags=["Policy"],
        summary="Approve a version",
        description=(
            "Approves a version in review that somebody else wrote. It comes into force at once, or at "
            "`effective_from`. The version in force is then superseded, never changed."
        ),
        request=ApprovalSerializer,
        responses=VersionSerializer,
        extensions={
            **sample(
                f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/approve/" {_KEY} {_JSON} \\\n'
                f'  -d \'{{{_REVISION}, "effective_from": "2099-01-01T00:00:00Z", "reason": "Agreed."}}\''
            ),
            **_PROVIDER,
        },
    )
    def post(self, request: Request, id: UUID) -> Response:
        return self._carry_out(request, id)

    @idempotent
    def _step(self, request: Request, id: UUID, *, checked: Checked) -> ActResponse:
        version = visible_version(id)
        asked = _said(ApprovalSerializer, request)
        return version_answer(
            version_approve(
                version.id,
                checked=checked,
                effective_from=asked.get("effective_from"),
                reason=asked["reason"],
                revision=asked["revision"],
            )
        )


class VersionRejectView(ApiView):
    required_permissions = _APPROVE
    field_of_error = _OF_REASON

    @extend_schema(
        operation_id="reject_policy_version",
        tags=["Policy"],
        summary="Reject a version",
        description="Rejects a version in review that somebody else wrote, for good, with a reason.",
        request=DecisionSerializer,
        responses=VersionSerializer,
        extensions=sample(
            f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/reject/" {_KEY} {_JSON} \\\n'
            f'  -d \'{{{_REVISION}, "reason": "Schedules name people."}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        version = visible_version(id)
        return version_answer(version_reject(version.id, **_said(DecisionSerializer, request)))


class VersionSendBackView(ApiView):
    required_permissions = _APPROVE
    field_of_error = _OF_REASON

    @extend_schema(
        operation_id="send_back_policy_version",
        tags=["Policy"],
        summary="Send a version back to its author",
        description="A version in review becomes its author's draft again. The reason stays with it as a comment.",
        request=DecisionSerializer,
        responses=VersionSerializer,
        extensions=sample(
            f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/send-back/" {_KEY} {_JSON} \\\n'
            f'  -d \'{{{_REVISION}, "reason": "Say which schedules."}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        version = visible_version(id)
        return version_answer(version_send_back(version.id, **_said(DecisionSerializer, request)))


class VersionWithdrawView(ApiView):
    required_permissions = _SEE
    field_of_error = _OF_REASON

    @extend_schema(
        operation_id="withdraw_policy_version",
        tags=["Policy"],
        summary="Withdraw a version",
        description=(
            "Withdraws a version that is in review, or approved but not yet in force. Its author may do this, "
            "and anybody who may approve."
        ),
        request=DecisionSerializer,
        responses=VersionSerializer,
        extensions=sample(
            f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/withdraw/" {_KEY} {_JSON} \\\n'
            f'  -d \'{{{_REVISION}, "reason": "No longer needed."}}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        version = visible_version(id)
        return version_answer(version_withdraw(version.id, **_said(DecisionSerializer, request)))


class VersionCommentView(ApiView):
    required_permissions = _SEE
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {
        ReasonMissingError: "text",
        NoSuchCellError: "about_intent",
    }

    @extend_schema(
        operation_id="comment_on_policy_version",
        tags=["Policy"],
        summary="Comment on a version",
        description=(
            "Adds a comment in your own name, on the whole version or on a cell of its matrix, or answers one. "
            "An answer may open the comment again or, by its writer or a reviewer who did not write the version, "
            "resolve it. People who may write or approve policies may comment. A comment can't be changed, and stays "
            "with the version."
        ),
        request=CommentTextSerializer,
        responses={201: OpenApiResponse(ReceiptSerializer, description="Said.")},
        extensions=sample(
            f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/comments/" {_KEY} {_JSON} \\\n'
            '  -d \'{"text": "Which schedules are meant?"}\''
        ),
    )
    @idempotent
    def post(self, request: Request, id: UUID) -> ActResponse:
        version = visible_version(id)
        said = _said(CommentTextSerializer, request)
        if said["answers"] is None:
            about = Cell(said["about_intent"], said["about_kind"])
            comment = version_comment(version.id, text=said["text"], about=about)
        else:
            comment = comment_answer(said["answers"], version_id=version.id, text=said["text"], turn=Turn(said["turn"]))
        return ActResponse(ReceiptSerializer(comment).data, status=201, subject_id=comment.id)


def _said(serializer: type[Serializer[Any]], request: Request) -> Mapping[str, Any]:
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    said: Mapping[str, Any] = body.validated_data
    return said
