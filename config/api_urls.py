"""The addresses of the API, of all rooms together."""

from __future__ import annotations

from django.urls import path, re_path

from apps.audit.api.log import CheckpointListView, ConsistencyView, EventProofView, LatestCheckpointView
from apps.audit.api.verifications import VerificationListView
from apps.audit.api.views import EventExportView, EventListView, EventView
from apps.audit.api.webhook_deliveries import DeliveryListView, DeliveryView, RedeliverView, WebhookTestView
from apps.audit.api.webhooks import (
    WebhookClassesView,
    WebhookListView,
    WebhookRotateView,
    WebhookView,
)
from apps.corpus.api.batch import DocumentBatchView
from apps.corpus.api.contents import ChunkListView, ContentView, PageView, VersionListView
from apps.corpus.api.documents import DocumentListView, DocumentView
from apps.corpus.api.jobs import JobListView, JobRetryView, JobView
from apps.corpus.api.move import DocumentMoveView
from apps.corpus.api.page_images import PageImageView
from apps.corpus.api.record_batch import RecordBatchView
from apps.corpus.api.record_profiles import RecordProfileView
from apps.corpus.api.record_schemas import RecordSchemasView
from apps.corpus.api.records import RecordView
from apps.corpus.api.removals import (
    RemovalApproveView,
    RemovalListView,
    RemovalRejectView,
    RemovalTakeBackView,
    RemovalView,
)
from apps.corpus.api.suggestion import SuggestKindView
from apps.erasure.api.certificates import CertificateListView, CertificateView
from apps.filings.api.entities import EntityListView, EntityView
from apps.filings.api.facts import FactListView, SeriesView
from apps.intents.api.absences import AbsenceEndView, AbsenceListView
from apps.intents.api.access import AccessView
from apps.intents.api.access_list import AccessListView
from apps.intents.api.notices import NoticeListView, NoticeReadView
from apps.intents.api.proofs import PolicyVersionProofView
from apps.intents.api.recertifications import (
    RecertificationCloseView,
    RecertificationListView,
    RecertificationRemindView,
    RecertificationView,
)
from apps.intents.api.suggestions import ExampleSuggestionsView
from apps.intents.api.version_readings import PolicyVersionCheckView, PolicyVersionDiffView, PolicyVersionFileView
from apps.intents.api.version_steps import (
    VersionApproveView,
    VersionCommentView,
    VersionRejectView,
    VersionSendBackView,
    VersionSubmitView,
    VersionWithdrawView,
)
from apps.intents.api.versions import PolicyVersionListView, PolicyVersionView
from apps.intents.api.views import PolicyView
from apps.privacy.api.access import AnswerView, PackageContentView, PackageTakeBackView, PackageView, QuotesView
from apps.privacy.api.inventory import (
    InventoryDecisionsView,
    InventoryHitListView,
    InventoryPrepareView,
    InventoryTreatmentsView,
    InventoryView,
)
from apps.privacy.api.my_data import MyDataView
from apps.privacy.api.request_proof import AgreeWithoutProofView, KeepProofView, WithoutProofView
from apps.privacy.api.request_steps import (
    ApproveView,
    AskIdentityView,
    AssessView,
    ConfirmIdentityView,
    ExtendView,
    ProposeView,
    RefuseView,
    SendBackView,
    TakeBackView,
    WithdrawView,
    WriteLetterView,
)
from apps.privacy.api.requests import ErasureRequestListView, ErasureRequestView
from apps.research.api.claims import ClaimCheckListView
from apps.research.api.runs import (
    RunCancelView,
    RunEventsView,
    RunExportView,
    RunListView,
    RunPlanView,
    RunStartView,
    RunView,
)
from apps.retrieval.api.changelog import ChangelogView
from apps.retrieval.api.problem_types import ProblemTypesView
from apps.retrieval.api.queries import OwnQuestionListView, SendQuestionView, TakeBackQuestionView
from apps.retrieval.api.query import QueryView, SearchView
from apps.retrieval.api.usage import ModelUsageView
from apps.tenants.api.account import MeView
from apps.tenants.api.health import HealthView
from apps.tenants.api.invitations import (
    InvitationListView,
    InvitationSendView,
    InvitationView,
    InvitationWithdrawView,
)
from apps.tenants.api.keys import KeyListView, KeyRevokeView, KeyRotateView, KeyView
from apps.tenants.api.members import MemberConfirmView, MemberDeclineView, MemberEndView, MemberListView, MemberView
from apps.tenants.api.not_found import UnknownAddressView
from apps.tenants.api.schema import DocsView, OpenApiView
from apps.tenants.api.scopes import ScopeListView, ScopeView

