"""The audit log in the admin: events, reports over them, and whether the log is what it was."""

from apps.audit.admin import event
from apps.audit.admin.report import report_view
from apps.audit.admin.verification import verification_results_view, verification_view
from config.admin_site import add_page

add_page("audit/report/", report_view, name="audit_report")
add_page("audit/verification/", verification_view, name="audit_verification")
add_page("audit/verification/results/", verification_results_view, name="audit_verification_results")

__all__ = ["event"]
