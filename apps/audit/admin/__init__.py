"""The audit log in the admin: events, reports, verification and webhooks."""

from apps.audit.admin.events import event
from apps.audit.admin.reports.report import report_view
from apps.audit.admin.verification.verification import verification_results_view, verification_view
from apps.audit.admin.webhooks.webhooks import webhook_view, webhooks_view
from config.admin_site import add_page

add_page("audit/report/", report_view, name="audit_report")
add_page("audit/verification/", verification_view, name="audit_verification")
add_page("webhooks/", webhooks_view, name="webhooks")
add_page("webhooks/<uuid:webhook_id>/", webhook_view, name="webhook")
add_page("audit/verification/results/", verification_results_view, name="audit_verification_results")

__all__ = ["event"]
