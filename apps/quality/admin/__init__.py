"""Evaluation questions and runs, and the impact of policy versions."""

from apps.quality.admin.evaluation import add_view, questions_view, remove_view
from apps.quality.admin.evaluation_runs import compare_view, run_view, runs_view
from apps.quality.admin.impact import impact_page_view, impact_view
from config.admin_site import add_page

add_page("quality/questions/", questions_view, name="evaluation_questions")
add_page("quality/questions/add/", add_view, name="evaluation_question_add")
add_page("quality/questions/<uuid:query_id>/remove/", remove_view, name="evaluation_question_remove")
add_page("quality/runs/", runs_view, name="evaluation_runs")
add_page("quality/runs/compare/", compare_view, name="evaluation_runs_compare")
add_page("quality/runs/<uuid:run_id>/", run_view, name="evaluation_run")
add_page("policy/versions/<uuid:version_id>/impact/", impact_view, name="policy_impact")
add_page("policy/versions/<uuid:version_id>/impact/page/", impact_page_view, name="policy_impact_page")
