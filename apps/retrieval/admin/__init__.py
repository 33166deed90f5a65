"""The Ask page, questions that are not recognised, and replays."""

from apps.retrieval.admin.ask import ask_view
from apps.retrieval.admin.recent import recent_view
from apps.retrieval.admin.replay import replay_view
from apps.retrieval.admin.unrecognised import unrecognised_view
from config.admin_site import add_page

add_page("ask/", ask_view, name="ask")
add_page("ask/recent/", recent_view, name="recent_questions")
add_page("policy/unrecognised/", unrecognised_view, name="policy_unrecognised")
add_page("audit/replay/<uuid:event_id>/", replay_view, name="question_replay")
