"""Nobody gets through a door that is not theirs: every operation of the document, tried by everybody who must not."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.utils import timezone

from apps.audit.models import Event, Webhook, WebhookDelivery
from apps.audit.webhooks.services import webhook_create, webhook_test
from apps.corpus.models import Document, IngestJob
from apps.corpus.services.removals import document_remove
from apps.erasure.models import RemovalRun
from apps.intents.baseline import baseline_snapshot
from apps.intents.models import Absence, PolicyVersion, Recertification, VersionStatus
from apps.intents.services.absences import absence_record
from apps.intents.services.recertification import recertification_begin
from apps.intents.snapshots.content import policy_content
from apps.privacy.codes.requests import Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey, Invitation, Membership, Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import WITHHELD_FROM_KEYS
from apps.tenants.roles import APPROVING, PERMISSIONS, Permission, Role
from apps.tenants.services.api_keys import api_key_create, api_key_revoke
from tests.api.client import Api, conforms, openapi
from tests.api.conftest import ready_document
from tests.factories import Firm, make_invitation, make_key, make_member, make_personal_key

pytestmark = pytest.mark.django_db


class Door(NamedTuple):
    """One operation, and the permission that it needs: None for any principal."""

    method: str
    path: str
    permission: Permission | None


RECORD = "/api/v1/records/flows/r-1/"
FORMS = ("/api/v1/documents/", "/api/v1/documents/batch/", f"{RECORD}profile/")
DOORS = (
    Door("post", "/api/v1/query/", Permission.QUESTION_ASK),
    Door("post", "/api/v1/search/", Permission.QUESTION_ASK),
    Door("post", "/v1/chat/completions", Permission.QUESTION_ASK),
    Door("post", "/v1/responses", Permission.QUESTION_ASK),
    Door("get", "/v1/models", Permission.QUESTION_ASK),
    Door("get", "/v1/models/glassbox", Permission.QUESTION_ASK),
    Door("post", "/api/v1/claims/checks/", Permission.QUESTION_ASK),
    Door("get", "/api/v1/queries/", Permission.QUESTION_ASK),
    Door("post", "/api/v1/queries/{event}/send/", Permission.QUESTION_ASK),
    Door("post", "/api/v1/queries/{event}/take-back/", Permission.QUESTION_ASK),
    Door("get", "/api/v1/research/runs/", Permission.QUESTION_ASK),
    Door("post", "/api/v1/research/runs/", Permission.QUESTION_ASK),
    Door("get", "/api/v1/research/runs/{run}/", Permission.QUESTION_ASK),
    Door("put", "/api/v1/research/runs/{run}/plan/", Permission.QUESTION_ASK),
    Door("post", "/api/v1/research/runs/{run}/start/", Permission.QUESTION_ASK),
    Door("post", "/api/v1/research/runs/{run}/cancel/", Permission.QUESTION_ASK),
    Door("get", "/api/v1/research/runs/{run}/events/", Permission.QUESTION_ASK),
    Door("get", "/api/v1/research/runs/{run}/export/", Permission.QUESTION_ASK),
    Door("get", "/api/v1/documents/", Permission.DOCUMENT_VIEW),
    Door("post", "/api/v1/documents/", Permission.DOCUMENT_ADD),
    Door("post", "/api/v1/documents/batch/", Permission.DOCUMENT_ADD),
    Door("post", "/api/v1/documents/suggest-kind/", Permission.DOCUMENT_ADD),
    Door("get", "/api/v1/documents/{document}/", Permission.DOCUMENT_VIEW),
    Door("patch", "/api/v1/documents/{document}/", Permission.DOCUMENT_ADD),
    Door("delete", "/api/v1/documents/{document}/", Permission.DOCUMENT_DELETE),
    Door("post", "/api/v1/documents/{document}/move/", Permission.DOCUMENT_DELETE),
    Door("get", "/api/v1/documents/{document}/chunks/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/documents/{document}/pages/1/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/documents/{document}/pages/1/image/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/documents/{document}/versions/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/documents/{document}/content/", Permission.DOCUMENT_VIEW),
    Door("get", RECORD, Permission.DOCUMENT_VIEW),
    Door("put", RECORD, Permission.DOCUMENT_ADD),
    Door("delete", RECORD, Permission.DOCUMENT_DELETE),
    Door("post", f"{RECORD}profile/", Permission.DOCUMENT_ADD),
    Door("post", "/api/v1/records/batch/", Permission.DOCUMENT_ADD),
    Door("get", "/api/v1/records/schemas/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/facts/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/series/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/entities/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/entities/organisation:nobody/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/removals/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/removals/{removal}/", Permission.DOCUMENT_VIEW),
    Door("post", "/api/v1/removals/{removal}/approve/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/removals/{removal}/reject/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/removals/{removal}/take-back/", Permission.DOCUMENT_DELETE),
    Door("get", "/api/v1/jobs/", Permission.DOCUMENT_VIEW),
    Door("get", "/api/v1/jobs/{job}/", Permission.DOCUMENT_VIEW),
    Door("post", "/api/v1/jobs/{job}/retry/", Permission.JOB_RETRY),
    Door("get", "/api/v1/policy/", Permission.POLICY_VIEW),
    Door("get", "/api/v1/policy/access/", None),
    Door("get", "/api/v1/policy/access/list/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/absences/", Permission.POLICY_VIEW),
    Door("post", "/api/v1/absences/", Permission.POLICY_APPROVE),
    Door("post", "/api/v1/absences/{absence}/end/", Permission.POLICY_APPROVE),
    Door("get", "/api/v1/notices/", Permission.POLICY_VIEW),
    Door("post", "/api/v1/notices/{notice}/read/", Permission.POLICY_VIEW),
    Door("get", "/api/v1/recertifications/", Permission.POLICY_VIEW),
    Door("post", "/api/v1/recertifications/", Permission.POLICY_EDIT),
    Door("get", "/api/v1/recertifications/{recertification}/", Permission.POLICY_VIEW),
    Door("post", "/api/v1/recertifications/{recertification}/remind/", Permission.POLICY_EDIT),
    Door("post", "/api/v1/recertifications/{recertification}/close/", Permission.POLICY_EDIT),
    Door("get", "/api/v1/policy/versions/", Permission.POLICY_VIEW),
    Door("post", "/api/v1/policy/versions/", Permission.POLICY_EDIT),
    Door("get", "/api/v1/policy/versions/{version}/", Permission.POLICY_VIEW),
    Door("put", "/api/v1/policy/versions/{version}/", Permission.POLICY_EDIT),
    Door("delete", "/api/v1/policy/versions/{version}/", Permission.POLICY_EDIT),
    Door("get", "/api/v1/policy/versions/{version}/file/", Permission.POLICY_VIEW),
    Door("get", "/api/v1/policy/versions/{version}/diff/", Permission.POLICY_VIEW),
    Door("get", "/api/v1/policy/versions/{version}/proof/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/policy/versions/{version}/check/", Permission.POLICY_VIEW),
    Door("get", "/api/v1/policy/versions/{version}/example-suggestions/", Permission.POLICY_EDIT),
    Door("post", "/api/v1/policy/versions/{version}/submit/", Permission.POLICY_EDIT),
    Door("post", "/api/v1/policy/versions/{version}/approve/", Permission.POLICY_APPROVE),
    Door("post", "/api/v1/policy/versions/{version}/reject/", Permission.POLICY_APPROVE),
    Door("post", "/api/v1/policy/versions/{version}/send-back/", Permission.POLICY_APPROVE),
    # Who may do these depends on the version: its author may withdraw it, and who may approve.
    Door("post", "/api/v1/policy/versions/{version}/withdraw/", Permission.POLICY_VIEW),
    Door("post", "/api/v1/policy/versions/{version}/comments/", Permission.POLICY_VIEW),
    Door("get", "/api/v1/usage/models/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/events/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/events/export/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/events/{event}/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/events/{event}/proof/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/checkpoints/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/checkpoints/latest/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/consistency/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/audit/verifications/", Permission.AUDIT_VIEW),
    Door("post", "/api/v1/audit/verifications/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/privacy/certificates/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/privacy/certificates/{certificate}/", Permission.AUDIT_VIEW),
    Door("get", "/api/v1/privacy/requests/", Permission.AUDIT_VIEW),
    Door("post", "/api/v1/privacy/requests/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/privacy/requests/{request}/", Permission.AUDIT_VIEW),
    Door("post", "/api/v1/privacy/requests/{request}/ask-identity/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/confirm-identity/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/assess/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/extend/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/refuse/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/withdraw/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/propose/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/take-back/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/approve/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/privacy/requests/{request}/send-back/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/privacy/requests/{request}/without-proof/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/keep-proof/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/agree-without-proof/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/privacy/requests/{request}/letters/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/privacy/requests/{request}/inventory/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/privacy/requests/{request}/inventory/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/privacy/requests/{request}/inventory/hits/", Permission.PRIVACY_APPROVE),
    Door("post", "/api/v1/privacy/requests/{request}/inventory/decisions/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/inventory/treatments/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/inventory/prepare/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/privacy/requests/{request}/quotes/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/quotes/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/privacy/requests/{request}/package/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/package/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/package/take-back/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/privacy/requests/{request}/package/content/", Permission.PRIVACY_MANAGE),
    Door("post", "/api/v1/privacy/requests/{request}/answer/", Permission.PRIVACY_MANAGE),
    Door("get", "/api/v1/members/", Permission.MEMBER_VIEW),
    Door("get", "/api/v1/members/{member}/", Permission.MEMBER_VIEW),
    Door("patch", "/api/v1/members/{member}/", Permission.MEMBER_MANAGE),
    # What the membership's role approves decides who may do these.
    Door("post", "/api/v1/members/{member}/confirm/", Permission.MEMBER_VIEW),
    Door("post", "/api/v1/members/{member}/decline/", Permission.MEMBER_VIEW),
    Door("post", "/api/v1/members/{member}/end/", Permission.MEMBER_MANAGE),
    Door("get", "/api/v1/invitations/", Permission.MEMBER_VIEW),
    Door("post", "/api/v1/invitations/", Permission.MEMBER_MANAGE),
    Door("get", "/api/v1/invitations/{invitation}/", Permission.MEMBER_VIEW),
    Door("post", "/api/v1/invitations/{invitation}/send/", Permission.MEMBER_MANAGE),
    Door("post", "/api/v1/invitations/{invitation}/withdraw/", Permission.MEMBER_MANAGE),
    Door("get", "/api/v1/keys/", Permission.KEY_MANAGE),
    Door("post", "/api/v1/keys/", Permission.KEY_MANAGE),
    Door("get", "/api/v1/keys/{key}/", Permission.KEY_MANAGE),
    Door("patch", "/api/v1/keys/{key}/", Permission.KEY_MANAGE),
    Door("post", "/api/v1/keys/{key}/revoke/", Permission.KEY_MANAGE),
    Door("post", "/api/v1/keys/{key}/rotate/", Permission.KEY_MANAGE),
    Door("get", "/api/v1/webhooks/", Permission.TENANT_MANAGE),
    Door("post", "/api/v1/webhooks/", Permission.TENANT_MANAGE),
    Door("get", "/api/v1/webhooks/classes/", Permission.TENANT_MANAGE),
    Door("get", "/api/v1/webhooks/{webhook}/", Permission.TENANT_MANAGE),
    Door("patch", "/api/v1/webhooks/{webhook}/", Permission.TENANT_MANAGE),
    Door("delete", "/api/v1/webhooks/{webhook}/", Permission.TENANT_MANAGE),
    Door("post", "/api/v1/webhooks/{webhook}/rotate/", Permission.TENANT_MANAGE),
    Door("post", "/api/v1/webhooks/{webhook}/test/", Permission.TENANT_MANAGE),
    Door("get", "/api/v1/webhooks/{webhook}/deliveries/", Permission.TENANT_MANAGE),
    Door("get", "/api/v1/webhooks/deliveries/{delivery}/", Permission.TENANT_MANAGE),
    Door("post", "/api/v1/webhooks/deliveries/{delivery}/redeliver/", Permission.TENANT_MANAGE),
    Door("get", "/api/v1/scopes/", None),
    Door("post", "/api/v1/scopes/", Permission.SCOPE_MANAGE),
    Door("get", "/api/v1/scopes/{scope}/", None),
    Door("patch", "/api/v1/scopes/{scope}/", Permission.SCOPE_MANAGE),
    Door("get", "/api/v1/me/", None),
    # For people: a key of the firm is refused whatever its role, for a reason of its own.
    Door("get", "/api/v1/me/data/", None),
)
OPEN = {("get", "/api/v1/health/")}
# A policy is its tenant's, and the same in all scopes; so are requests, what is decided on, and the directory.
OF_ALL_SCOPES = (
    *("{version}", "{request}", "{removal}", "{member}", "{invitation}", "{key}", "{recertification}"),
    *("{notice}", "{absence}"),
)
WITH_IDS = tuple(door for door in DOORS if "{" in door.path)


# What each address takes, where it takes anything.
NOBODY = "00000000-0000-7000-8000-000000000000"
READ = {"revision": 1}
PROPOSED = {"run_id": NOBODY, "revision": 1}
BODIES: dict[str, dict[str, Any] | None] = {
    "/documents/{document}/": {"company": "Acme"},
    "/documents/{document}/move/": {"scope": "fund:beta"},
    "/records/flows/r-1/": {
        "scope": "fund:alpha",
        "kind": "run",
        "type": "edit_pattern",
        "record": {"before": "a", "after": "b"},
    },
    "/records/batch/": {"scope": "fund:alpha", "records": [{"source": "flows", "external_id": "r-1"}]},
    "/query/": {"question": "What was the drawdown?"},
    "/v1/chat/completions": {
        "model": "glassbox",
        "messages": [{"role": "user", "content": "What was the drawdown?"}],
    },
    "/v1/responses": {"model": "glassbox", "input": "What was the drawdown?"},
    "/research/runs/": {"question": "What was the drawdown?"},
    "/research/runs/{run}/plan/": {"sub_questions": [{"key": "whole"}]},
    "/suggest-kind/": {"filename": "fees.md"},
    "/search/": {"question": "What was the drawdown?"},
    "/queries/{event}/send/": {"question": "What was the drawdown?", "note": "", "consent": True},
    "/versions/": {"reason": "A change."},
    "/versions/{version}/": {
        "reason": "A change.",
        "revision": 1,
        "content": policy_content(baseline_snapshot()),
    },
    "/submit/": READ,
    "/versions/{version}/approve/": READ,
    "/reject/": {**READ, "reason": "No."},
    "/send-back/": {**READ, "reason": "No."},
    "/withdraw/": {**READ, "reason": "No."},
    "/comments/": {"text": "Why?"},
    "/requests/": {"subject_type": "tenant", "requester": "firm"},
    "/requests/{request}/send-back/": {**PROPOSED, "reason": "not_due"},
    "/without-proof/": {**PROPOSED, "reason": "no_administrator"},
    "/keep-proof/": PROPOSED,
    "/agree-without-proof/": PROPOSED,
    "/ask-identity/": {**READ, "words": "Who are you?"},
    "/confirm-identity/": READ,
    "/assess/": {**READ, "ground": "17_1_a"},
    "/extend/": {**READ, "code": "number", "words": "Many."},
    "/refuse/": {**READ, "code": "17_1", "words": "No."},
    "/requests/{request}/withdraw/": {**READ, "words": "No."},
    "/propose/": READ,
    "/requests/{request}/take-back/": PROPOSED,
    "/requests/{request}/approve/": PROPOSED,
    "/letters/": {"kind": "received"},
    "/decisions/": {"decisions": [{"hit_id": NOBODY, "reason": "named", "seen": "open"}]},
    "/treatments/": {"document_id": NOBODY, "treatment": "remove", "seen": None},
    "/prepare/": READ,
    "/removals/{removal}/approve/": {**READ, "document_id": NOBODY},
    "/removals/{removal}/reject/": {**READ, "document_id": NOBODY, "reason": "not_due"},
    "/removals/{removal}/take-back/": {**READ, "document_id": NOBODY},
    "/package/": READ,
    "/package/take-back/": READ,
    "/answer/": READ,
    "/members/{member}/": {"scopes": ["fund:beta"]},
    "/members/{member}/confirm/": READ,
    "/members/{member}/decline/": READ,
    "/end/": READ,
    "/absences/{absence}/end/": None,
    "/invitations/": {"email": "jo@example.com", "role": "analyst", "scopes": ["fund:beta"]},
    "/recertifications/": {"owners": [NOBODY], "due_at": "2099-01-01T00:00:00Z"},
    "/absences/": {"begins_at": "2099-01-01T00:00:00Z", "ends_at": "2099-01-02T00:00:00Z"},
    "/keys/": {"name": "Portal", "role": "analyst", "scopes": ["fund:beta"], "expires_at": None},
    "/keys/{key}/": {"name": "Portal", "reason": "Another one."},
    "/rotate/": {"overlap_hours": 1, "expires_at": None},
    "/scopes/": {"key": "fund:new", "name": "New", "parent": "fund:beta"},
    "/scopes/{scope}/": {"name": "Another", "reason": "It was renamed."},
    "/webhooks/": {"url": "https://hooks.example.com/glassbox", "classes": ["corpus.document.ready"]},
    "/webhooks/{webhook}/": {"classes": ["corpus.document.ready"]},
    "/webhooks/{webhook}/rotate/": None,
}
# What takes a body, where the end of its address alone would name another's.
WITHOUT_BODY = ("/api/v1/invitations/{invitation}/withdraw/",)


class Ids(NamedTuple):
    document: str
    job: str
    event: str
    version: str
    certificate: str
    request: str
    removal: str
    member: str
    invitation: str
    key: str
    scope: str
    webhook: str
    delivery: str
    recertification: str
    notice: str
    absence: str
    run: str


@pytest.fixture(scope="module")
def home(acme: Firm, report: Document) -> Ids:
    return ids_of(acme, report)


def ids_of(firm: Firm, document: Document) -> Ids:
    with open_scope(tenant=firm.id, reason="a test"):
        job = IngestJob.objects.get(document=document)
        event = Event.objects.filter(subject_id=document.id).latest("occurred_at")
        version = PolicyVersion.objects.get(status=VersionStatus.ACTIVE)
    webhook, delivery = webhook_of(firm)
    # A certificate takes several roles at work, each with a transaction of its own: tests/audit/test_certificate.py.
    return Ids(
        document=str(document.id),
        job=str(job.id),
        event=str(event.id),
        version=str(version.id),
        certificate=str(uuid.uuid4()),
        request=str(request_of(firm).id),
        removal=str(removal_of(firm, document).id),
        member=str(member_of(firm).id),
        invitation=str(invitation_of(firm).id),
        key=str(make_key(firm)[0].id),
        scope=str(firm.scopes["fund:alpha"].id),
        webhook=str(webhook.id),
        delivery=str(delivery.id),
        recertification=str(recertification_of(firm).id),
        # A notice is its receiver's alone: tests/intents/test_notices.py.
        notice=str(uuid.uuid4()),
        absence=str(absence_of(firm).id),
        # Research is its owner's alone: tests/research.
        run=str(uuid.uuid4()),
    )


def member_of(firm: Firm) -> Membership:
    made = make_member(firm, f"member-{uuid.uuid4().hex[:8]}", Role.ANALYST)
    with open_scope(tenant=firm.id, reason="a test"):
        return Membership.objects.get(user_id=made.id)


def invitation_of(firm: Firm) -> Invitation:
    """As an analyst, by an administrator of the firm's."""
    inviter = make_member(firm, f"inviter-{firm.tenant.slug}", Role.TENANT_ADMIN)
    return make_invitation(firm, "invited@example.com", Role.ANALYST, by=inviter)[0]


