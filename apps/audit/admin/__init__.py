"""The audit log in the admin: events, and reports over them."""

from apps.audit.admin import event, hold
from apps.audit.admin.report import report_view
from config.admin_site import add_page

add_page("audit/report/", report_view, name="audit_report")

__all__ = ["event", "hold"]
