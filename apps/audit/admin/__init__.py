"""The audit log in the admin: events, and reports over them."""

from apps.audit.admin import event
from apps.audit.admin.report import report_view
from apps.audit.admin.retention_pages import add_retention_pages
from config.admin_site import add_page

add_retention_pages()
add_page("audit/report/", report_view, name="audit_report")

__all__ = ["event"]
