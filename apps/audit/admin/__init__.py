"""The audit log in the admin: events, reports, whether the log is what it was, and what is removed from everywhere."""

from apps.audit.admin import event, hold
from apps.audit.admin.certificate import (
    certificate_html_view,
    certificate_json_view,
    certificate_view,
    certificates_view,
)
from apps.audit.admin.removal_run import removal_progress_view, removal_run_view
from apps.audit.admin.report import report_view
from apps.audit.admin.verification import verification_results_view, verification_view
from config.admin_site import add_page

add_page("audit/report/", report_view, name="audit_report")
add_page("privacy/runs/<uuid:run_id>/", removal_run_view, name="removal_run")
add_page("privacy/runs/<uuid:run_id>/progress/", removal_progress_view, name="removal_run_progress")
add_page("privacy/certificates/", certificates_view, name="erasure_certificates")
add_page("privacy/certificates/<uuid:certificate_id>/", certificate_view, name="erasure_certificate")
add_page("privacy/certificates/<uuid:certificate_id>/json/", certificate_json_view, name="erasure_certificate_json")
add_page("privacy/certificates/<uuid:certificate_id>/html/", certificate_html_view, name="erasure_certificate_html")
add_page("audit/verification/", verification_view, name="audit_verification")
add_page("audit/verification/results/", verification_results_view, name="audit_verification_results")

__all__ = ["event", "hold"]
