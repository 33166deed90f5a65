"""The addresses of the pages of retention and purges."""

from __future__ import annotations

from apps.erasure.admin.retention.draft import draft_discard_view, draft_start_view, draft_submit_view, draft_view
from apps.erasure.admin.retention.page import retention_view
from apps.erasure.admin.retention.purges import purge_new_view, purge_view, purges_view
from apps.erasure.admin.retention.review import schedule_view
from config.admin_site import add_page

_DRAFT = "privacy/retention/drafts/<uuid:schedule_id>/"


def add_retention_pages() -> None:
    add_page("privacy/retention/", retention_view, name="retention")
    add_page("privacy/retention/drafts/start/", draft_start_view, name="retention_draft_start")
    add_page(_DRAFT, draft_view, name="retention_draft")
    add_page(f"{_DRAFT}submit/", draft_submit_view, name="retention_draft_submit")
    add_page(f"{_DRAFT}discard/", draft_discard_view, name="retention_draft_discard")
    add_page("privacy/retention/<uuid:schedule_id>/", schedule_view, name="retention_schedule")
    add_page("privacy/purges/", purges_view, name="purges")
    add_page("privacy/purges/new/", purge_new_view, name="purge_new")
    add_page("privacy/purges/<uuid:purge_id>/", purge_view, name="purge")
