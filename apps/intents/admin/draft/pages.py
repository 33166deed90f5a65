"""The addresses of the pages of drafts."""

from __future__ import annotations

from apps.intents.admin.draft.check import draft_check_view
from apps.intents.admin.draft.decide import draft_discard_view, draft_submit_view
from apps.intents.admin.draft.list import draft_start_view, drafts_view
from apps.intents.admin.draft.page import draft_view
from apps.intents.admin.draft.preview import draft_preview_view
from config.admin_site import add_page

_ONE = "policy/drafts/<uuid:version_id>/"


def add_draft_pages() -> None:
    add_page("policy/drafts/", drafts_view, name="policy_drafts")
    add_page("policy/drafts/start/", draft_start_view, name="policy_draft_start")
    add_page(_ONE, draft_view, name="policy_draft")
    add_page(f"{_ONE}preview/", draft_preview_view, name="policy_draft_preview")
    add_page(f"{_ONE}check/", draft_check_view, name="policy_draft_check")
    add_page(f"{_ONE}submit/", draft_submit_view, name="policy_draft_submit")
    add_page(f"{_ONE}discard/", draft_discard_view, name="policy_draft_discard")
