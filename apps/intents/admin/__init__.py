"""The policy in the admin."""

from apps.intents.admin import policy_version
from apps.intents.admin.access import access_view
from apps.intents.admin.draft_pages import add_draft_pages
from config.admin_site import add_page

__all__ = ["policy_version"]

add_page("policy/access/", access_view, name="policy_access")
add_draft_pages()
