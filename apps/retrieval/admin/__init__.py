"""The start page, and the Ask page."""

from apps.retrieval.admin.ask import ask_view
from apps.retrieval.admin.overview import signs_view
from apps.retrieval.admin.recent import recent_view
from apps.retrieval.admin.unrecognised import unrecognised_view
from config.admin_site import add_page

add_page("ask/", ask_view, name="ask")
add_page("ask/recent/", recent_view, name="recent_questions")
add_page("signs-of-life/", signs_view, name="signs_of_life")
add_page("policy/unrecognised/", unrecognised_view, name="policy_unrecognised")
