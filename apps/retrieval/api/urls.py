"""The addresses of the API, all floors together: this one may import them all."""

from __future__ import annotations

from django.urls import path, re_path

from apps.audit.api.access import AnswerView, PackageContentView, PackageTakeBackView, PackageView, QuotesView
from apps.audit.api.certificates import CertificateListView, CertificateView
from apps.audit.api.inventory import (
    InventoryDecisionsView,
    InventoryHitListView,
    InventoryPrepareView,
    InventoryTreatmentsView,
    InventoryView,
)
from apps.audit.api.log import CheckpointListView, ConsistencyView, EventProofView, LatestCheckpointView
from apps.audit.api.my_data import MyDataView
from apps.audit.api.request_proof import AgreeWithoutProofView, KeepProofView, WithoutProofView
from apps.audit.api.request_steps import (
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
from apps.audit.api.requests import ErasureRequestListView, ErasureRequestView
from apps.audit.api.verifications import VerificationListView
from apps.audit.api.views import EventListView, EventView
from apps.corpus.api.contents import ChunkListView, ContentView, PageView, VersionListView
from apps.corpus.api.documents import DocumentListView, DocumentView
from apps.corpus.api.jobs import JobListView, JobRetryView, JobView
from apps.intents.api.access import AccessView
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
from apps.retrieval.api.query import QueryView
from apps.tenants.api.account import MeView, ScopeListView
from apps.tenants.api.health import HealthView
from apps.tenants.api.not_found import UnknownAddressView
from apps.tenants.api.schema import DocsView, OpenApiView

urlpatterns = [
    path("v1/query/", QueryView.as_view()),
    path("v1/documents/", DocumentListView.as_view()),
    path("v1/documents/<uuid:id>/", DocumentView.as_view()),
    path("v1/documents/<uuid:id>/chunks/", ChunkListView.as_view()),
    path("v1/documents/<uuid:id>/pages/<int:number>/", PageView.as_view()),
    path("v1/documents/<uuid:id>/versions/", VersionListView.as_view()),
    path("v1/documents/<uuid:id>/content/", ContentView.as_view()),
    path("v1/jobs/", JobListView.as_view()),
    path("v1/jobs/<uuid:id>/", JobView.as_view()),
    path("v1/jobs/<uuid:id>/retry/", JobRetryView.as_view()),
    path("v1/policy/", PolicyView.as_view()),
    path("v1/policy/access/", AccessView.as_view()),
    path("v1/policy/versions/", PolicyVersionListView.as_view()),
    path("v1/policy/versions/<uuid:id>/", PolicyVersionView.as_view()),
    path("v1/policy/versions/<uuid:id>/file/", PolicyVersionFileView.as_view()),
    path("v1/policy/versions/<uuid:id>/diff/", PolicyVersionDiffView.as_view()),
    path("v1/policy/versions/<uuid:id>/check/", PolicyVersionCheckView.as_view()),
    path("v1/policy/versions/<uuid:id>/submit/", VersionSubmitView.as_view()),
    path("v1/policy/versions/<uuid:id>/approve/", VersionApproveView.as_view()),
    path("v1/policy/versions/<uuid:id>/reject/", VersionRejectView.as_view()),
    path("v1/policy/versions/<uuid:id>/send-back/", VersionSendBackView.as_view()),
    path("v1/policy/versions/<uuid:id>/withdraw/", VersionWithdrawView.as_view()),
    path("v1/policy/versions/<uuid:id>/comments/", VersionCommentView.as_view()),
    path("v1/audit/events/", EventListView.as_view()),
    path("v1/audit/events/<uuid:id>/", EventView.as_view()),
    path("v1/audit/events/<uuid:id>/proof/", EventProofView.as_view()),
    path("v1/audit/checkpoints/", CheckpointListView.as_view()),
    path("v1/audit/checkpoints/latest/", LatestCheckpointView.as_view()),
    path("v1/audit/consistency/", ConsistencyView.as_view()),
    path("v1/audit/verifications/", VerificationListView.as_view()),
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
    path("v1/scopes/", ScopeListView.as_view()),
    path("v1/me/", MeView.as_view()),
    path("v1/me/data/", MyDataView.as_view()),
    path("v1/health/", HealthView.as_view()),
    path("v1/openapi.json", OpenApiView.as_view(), name="openapi"),
    path("v1/docs/", DocsView.as_view()),
    re_path(r"", UnknownAddressView.as_view()),
]
