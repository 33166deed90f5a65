"""The policy in the admin."""

from apps.intents.admin import policy_version
from apps.intents.admin.access import access_view
from apps.intents.admin.compare import compare_view
from apps.intents.admin.desk.page import desk_view
from apps.intents.admin.draft.pages import add_draft_pages
from apps.intents.admin.example_add import example_add_view
from apps.intents.admin.review.list import reviews_view
from apps.intents.admin.review.page import review_view
from config.admin_site import add_page

__all__ = ["policy_version"]

add_page("policy/access/", access_view, name="policy_access")
add_draft_pages()
add_page("policy/compare/", compare_view, name="policy_compare")
add_page("policy/reviews/", reviews_view, name="policy_reviews")
add_page("policy/versions/<uuid:version_id>/review/", review_view, name="policy_review")
add_page("policy/desk/", desk_view, name="policy_desk")
add_page("policy/examples/add/", example_add_view, name="policy_example_add")
