"""The audit log in the admin: events, and reports over them. And the DPO's pages: requests for erasure."""

from apps.audit.admin import event
from apps.audit.admin.report import report_view
from apps.audit.admin.request_list import requests_view
from apps.audit.admin.request_page import request_view
from apps.audit.admin.request_receive import describe_view, receive_view
from apps.audit.admin.request_step import step_view
from config.admin_site import add_page

add_page("audit/report/", report_view, name="audit_report")
add_page("privacy/requests/", requests_view, name="erasure_requests")
add_page("privacy/requests/receive/", receive_view, name="erasure_request_receive")
add_page("privacy/requests/<uuid:request_id>/", request_view, name="erasure_request")
add_page("privacy/requests/<uuid:request_id>/facts/", describe_view, name="erasure_request_facts")
add_page("privacy/requests/<uuid:request_id>/<slug:name>/", step_view, name="erasure_request_step")

__all__ = ["event"]
