"""The start page, the Ask page, evaluation questions and runs, the impact of policy versions, and replays."""

from apps.retrieval.admin.ask import ask_view
from apps.retrieval.admin.evaluation import add_view, questions_view, remove_view
from apps.retrieval.admin.evaluation_runs import compare_view, run_view, runs_view
from apps.retrieval.admin.impact import impact_page_view, impact_view
from apps.retrieval.admin.overview import signs_view
from apps.retrieval.admin.recent import recent_view
from apps.retrieval.admin.replay import replay_view
from apps.retrieval.admin.unrecognised import unrecognised_view
from config.admin_site import add_page

add_page("ask/", ask_view, name="ask")
add_page("ask/recent/", recent_view, name="recent_questions")
add_page("signs-of-life/", signs_view, name="signs_of_life")
add_page("policy/unrecognised/", unrecognised_view, name="policy_unrecognised")
add_page("quality/questions/", questions_view, name="evaluation_questions")
add_page("quality/questions/add/", add_view, name="evaluation_question_add")
add_page("quality/questions/<uuid:query_id>/remove/", remove_view, name="evaluation_question_remove")
add_page("quality/runs/", runs_view, name="evaluation_runs")
add_page("quality/runs/compare/", compare_view, name="evaluation_runs_compare")
add_page("quality/runs/<uuid:run_id>/", run_view, name="evaluation_run")
add_page("audit/replay/<uuid:event_id>/", replay_view, name="question_replay")
add_page("policy/versions/<uuid:version_id>/impact/", impact_view, name="policy_impact")
add_page("policy/versions/<uuid:version_id>/impact/page/", impact_page_view, name="policy_impact_page")
