"""The audit log in the admin: events, reports, whether the log holds; and privacy: requests, holds, retention."""

from apps.audit.admin import event, hold
from apps.audit.admin.access_page import access_download_view, access_view
from apps.audit.admin.certificate import (
    certificate_html_view,
    certificate_json_view,
    certificate_view,
    certificate_zip_view,
    certificates_view,
    supplement_json_view,
)
from apps.audit.admin.inventory_page import inventory_progress_view, inventory_view
from apps.audit.admin.my_data import my_data_download_view, my_data_view
from apps.audit.admin.removal_list import removals_view
from apps.audit.admin.removal_run import removal_progress_view, removal_run_view
from apps.audit.admin.report import report_view
from apps.audit.admin.request_list import requests_in_palette, requests_view
from apps.audit.admin.request_page import request_view
from apps.audit.admin.request_receive import describe_view, receive_view
from apps.audit.admin.request_step import step_view
from apps.audit.admin.retention_pages import add_retention_pages
from apps.audit.admin.verification import verification_results_view, verification_view
from apps.audit.admin.webhooks import webhook_view, webhooks_view
from config.admin_site import add_page, add_to_palette

add_retention_pages()
add_page("account/data/", my_data_view, name="my_data")
add_page("account/data/download/", my_data_download_view, name="my_data_download")
add_page("audit/report/", report_view, name="audit_report")
add_page("privacy/requests/", requests_view, name="erasure_requests")
add_to_palette(requests_in_palette)
add_page("privacy/requests/receive/", receive_view, name="erasure_request_receive")
add_page("privacy/requests/<uuid:request_id>/", request_view, name="erasure_request")
add_page("privacy/requests/<uuid:request_id>/facts/", describe_view, name="erasure_request_facts")
add_page("privacy/requests/<uuid:request_id>/inventory/", inventory_view, name="erasure_inventory")
add_page(
    "privacy/requests/<uuid:request_id>/inventory/progress/", inventory_progress_view, name="erasure_inventory_progress"
)
add_page("privacy/requests/<uuid:request_id>/package/", access_view, name="access_package")
add_page("privacy/requests/<uuid:request_id>/package/download/", access_download_view, name="access_package_download")
add_page("privacy/requests/<uuid:request_id>/<slug:name>/", step_view, name="erasure_request_step")
add_page("privacy/runs/", removals_view, name="removals")
add_page("privacy/runs/<uuid:run_id>/", removal_run_view, name="removal_run")
add_page("privacy/runs/<uuid:run_id>/progress/", removal_progress_view, name="removal_run_progress")
add_page("privacy/certificates/", certificates_view, name="erasure_certificates")
add_page("privacy/certificates/<uuid:certificate_id>/", certificate_view, name="erasure_certificate")
add_page(
    "privacy/certificates/supplements/<uuid:supplement_id>/json/", supplement_json_view, name="erasure_supplement_json"
)
add_page("privacy/certificates/<uuid:certificate_id>/json/", certificate_json_view, name="erasure_certificate_json")
add_page("privacy/certificates/<uuid:certificate_id>/html/", certificate_html_view, name="erasure_certificate_html")
add_page("privacy/certificates/<uuid:certificate_id>/zip/", certificate_zip_view, name="erasure_certificate_zip")
add_page("audit/verification/", verification_view, name="audit_verification")
add_page("webhooks/", webhooks_view, name="webhooks")
add_page("webhooks/<uuid:webhook_id>/", webhook_view, name="webhook")
add_page("audit/verification/results/", verification_results_view, name="audit_verification_results")

__all__ = ["event", "hold"]
