"""The policy in the admin."""

from apps.intents.admin import policy_version
from apps.intents.admin.access import access_view
from apps.intents.admin.compare import compare_view
from apps.intents.admin.desk.page import desk_view
from apps.intents.admin.draft.check import draft_check_view
from apps.intents.admin.draft.decide import draft_discard_view, draft_submit_view
from apps.intents.admin.draft.list import draft_start_view, drafts_view
from apps.intents.admin.draft.page import draft_view
from apps.intents.admin.draft.preview import draft_preview_view
from apps.intents.admin.example_add import example_add_view
from apps.intents.admin.review.list import reviews_view
from apps.intents.admin.review.page import review_view
from config.admin_site import add_page

__all__ = ["policy_version"]

_DRAFT = "policy/drafts/<uuid:version_id>/"

add_page("policy/access/", access_view, name="policy_access")
add_page("policy/drafts/", drafts_view, name="policy_drafts")
add_page("policy/drafts/start/", draft_start_view, name="policy_draft_start")
add_page(_DRAFT, draft_view, name="policy_draft")
add_page(f"{_DRAFT}preview/", draft_preview_view, name="policy_draft_preview")
add_page(f"{_DRAFT}check/", draft_check_view, name="policy_draft_check")
add_page(f"{_DRAFT}submit/", draft_submit_view, name="policy_draft_submit")
add_page(f"{_DRAFT}discard/", draft_discard_view, name="policy_draft_discard")
add_page("policy/compare/", compare_view, name="policy_compare")
add_page("policy/reviews/", reviews_view, name="policy_reviews")
add_page("policy/versions/<uuid:version_id>/review/", review_view, name="policy_review")
add_page("policy/desk/", desk_view, name="policy_desk")
add_page("policy/examples/add/", example_add_view, name="policy_example_add")
