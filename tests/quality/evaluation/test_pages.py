"""The pages of evaluation runs: who sees what, drawn and in words."""

from __future__ import annotations

from uuid import uuid4

import pytest

from apps.quality.evaluation.comparing import compare
from apps.quality.evaluation.packs import evaluation_policy
from apps.quality.evaluation.runs import (
    RunFacts,
    run_start,
    run_stop,
)
from apps.quality.models import EvaluationRun
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_firm, make_member
from tests.quality.evaluation.runs import made
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


def test_without_a_run_the_page_says_how_to_make_one(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    page = Visitor("ann").open("evaluation_runs")
    assert "manage.py evaluate --tenant acme" in page.text


def test_runs_are_drawn_and_listed_with_their_figures(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    first, second = made(firm, passes=False), made(firm, passes=True, sparse_top_k=60)
    page = Visitor("ann").open("evaluation_runs")
    bars = page.tree.xpath(
        "//*[@id='main']//*[name()='svg'][contains(@aria-label, 'Answered rightly')]//*[name()='rect']"
    )
    assert [bar.get("height") for bar in bars] == ["1.0", "40.0"]
    assert "Answered rightly 1.000, +1.000" in page.text
    assert "sparse_top_k = 60" in page.text
    assert all(any(str(each) in link for link in page.links) for each in (first, second))


def test_a_run_shows_its_failures_with_what_was_found_instead(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    page = Visitor("ann").open("evaluation_run", made(firm, passes=False))
    assert page.status == 200
    for words in ("What does fund:alpha report?", "not found", "No citation is from an expected page", "dense only"):
        assert words in page.text
    assert page.tree.xpath("//section[h2[starts-with(., 'Failures')]]//tbody/tr")
    stages = page.tree.xpath("//section[h2[starts-with(., 'After each stage')]]//tbody/tr/th/text()")
    assert stages == ["dense", "fuse", "final"]
    assert page.tree.xpath("//section[h2[starts-with(., 'Figures')]]//dt/text()")[0] == "page_recall@1"
    passed = Visitor("ann").open("evaluation_run", made(firm, passes=True))
    assert not passed.tree.xpath("//section[h2[starts-with(., 'Failures')]]//tbody/tr")
    assert "It reported much." in passed.text


def test_a_question_of_a_scope_that_one_does_not_hold_is_not_shown(firm: Firm) -> None:
    make_member(firm, "bea", Role.ANALYST, scopes=["fund:beta"])
    page = Visitor("bea").open("evaluation_run", made(firm, passes=False))
    assert "What does fund:alpha report?" not in page.text
    assert "1 question of this run is not shown" in page.text
    assert "answered_rightly" in page.text


def test_what_a_document_said_is_left_out_when_it_is_gone(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    run_id = made(firm, passes=True)
    with open_scope(tenant=firm.id, reason="a test"):
        answer = EvaluationRun.objects.get(id=run_id).answers.get()
        answer.document_ids = [*answer.document_ids, uuid4()]
        answer.save()
    page = Visitor("ann").open("evaluation_run", run_id)
    assert "It reported much." not in page.text
    assert "no longer exists" in page.text


def test_two_runs_stand_side_by_side_with_what_changed(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    worse, better = made(firm, passes=False), made(firm, passes=True, sparse_top_k=60)
    page = Visitor("ann").open("evaluation_runs_compare", before=str(worse), after=str(better))
    assert page.status == 200
    for words in ("Better", "sparse_top_k", "right page at 2", "+1.000", "Questions that changed 1"):
        assert words in page.text
    with open_scope(tenant=firm.id, reason="a test"):
        back = compare(EvaluationRun.objects.get(id=better), EvaluationRun.objects.get(id=worse))
        assert [each.better for each in back.changed] == [False]
        assert compare(back.before, back.before).changed == ()


def test_a_run_of_an_earlier_release_is_shown_and_compared_under_the_names_of_today(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    former, now = made(firm, passes=False), made(firm, passes=True)
    with open_scope(tenant=firm.id, reason="a test"):
        run = EvaluationRun.objects.get(id=former)
        names = {"answered_rightly": "pass_rate", "not_answered": "refused_rightly"}
        dropped = {"useful", "confidently_wrong", "closest_passages", "model_failed"}
        run.metrics = {names.get(name, name): value for name, value in run.metrics.items() if name not in dropped}
        run.metrics = {**run.metrics, "pass_rate": 0.25, "faithfulness": 0.875}
        run.by_type = {"figure": {"questions": 1, **run.metrics}}
        run.save()
    visitor = Visitor("ann")
    bars = visitor.open("evaluation_runs").tree.xpath(
        "//*[@id='main']//*[name()='svg'][contains(@aria-label, 'Answered rightly')]//*[name()='rect']"
    )
    assert [bar.get("height") for bar in bars] == ["10.0", "40.0"]
    page = visitor.open("evaluation_run", former)
    told = page.tree.xpath("//section[h2[starts-with(., 'Figures')]]//dt/text()")
    assert {"answered_rightly", "faithfulness"} <= set(told)
    assert "useful" not in told
    # Of the run, of its one sort of question, and of the variants.
    assert page.text.count("0.250") == 3
    compared = visitor.open("evaluation_runs_compare", before=str(former), after=str(now))
    assert "+0.750" in compared.text
    assert "faithfulness" not in compared.text


@pytest.mark.parametrize("query", [{}, {"before": "x", "after": "y"}, {"before": str(uuid4()), "after": str(uuid4())}])
def test_a_comparison_of_what_is_not_there_is_not_found(firm: Firm, query: dict[str, str]) -> None:
    make_member(firm, "ann", Role.ANALYST)
    assert Visitor("ann").open("evaluation_runs_compare", **query).status == 404
    assert Visitor("ann").open("evaluation_run", uuid4()).status == 404


def test_a_run_of_another_tenant_is_not_found(firm: Firm) -> None:
    run_id = made(firm, passes=True)
    bolt = make_firm("bolt")
    make_member(bolt, "ben", Role.ANALYST)
    assert Visitor("ben").open("evaluation_run", run_id).status == 404
    assert str(run_id) not in str(Visitor("ben").open("evaluation_runs").links)


def test_a_run_that_was_stopped_says_so_and_keeps_what_was_asked(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    run_id = made(firm, passes=False)
    with open_scope(tenant=firm.id, reason="a test"):
        stopped = EvaluationRun.objects.get(id=run_id)
        stopped.metrics, stopped.by_stage, stopped.by_type, stopped.ablations = {}, {}, {}, {}
        run_stop(stopped, code="KeyboardInterrupt")
    page = Visitor("ann").open("evaluation_run", run_id)
    assert "did not finish" in page.text
    assert "What does fund:alpha report?" in page.text


def test_the_sidebar_leads_there(firm: Firm) -> None:
    make_member(firm, "ann", Role.ANALYST)
    page = Visitor("ann").open("evaluation_runs")
    assert any(link.endswith("/quality/runs/") for link in page.sidebar)


def test_a_run_is_begun_by_who_may_edit_policies(firm: Firm) -> None:
    analyst = make_member(firm, "ann", Role.ANALYST)
    facts = RunFacts(
        dataset="x",
        settings={},
        changes={},
        models_used={},
        policy=evaluation_policy(frozenset()),
        corpus_sha256="",
        documents=0,
        chunks=0,
        failed_documents=0,
    )
    with as_(analyst), pytest.raises(PermissionDeniedError):
        run_start(facts, [])