def recertification_of(firm: Firm) -> Recertification:
    """By an officer of the firm's, of auditors' grants, which an administrator of the firm's answers for."""
    owner = make_member(firm, f"owner-{firm.tenant.slug}", Role.TENANT_ADMIN)
    make_member(firm, f"certified-{firm.tenant.slug}", Role.AUDITOR)
    with open_scope(
        tenant=firm.id, principal=make_member(firm, f"officer-{firm.tenant.slug}", Role.COMPLIANCE_OFFICER)
    ):
        assert owner.id is not None
        return recertification_begin(
            owner_ids=[owner.id], due_at=timezone.now() + timedelta(days=9), roles=[Role.AUDITOR]
        )


def absence_of(firm: Firm) -> Absence:
    """Of a reviewer of the firm's."""
    away = make_member(firm, f"away-{firm.tenant.slug}", Role.REVIEWER)
    with open_scope(tenant=firm.id, principal=away):
        now = timezone.now()
        return absence_record(begins_at=now, ends_at=now + timedelta(days=1))


def webhook_of(firm: Firm) -> tuple[Webhook, WebhookDelivery]:
    """One of all scopes, by an administrator of the firm's, and the delivery of a test."""
    admin = make_member(firm, f"hooks-{firm.tenant.slug}", Role.TENANT_ADMIN)
    with open_scope(tenant=firm.id, principal=admin):
        made, _ = webhook_create(
            url="https://hooks.example.com/glassbox", actions=["corpus.document.ready"], scopes=admin.scope_ids
        )
        return made, webhook_test(made.id)