urlpatterns = [
    path("v1/query/", QueryView.as_view()),
    path("v1/search/", SearchView.as_view()),
    path("v1/claims/checks/", ClaimCheckListView.as_view()),
    path("v1/queries/", OwnQuestionListView.as_view()),
    path("v1/queries/<uuid:id>/send/", SendQuestionView.as_view()),
    path("v1/queries/<uuid:id>/take-back/", TakeBackQuestionView.as_view()),
    path("v1/research/runs/", RunListView.as_view()),
    path("v1/research/runs/<uuid:id>/", RunView.as_view()),
    path("v1/research/runs/<uuid:id>/plan/", RunPlanView.as_view()),
    path("v1/research/runs/<uuid:id>/start/", RunStartView.as_view()),
    path("v1/research/runs/<uuid:id>/cancel/", RunCancelView.as_view()),
    path("v1/research/runs/<uuid:id>/events/", RunEventsView.as_view()),
    path("v1/research/runs/<uuid:id>/export/", RunExportView.as_view()),
    path("v1/records/batch/", RecordBatchView.as_view()),
    path("v1/records/schemas/", RecordSchemasView.as_view()),
    path("v1/records/<str:source>/<str:external_id>/", RecordView.as_view()),
    path("v1/records/<str:source>/<str:external_id>/profile/", RecordProfileView.as_view()),
    path("v1/documents/", DocumentListView.as_view()),
    path("v1/documents/batch/", DocumentBatchView.as_view()),
    path("v1/documents/suggest-kind/", SuggestKindView.as_view()),
    path("v1/documents/<uuid:id>/", DocumentView.as_view()),
    path("v1/documents/<uuid:id>/move/", DocumentMoveView.as_view()),
    path("v1/documents/<uuid:id>/chunks/", ChunkListView.as_view()),
    path("v1/documents/<uuid:id>/pages/<int:number>/", PageView.as_view()),
    path("v1/documents/<uuid:id>/pages/<int:number>/image/", PageImageView.as_view()),
    path("v1/documents/<uuid:id>/versions/", VersionListView.as_view()),
    path("v1/facts/", FactListView.as_view()),
    path("v1/series/", SeriesView.as_view()),
    path("v1/entities/", EntityListView.as_view()),
    path("v1/entities/<str:key>/", EntityView.as_view()),
    path("v1/documents/<uuid:id>/content/", ContentView.as_view()),
    path("v1/removals/", RemovalListView.as_view()),
    path("v1/removals/<uuid:id>/", RemovalView.as_view()),
    path("v1/removals/<uuid:id>/approve/", RemovalApproveView.as_view()),
    path("v1/removals/<uuid:id>/reject/", RemovalRejectView.as_view()),
    path("v1/removals/<uuid:id>/take-back/", RemovalTakeBackView.as_view()),
    path("v1/jobs/", JobListView.as_view()),
    path("v1/jobs/<uuid:id>/", JobView.as_view()),
    path("v1/jobs/<uuid:id>/retry/", JobRetryView.as_view()),
    path("v1/policy/", PolicyView.as_view()),
    path("v1/policy/access/", AccessView.as_view()),
    path("v1/policy/access/list/", AccessListView.as_view()),
    path("v1/absences/", AbsenceListView.as_view()),
    path("v1/absences/<uuid:id>/end/", AbsenceEndView.as_view()),
    path("v1/notices/", NoticeListView.as_view()),
    path("v1/notices/<uuid:id>/read/", NoticeReadView.as_view()),
    path("v1/recertifications/", RecertificationListView.as_view()),
    path("v1/recertifications/<uuid:id>/", RecertificationView.as_view()),
    path("v1/recertifications/<uuid:id>/remind/", RecertificationRemindView.as_view()),
    path("v1/recertifications/<uuid:id>/close/", RecertificationCloseView.as_view()),
    path("v1/policy/versions/", PolicyVersionListView.as_view()),
    path("v1/policy/versions/<uuid:id>/", PolicyVersionView.as_view()),
    path("v1/policy/versions/<uuid:id>/file/", PolicyVersionFileView.as_view()),
    path("v1/policy/versions/<uuid:id>/diff/", PolicyVersionDiffView.as_view()),
    path("v1/policy/versions/<uuid:id>/proof/", PolicyVersionProofView.as_view()),
    path("v1/policy/versions/<uuid:id>/check/", PolicyVersionCheckView.as_view()),
    path("v1/policy/versions/<uuid:id>/example-suggestions/", ExampleSuggestionsView.as_view()),
    path("v1/policy/versions/<uuid:id>/submit/", VersionSubmitView.as_view()),
    path("v1/policy/versions/<uuid:id>/approve/", VersionApproveView.as_view()),
    path("v1/policy/versions/<uuid:id>/reject/", VersionRejectView.as_view()),
    path("v1/policy/versions/<uuid:id>/send-back/", VersionSendBackView.as_view()),
    path("v1/policy/versions/<uuid:id>/withdraw/", VersionWithdrawView.as_view()),
    path("v1/policy/versions/<uuid:id>/comments/", VersionCommentView.as_view()),
    path("v1/usage/models/", ModelUsageView.as_view()),
    path("v1/audit/events/", EventListView.as_view()),
    path("v1/audit/events/export/", EventExportView.as_view()),
    path("v1/audit/events/<uuid:id>/", EventView.as_view()),
    path("v1/audit/events/<uuid:id>/proof/", EventProofView.as_view()),
    path("v1/audit/checkpoints/", CheckpointListView.as_view()),
    path("v1/audit/checkpoints/latest/", LatestCheckpointView.as_view()),
    path("v1/audit/consistency/", ConsistencyView.as_view()),
    path("v1/audit/verifications/", VerificationListView.as_view()),
    path("v1/webhooks/", WebhookListView.as_view()),
    path("v1/webhooks/classes/", WebhookClassesView.as_view()),
    path("v1/webhooks/<uuid:id>/", WebhookView.as_view()),
    path("v1/webhooks/<uuid:id>/rotate/", WebhookRotateView.as_view()),
    path("v1/webhooks/<uuid:id>/test/", WebhookTestView.as_view()),
    path("v1/webhooks/<uuid:id>/deliveries/", DeliveryListView.as_view()),
    path("v1/webhooks/deliveries/<uuid:id>/", DeliveryView.as_view()),
    path("v1/webhooks/deliveries/<uuid:id>/redeliver/", RedeliverView.as_view()),
    path("v1/privacy/requests/", ErasureRequestListView.as_view()),
    path("v1/privacy/requests/<uuid:id>/", ErasureRequestView.as_view()),
    path("v1/privacy/requests/<uuid:id>/ask-identity/", AskIdentityView.as_view()),
    path("v1/privacy/requests/<uuid:id>/confirm-identity/", ConfirmIdentityView.as_view()),
    path("v1/privacy/requests/<uuid:id>/assess/", AssessView.as_view()),
    path("v1/privacy/requests/<uuid:id>/extend/", ExtendView.as_view()),
    path("v1/privacy/requests/<uuid:id>/refuse/", RefuseView.as_view()),
    path("v1/privacy/requests/<uuid:id>/withdraw/", WithdrawView.as_view()),
    path("v1/privacy/requests/<uuid:id>/propose/", ProposeView.as_view()),
    path("v1/privacy/requests/<uuid:id>/take-back/", TakeBackView.as_view()),
    path("v1/privacy/requests/<uuid:id>/approve/", ApproveView.as_view()),
    path("v1/privacy/requests/<uuid:id>/send-back/", SendBackView.as_view()),
    path("v1/privacy/requests/<uuid:id>/without-proof/", WithoutProofView.as_view()),
    path("v1/privacy/requests/<uuid:id>/keep-proof/", KeepProofView.as_view()),
    path("v1/privacy/requests/<uuid:id>/agree-without-proof/", AgreeWithoutProofView.as_view()),
    path("v1/privacy/requests/<uuid:id>/inventory/", InventoryView.as_view()),
    path("v1/privacy/requests/<uuid:id>/inventory/hits/", InventoryHitListView.as_view()),
    path("v1/privacy/requests/<uuid:id>/inventory/decisions/", InventoryDecisionsView.as_view()),
    path("v1/privacy/requests/<uuid:id>/inventory/treatments/", InventoryTreatmentsView.as_view()),
    path("v1/privacy/requests/<uuid:id>/inventory/prepare/", InventoryPrepareView.as_view()),
    path("v1/privacy/requests/<uuid:id>/quotes/", QuotesView.as_view()),
    path("v1/privacy/requests/<uuid:id>/package/", PackageView.as_view()),
    path("v1/privacy/requests/<uuid:id>/package/take-back/", PackageTakeBackView.as_view()),
    path("v1/privacy/requests/<uuid:id>/package/content/", PackageContentView.as_view()),
    path("v1/privacy/requests/<uuid:id>/answer/", AnswerView.as_view()),
    path("v1/privacy/requests/<uuid:id>/letters/", WriteLetterView.as_view()),
    path("v1/privacy/certificates/", CertificateListView.as_view()),
    path("v1/privacy/certificates/<uuid:id>/", CertificateView.as_view()),
    path("v1/members/", MemberListView.as_view()),
    path("v1/members/<uuid:id>/", MemberView.as_view()),
    path("v1/members/<uuid:id>/confirm/", MemberConfirmView.as_view()),
    path("v1/members/<uuid:id>/decline/", MemberDeclineView.as_view()),
    path("v1/members/<uuid:id>/end/", MemberEndView.as_view()),
    path("v1/invitations/", InvitationListView.as_view()),
    path("v1/invitations/<uuid:id>/", InvitationView.as_view()),
    path("v1/invitations/<uuid:id>/send/", InvitationSendView.as_view()),
    path("v1/invitations/<uuid:id>/withdraw/", InvitationWithdrawView.as_view()),
    path("v1/keys/", KeyListView.as_view()),
    path("v1/keys/<uuid:id>/", KeyView.as_view()),
    path("v1/keys/<uuid:id>/revoke/", KeyRevokeView.as_view()),
    path("v1/keys/<uuid:id>/rotate/", KeyRotateView.as_view()),
    path("v1/scopes/", ScopeListView.as_view()),
    path("v1/scopes/<uuid:id>/", ScopeView.as_view()),
    path("v1/me/", MeView.as_view()),
    path("v1/me/data/", MyDataView.as_view()),
    path("v1/health/", HealthView.as_view()),
    path("v1/problems/", ProblemTypesView.as_view()),
    path("v1/changelog/", ChangelogView.as_view()),
    path("v1/openapi.json", OpenApiView.as_view(), name="openapi"),
    path("v1/docs/", DocsView.as_view()),
    re_path(r"", UnknownAddressView.as_view()),
]
