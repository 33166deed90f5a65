"""The admin's pages that belong to no model, of all rooms together, and what the command palette finds beside them."""

from __future__ import annotations

from typing import Final

from apps.audit.admin.reports.report import report_view
from apps.audit.admin.verification import verification
from apps.audit.admin.webhooks.webhooks import webhook_view, webhooks_view
from apps.erasure.admin.certificates import certificate
from apps.erasure.admin.removals.removals import removals_view
from apps.erasure.admin.retention import draft as retention_draft
from apps.erasure.admin.retention.page import retention_view
from apps.erasure.admin.retention.purges import purge_new_view, purge_view, purges_view
from apps.erasure.admin.retention.review import schedule_view
from apps.filings.admin.company import companies_view
from apps.filings.admin.entity import entities_view
from apps.intents.admin import absences as policy_absences
from apps.intents.admin import access as policy_access
from apps.intents.admin import access_centre, recertification
from apps.intents.admin import compare as policy_compare
from apps.intents.admin.desk.page import desk_view
from apps.intents.admin.draft import list as policy_drafts
from apps.intents.admin.draft import packs as policy_packs
from apps.intents.admin.draft.check import draft_check_view
from apps.intents.admin.draft.decide import draft_discard_view, draft_submit_view
from apps.intents.admin.draft.page import draft_view
from apps.intents.admin.draft.preview import draft_preview_view
from apps.intents.admin.draft.suggesting import draft_suggest_view
from apps.intents.admin.draft.trying import draft_try_view
from apps.intents.admin.example_add import example_add_view
from apps.intents.admin.notices import notice_open_view, notices_view
from apps.intents.admin.review.list import reviews_view
from apps.intents.admin.review.page import review_view
from apps.intents.admin.review.proof import proof_file_view, proof_view
from apps.operations.admin.overview import signs_view
from apps.privacy.admin.access import page as access_package
from apps.privacy.admin.inventory.page import inventory_progress_view, inventory_view
from apps.privacy.admin.my_data import my_data_download_view, my_data_view
from apps.privacy.admin.removal_run import removal_progress_view, removal_run_view
from apps.privacy.admin.requests.page import request_view
from apps.privacy.admin.requests.receive import describe_view, receive_view
from apps.privacy.admin.requests.step import step_view
from apps.privacy.admin.requests.work_list import requests_in_palette, requests_view
from apps.quality.admin import evaluation, evaluation_runs
from apps.quality.admin.impact import impact_page_view, impact_view
from apps.research.admin import pages as research
from apps.research.admin.claims import claims_view
from apps.retrieval.admin import ask_page, ask_send_views, sent_inbox
from apps.retrieval.admin.ask import ask_view
from apps.retrieval.admin.ask_examples import ask_examples_view
from apps.retrieval.admin.ask_progress import ask_progress_view
from apps.retrieval.admin.recent import recent_view
from apps.retrieval.admin.replay import replay_view
from apps.retrieval.admin.unrecognised import unrecognised_view
from apps.retrieval.admin.usage import usage_view
from apps.tenants.admin import my_keys, second_factor
from apps.tenants.admin.my_account import account_view
from apps.tenants.admin.switcher import tenant_switch

_REQUEST: Final = "privacy/requests/<uuid:request_id>/"
_CERTIFICATE: Final = "privacy/certificates/<uuid:certificate_id>/"
_RETENTION_DRAFT: Final = "privacy/retention/drafts/<uuid:schedule_id>/"
_POLICY_DRAFT: Final = "policy/drafts/<uuid:version_id>/"