def request_of(firm: Firm) -> ErasureRequest:
    """A request for erasure, taken in by the firm's own data protection officer."""
    name = f"dpo-{firm.tenant.slug}"
    with open_scope(tenant=firm.id, principal=make_member(firm, name, Role.DPO)):
        return request_receive(
            subject_type=SubjectType.TENANT, requester=Requester.FIRM, details=Details(requester_name="Jo Doe")
        )


def removal_of(firm: Firm, document: Document) -> RemovalRun:
    """Its removal, proposed by an administrator of the firm's."""
    with open_scope(tenant=firm.id, principal=make_member(firm, f"remover-{firm.tenant.slug}", Role.TENANT_ADMIN)):
        made = document_remove(document_id=document.id, reason="duplicate")
    assert made is not None
    return made


def personal_key(firm: Firm, role: Role, *, scopes: Iterable[str] = ()) -> str:
    """Of somebody new in the firm, who holds that one role: it opens what a key of the firm is refused."""
    name = f"{role.value}-{uuid.uuid4().hex[:8]}"
    make_member(firm, name, role, scopes=scopes)
    return make_personal_key(firm, name, role=role, scopes=scopes)[1]


def knock(door: Door, key: str, ids: Ids) -> HttpResponse:
    """A request that would succeed, were it only allowed."""
    api = Api(key)
    path = door.path.format(**ids._asdict())
    headers = {"authorization": f"Bearer {key}"} if key else {}
    if door.method == "post" and door.path in FORMS:
        form = {"file": SimpleUploadedFile("note.md", b"# A note\n\nText."), "scope": "fund:alpha", "kind": "run"}
        response = api.client.post(path, form, headers=headers)
    elif door.method in ("post", "put", "patch"):
        body = body_for(door.path)
        send = getattr(api.client, door.method)
        response = send(path, json.dumps(body) if body else "", content_type="application/json", headers=headers)
    else:
        response = getattr(api.client, door.method)(path, headers=headers)
    conforms(door.method, path, response)
    return response


