"""Holds, retention, removals and certificates in the admin."""

from apps.audit.registry import register_part_lines
from apps.erasure.admin.certificates.certificate import (
    certificate_html_view,
    certificate_json_view,
    certificate_view,
    certificate_zip_view,
    certificates_view,
    supplement_json_view,
)
from apps.erasure.admin.holds import hold
from apps.erasure.admin.holds.links import with_holds
from apps.erasure.admin.removals.removals import removals_view
from apps.erasure.admin.retention.pages import add_retention_pages
from config.admin_site import add_page

register_part_lines(with_holds)
add_retention_pages()
add_page("privacy/runs/", removals_view, name="removals")
add_page("privacy/certificates/", certificates_view, name="erasure_certificates")
add_page("privacy/certificates/<uuid:certificate_id>/", certificate_view, name="erasure_certificate")
add_page(
    "privacy/certificates/supplements/<uuid:supplement_id>/json/", supplement_json_view, name="erasure_supplement_json"
)
add_page("privacy/certificates/<uuid:certificate_id>/json/", certificate_json_view, name="erasure_certificate_json")
add_page("privacy/certificates/<uuid:certificate_id>/html/", certificate_html_view, name="erasure_certificate_html")
add_page("privacy/certificates/<uuid:certificate_id>/zip/", certificate_zip_view, name="erasure_certificate_zip")

__all__ = ["hold"]