# Each at /admin/<route>, as `admin:<name>`. The first route that fits an address wins. Views check permissions.
PAGES: Final = (
    ("tenant/", tenant_switch, "tenant_switch"),
    ("account/keys/", my_keys.list_view, "my_keys"),
    ("account/keys/add/", my_keys.add_view, "my_keys_add"),
    ("account/keys/<uuid:key_id>/rotate/", my_keys.rotate_view, "my_keys_rotate"),
    ("account/keys/<uuid:key_id>/revoke/", my_keys.revoke_view, "my_keys_revoke"),
    ("second-factor/", second_factor.overview_view, "second_factor"),
    ("second-factor/set-up/", second_factor.enrol_view, "second_factor_enrol"),
    ("second-factor/code/", second_factor.code_view, "second_factor_code"),
    ("second-factor/recovery-codes/", second_factor.codes_view, "second_factor_codes"),
    ("second-factor/remove/", second_factor.remove_view, "second_factor_remove"),
    ("my-account/", account_view, "my_account"),
    ("audit/report/", report_view, "audit_report"),
    ("audit/verification/", verification.verification_view, "audit_verification"),
    ("webhooks/", webhooks_view, "webhooks"),
    ("webhooks/<uuid:webhook_id>/", webhook_view, "webhook"),
    ("audit/verification/results/", verification.verification_results_view, "audit_verification_results"),
    ("privacy/retention/", retention_view, "retention"),
    ("privacy/retention/drafts/start/", retention_draft.draft_start_view, "retention_draft_start"),
    (_RETENTION_DRAFT, retention_draft.draft_view, "retention_draft"),
    (f"{_RETENTION_DRAFT}submit/", retention_draft.draft_submit_view, "retention_draft_submit"),
    (f"{_RETENTION_DRAFT}discard/", retention_draft.draft_discard_view, "retention_draft_discard"),
    ("privacy/retention/<uuid:schedule_id>/", schedule_view, "retention_schedule"),
    ("privacy/purges/", purges_view, "purges"),
    ("privacy/purges/new/", purge_new_view, "purge_new"),
    ("privacy/purges/<uuid:purge_id>/", purge_view, "purge"),
    ("privacy/runs/", removals_view, "removals"),
    ("privacy/certificates/", certificate.certificates_view, "erasure_certificates"),
    (_CERTIFICATE, certificate.certificate_view, "erasure_certificate"),
    (
        "privacy/certificates/supplements/<uuid:supplement_id>/json/",
        certificate.supplement_json_view,
        "erasure_supplement_json",
    ),
    (f"{_CERTIFICATE}json/", certificate.certificate_json_view, "erasure_certificate_json"),
    (f"{_CERTIFICATE}html/", certificate.certificate_html_view, "erasure_certificate_html"),
    (f"{_CERTIFICATE}zip/", certificate.certificate_zip_view, "erasure_certificate_zip"),
    ("policy/access/", policy_access.access_view, "policy_access"),
    ("policy/access/centre/", access_centre.centre_view, "access_centre"),
    ("policy/access/centre/report/", access_centre.report_view, "access_report"),
    ("policy/access/centre/csv/", access_centre.csv_view, "access_csv"),
    ("policy/absences/", policy_absences.absences_view, "absences"),
    ("policy/absences/<uuid:absence_id>/", policy_absences.absence_end_view, "absence_end"),
    ("policy/notices/", notices_view, "notices"),
    ("policy/notices/<uuid:notice_id>/", notice_open_view, "notice_open"),
    ("policy/recertifications/", recertification.list_view, "recertifications"),
    ("policy/recertifications/begin/", recertification.begin_view, "recertification_begin"),
    ("policy/recertifications/<uuid:recertification_id>/", recertification.page_view, "recertification"),
    ("policy/recertifications/<uuid:recertification_id>/close/", recertification.close_view, "recertification_close"),
    ("policy/recertifications/<uuid:recertification_id>/csv/", recertification.csv_view, "recertification_csv"),
    ("policy/drafts/", policy_drafts.drafts_view, "policy_drafts"),
    ("policy/drafts/start/", policy_drafts.draft_start_view, "policy_draft_start"),
    ("policy/drafts/packs/", policy_packs.packs_view, "policy_draft_packs"),
    (_POLICY_DRAFT, draft_view, "policy_draft"),
    (f"{_POLICY_DRAFT}preview/", draft_preview_view, "policy_draft_preview"),
    (f"{_POLICY_DRAFT}check/", draft_check_view, "policy_draft_check"),
    (f"{_POLICY_DRAFT}try/", draft_try_view, "policy_draft_try"),
    (f"{_POLICY_DRAFT}suggestions/<slug:intent>/", draft_suggest_view, "policy_draft_suggest"),
    (f"{_POLICY_DRAFT}submit/", draft_submit_view, "policy_draft_submit"),
    (f"{_POLICY_DRAFT}discard/", draft_discard_view, "policy_draft_discard"),
    ("policy/compare/", policy_compare.compare_view, "policy_compare"),
    ("policy/compare/proof/", policy_compare.compare_proof_view, "policy_compare_proof"),
    ("policy/compare/proof/file/", policy_compare.compare_proof_file_view, "policy_compare_proof_file"),
    ("policy/reviews/", reviews_view, "policy_reviews"),
    ("policy/versions/<uuid:version_id>/review/", review_view, "policy_review"),
    ("policy/versions/<uuid:version_id>/proof/", proof_view, "policy_proof"),
    ("policy/versions/<uuid:version_id>/proof/file/", proof_file_view, "policy_proof_file"),
    ("policy/desk/", desk_view, "policy_desk"),
    ("policy/examples/add/", example_add_view, "policy_example_add"),
    ("ask/", ask_view, "ask"),
    ("ask/examples/", ask_examples_view, "ask_examples"),
    ("ask/progress/<uuid:name>/", ask_progress_view, "ask_progress"),
    ("ask/recent/", recent_view, "recent_questions"),
    ("ask/<uuid:event_id>/", ask_page.answer_page_view, "ask_answer"),
    ("ask/<uuid:event_id>/share/", ask_page.share_view, "ask_share"),
    ("ask/<uuid:event_id>/send/", ask_send_views.send_view, "ask_send"),
    ("ask/<uuid:event_id>/take-back/", ask_send_views.take_back_view, "ask_take_back"),
    ("research/", research.research_view, "research"),
    ("research/<uuid:run_id>/", research.run_view, "research_run"),
    ("research/<uuid:run_id>/steps/", research.steps_view, "research_steps"),
    ("research/<uuid:run_id>/plan/", research.plan_view, "research_plan"),
    ("research/<uuid:run_id>/cancel/", research.cancel_view, "research_cancel"),
    ("research/<uuid:run_id>/export/", research.export_view, "research_export"),
    ("policy/sent/", sent_inbox.inbox_view, "sent_inbox"),
    ("policy/sent/<uuid:sent_id>/", sent_inbox.sent_question_view, "sent_question"),
    ("policy/unrecognised/", unrecognised_view, "policy_unrecognised"),
    ("claims/", claims_view, "claims"),
    ("companies/", companies_view, "companies"),
    ("entities/", entities_view, "entities"),
    ("audit/models/", usage_view, "model_usage"),
    ("audit/replay/<uuid:event_id>/", replay_view, "question_replay"),
    ("quality/questions/", evaluation.questions_view, "evaluation_questions"),
    ("quality/questions/add/", evaluation.add_view, "evaluation_question_add"),
    ("quality/questions/<uuid:query_id>/remove/", evaluation.remove_view, "evaluation_question_remove"),
    ("quality/runs/", evaluation_runs.runs_view, "evaluation_runs"),
    ("quality/runs/compare/", evaluation_runs.compare_view, "evaluation_runs_compare"),
    ("quality/runs/<uuid:run_id>/", evaluation_runs.run_view, "evaluation_run"),
    ("policy/versions/<uuid:version_id>/impact/", impact_view, "policy_impact"),
    ("policy/versions/<uuid:version_id>/impact/page/", impact_page_view, "policy_impact_page"),
    ("account/data/", my_data_view, "my_data"),
    ("account/data/download/", my_data_download_view, "my_data_download"),
    ("privacy/requests/", requests_view, "erasure_requests"),
    ("privacy/requests/receive/", receive_view, "erasure_request_receive"),
    (_REQUEST, request_view, "erasure_request"),
    (f"{_REQUEST}facts/", describe_view, "erasure_request_facts"),
    (f"{_REQUEST}inventory/", inventory_view, "erasure_inventory"),
    (f"{_REQUEST}inventory/progress/", inventory_progress_view, "erasure_inventory_progress"),
    (f"{_REQUEST}package/", access_package.access_view, "access_package"),
    (f"{_REQUEST}package/download/", access_package.access_download_view, "access_package_download"),
    (f"{_REQUEST}<slug:name>/", step_view, "erasure_request_step"),
    ("privacy/runs/<uuid:run_id>/", removal_run_view, "removal_run"),
    ("privacy/runs/<uuid:run_id>/progress/", removal_progress_view, "removal_run_progress"),
    ("signs-of-life/", signs_view, "signs_of_life"),
)

# Each yields what a user finds by a text. It checks permissions and its input.
PALETTE: Final = (requests_in_palette,)