def body_for(path: str) -> dict[str, Any] | None:
    """The longest end that fits: two things can be withdrawn."""
    ends = [end for end in BODIES if path.endswith(end) and path not in WITHOUT_BODY]
    return BODIES[max(ends, key=len)] if ends else None


def without_key(firm: Firm) -> str:
    return ""


def wrong_key(firm: Firm) -> str:
    _, plain = make_key(firm, Role.TENANT_ADMIN)
    return plain[:-1] + ("x" if plain[-1] != "x" else "y")


def no_key_at_all(firm: Firm) -> str:
    return "not-a-key"


def expired_key(firm: Firm) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        _, plain = api_key_create(
            name="old",
            role=Role.TENANT_ADMIN,
            scopes=[firm.root],
            expires_at=timezone.now() - timedelta(seconds=1),
        )
    return plain


def revoked_key(firm: Firm) -> str:
    _, plain = make_key(firm, Role.TENANT_ADMIN)
    with open_scope(tenant=firm.id, reason="a test"):
        api_key_revoke(ApiKey.objects.latest("created_at"))
    return plain


def key_of_a_suspended_tenant(firm: Firm) -> str:
    _, plain = make_key(firm, Role.TENANT_ADMIN)
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.update(status=TenantStatus.SUSPENDED)
    return plain


def template_of(door: Door) -> str:
    """Return the address as the OpenAPI document has it."""
    path = door.path.format(**dict.fromkeys(Ids._fields, "{id}"))
    for one, all_of_them in (
        ("/pages/1/", "/pages/{number}/"),
        ("/flows/r-1/", "/{source}/{external_id}/"),
        ("/organisation:nobody/", "/{key}/"),
    ):
        path = path.replace(one, all_of_them)
    return path.replace("/models/glassbox", "/models/{model}")


def test_every_operation_of_the_document_is_a_door() -> None:
    documented = {(method, path) for path, operations in openapi()["paths"].items() for method in operations}
    assert documented == {(door.method, template_of(door)) for door in DOORS} | OPEN


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "code"),
    [
        (without_key, "api.not_authenticated"),
        (wrong_key, "tenants.invalid_api_key"),
        (no_key_at_all, "tenants.invalid_api_key"),
        (expired_key, "tenants.invalid_api_key"),
        (revoked_key, "tenants.invalid_api_key"),
        (key_of_a_suspended_tenant, "tenants.invalid_api_key"),
    ],
)
def test_no_door_opens_without_a_valid_key(acme: Firm, home: Ids, make: Callable[[Firm], str], code: str) -> None:
    key = make(acme)
    answers = {(door.method, door.path): knock(door, key, home) for door in DOORS}
    assert {door: (each.status_code, each.json()["code"]) for door, each in answers.items()} == dict.fromkeys(
        answers, (401, code)
    )
    assert all(each["WWW-Authenticate"].startswith("Bearer") for each in answers.values())


def test_wrong_expired_and_revoked_keys_get_the_same_answer(acme: Firm, home: Ids) -> None:
    answers = [knock(DOORS[1], make(acme), home) for make in (wrong_key, expired_key, revoked_key)]
    first, *others = (_without_ids(each, home) for each in answers)
    assert others == [first, first]


@pytest.mark.slow
@pytest.mark.parametrize("role", Role)
def test_a_role_opens_the_doors_of_its_permissions_and_no_other(acme: Firm, home: Ids, role: Role) -> None:
    _, key = make_key(acme, role)
    # Deleting last: the others need the document.
    ordered = sorted(DOORS, key=lambda door: door.method == "delete")
    refused = {
        (door.method, door.path)
        for door in ordered
        if (answer := knock(door, key, home)).status_code == 403
        and answer.json().get("data", {}).get("permission") == door.permission
        and answer.json()["code"] != "audit.nobodys_data"
    }
    assert refused == {
        (door.method, door.path)
        for door in DOORS
        # A key of the firm decides on nothing as the second person, whatever its role.
        if door.permission is not None and door.permission not in PERMISSIONS[role] - APPROVING
    }


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["another tenant", "another scope"])
def test_what_is_not_yours_is_not_there(acme: Firm, bolt: Firm, home: Ids, whose: str) -> None:
    foreign = home if whose == "another scope" else ids_of(bolt, ready_document(bolt))
    nowhere = Ids(*(str(uuid.uuid4()) for _ in foreign))
    keys = {role: personal_key(acme, role, scopes=["fund:beta"]) for role in Role}
    for door in WITH_IDS:
        if whose == "another scope" and any(each in door.path for each in OF_ALL_SCOPES):
            continue
        key = next(keys[role] for role in reversed(Role) if door.permission in (None, *PERMISSIONS[role]))
        if door.permission in WITHHELD_FROM_KEYS:
            key = make_key(acme, Role.TENANT_ADMIN, scopes=["fund:beta"])[1]
        theirs, none = knock(door, key, foreign), knock(door, key, nowhere)
        assert theirs.status_code == none.status_code == 404, door
        assert _without_ids(theirs, foreign) == _without_ids(none, nowhere), door


def test_a_foreign_document_survives_the_attempt_to_delete_it(acme: Firm, bolt: Firm) -> None:
    foreign = ids_of(bolt, ready_document(bolt))
    knock(Door("delete", "/api/v1/documents/{document}/", None), make_key(acme, Role.TENANT_ADMIN)[1], foreign)
    with open_scope(tenant=bolt.id, reason="a test"):
        assert Document.objects.filter(id=foreign.document).exists()


def _without_ids(answer: HttpResponse, ids: Ids) -> tuple[str, dict[str, str]]:
    """All of an answer but what it was asked about and the request's own random id, which it must have."""
    headers = dict(answer.items())
    body = answer.content.decode().replace(headers.pop("X-Request-ID"), "REQUEST")
    for each in ids:
        body = body.replace(each, "ID")
    return body, headers
