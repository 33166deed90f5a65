"""`manage.py evaluate` from a folder to its figures, on real tables and through the real pipeline."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from apps.audit.models import Event
from apps.corpus.models import Document, DocumentStatus, Embedding768, IngestJob
from apps.intents.models import PolicyVersion
from apps.quality.evaluation.asking import Asking
from apps.quality.evaluation.tenant import dataset_scope, evaluation_tenant
from apps.quality.events import EVALUATION_RUN_FINISHED, EVALUATION_RUN_STARTED
from apps.quality.models import EvaluationAnswer, EvaluationQuery, EvaluationRun, RunState
from apps.quality.services.evaluation import evaluation_query_add
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Membership, Scope
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import tenant_by_slug
from apps.tenants.services.tenants import tenant_create
from tests.corpus.test_ingest_command import HereRunner
from tests.factories import make_user
from tests.model_server import ModelServer
from tests.quality.evaluation.conftest import Evaluate, evaluated
from tests.quality.evaluation.folders import DOCUMENTS, QUERIES, make_folder, write_lines, write_report
from tests.quality.evaluation.test_judging import KEYS
from tests.retrieval.asking import QUESTION, make_acme

pytestmark = pytest.mark.django_db(transaction=True)

TOP = {"dataset", "run_id", "queries", "documents", "chunks", "metrics", "latency_ms", "ablations", "failures"}


def inside() -> Any:
    return open_scope(tenant=TenantId(tenant_by_slug("evaluation").id), reason="a test")


def jobs() -> int:
    with inside():
        return int(IngestJob.objects.count())


def searched() -> set[str]:
    with inside():
        return set(Document.objects.filter(status=DocumentStatus.READY).values_list("external_id", flat=True))


def test_a_folder_is_ingested_asked_and_judged(evaluate: Evaluate, folder: Path) -> None:
    body = evaluate(folder)
    assert body.keys() >= TOP
    assert body["metrics"].keys() == KEYS
    assert (body["dataset"], body["queries"], body["documents"], body["ablations"]) == ("reports", 3, 3, {})
    assert body["chunks"] >= 3
    metrics = body["metrics"]
    assert (metrics["page_recall@5"], metrics["document_hit@5"], metrics["mrr"]) == (1.0, 1.0, 1.0)
    assert metrics["answered"] + metrics["closest_passages"] + metrics["refused"] == 2
    assert metrics["not_answered"] == 1.0
    assert body["latency_ms"]["total"].keys() == {"p50", "p95"}
    assert {"embed", "dense", "sparse", "fuse", "assemble"} <= body["latency_ms"].keys()
    with inside():
        run = EvaluationRun.objects.get(id=UUID(body["run_id"]))
        assert (run.state, run.metrics, run.questions) == (RunState.DONE, metrics, 3)
        first = EvaluationAnswer.objects.get(run=run, key="drawdown")
        assert (first.text, first.first_rank, first.passed) == (QUERIES[0]["text"], 1, True)
        assert first.expected == [{"document": "kestrel-2023", "page": 1, "rank": 1}]
        assert first.found[0]["document"] == "kestrel-2023"
        actions = Event.objects.filter(subject_id=run.id).order_by("occurred_at").values_list("action", flat=True)
        assert list(actions) == [EVALUATION_RUN_STARTED, EVALUATION_RUN_FINISHED]
    # Again: nothing is read, and the same comes out.
    before = jobs()
    again = evaluate(folder)
    assert (jobs(), again["metrics"], again["corpus_sha256"]) == (before, metrics, body["corpus_sha256"])
    assert again["run_id"] != body["run_id"]


@pytest.mark.slow
def test_what_changed_is_read_again_and_what_left_is_not_searched_any_more(evaluate: Evaluate, folder: Path) -> None:
    first = evaluate(folder)
    write_report(folder, 2023, drawdown="14.9")
    write_lines(folder / "documents.jsonl", DOCUMENTS[1:])
    write_lines(folder / "queries.jsonl", [{**QUERIES[0], "answer": "14.9%"}, QUERIES[1]])
    second = evaluate(folder)
    assert searched() == {"kestrel-2023", "dealing"}
    with inside():
        versions = Document.objects.filter(external_id="kestrel-2023").order_by("version")
        assert [(each.version, each.status) for each in versions] == [(1, "superseded"), (2, "ready")]
    assert jobs() == 3
    assert second["metrics"]["answered_rightly"] >= 0.5
    assert second["failures"] == [each for each in second["failures"] if each["id"] != "drawdown"]
    assert second["corpus_sha256"] != first["corpus_sha256"]


def test_a_row_that_says_something_else_is_read_again(evaluate: Evaluate, folder: Path) -> None:
    evaluate(folder)
    write_lines(folder / "documents.jsonl", [{**DOCUMENTS[0], "company": "Kestrel Capital"}, *DOCUMENTS[1:]])
    body = evaluate(folder)
    assert any("read again" in note for note in body["notes"])
    with inside():
        assert Document.objects.get(external_id="kestrel-2022", status="ready").company == "Kestrel Capital"


def test_a_broken_file_is_one_failure_and_the_rest_goes_on(
    evaluate: Evaluate, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "documents" / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    broken = {"id": "broken", "file": "documents/broken.pdf"}
    gone = {"id": "gone", "file": "documents/gone.md"}
    write_lines(folder / "documents.jsonl", [broken, gone, *DOCUMENTS])
    write_lines(folder / "queries.jsonl", [{**QUERIES[0], "relevant": [{"document": "broken", "page": 2}]}, QUERIES[1]])
    body = evaluate(folder)
    assert [each["file"] for each in body["failed_documents"]] == ["documents/gone.md", "broken.pdf"]
    assert (body["documents"], body["metrics"]["page_recall@30"]) == (3, 0.5)
    error = capsys.readouterr().err
    assert "broken.pdf" in error
    assert "gone.md" in error


@pytest.mark.slow
def test_stopped_in_between_it_goes_on_from_there(
    evaluate: Evaluate, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopping(HereRunner):
        def submit(self, tenant_id: Any, job_ids: list[Any]) -> None:
            super().submit(tenant_id, job_ids[:1])
            raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr("apps.corpus.batches.batch.LocalRunner", Stopping)
        with pytest.raises(CommandError, match="Run the command again"):
            evaluated(folder)
    with inside():
        (read,) = Document.objects.filter(status=DocumentStatus.READY)
        finished_at = IngestJob.objects.get(document=read).finished_at
    assert evaluate(folder)["documents"] == 3
    assert jobs() == 3
    with inside():
        assert IngestJob.objects.get(document_id=read.id).finished_at == finished_at


@pytest.mark.slow
def test_a_run_that_is_stopped_or_killed_is_kept_as_stopped(
    evaluate: Evaluate, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate(folder)
    asked = Asking.ask

    def interrupted(self: Asking, question: Any, variant: Any = None) -> Any:
        if question.key == "dealing":
            raise KeyboardInterrupt
        return asked(self, question, variant)

    with monkeypatch.context() as stopped:
        stopped.setattr(Asking, "ask", interrupted)
        with pytest.raises(CommandError, match="Stopped"):
            evaluated(folder)
    with inside():
        run = EvaluationRun.objects.latest("started_at")
        assert (run.state, run.answers.count()) == (RunState.STOPPED, 1)
        # One that was killed says nothing: the next run finds that it has been silent.
        EvaluationRun.objects.filter(id=run.id).update(
            state=RunState.RUNNING, seen_at=timezone.now() - timedelta(hours=1)
        )
    evaluate(folder, questions=["drawdown"])
    with inside():
        assert EvaluationRun.objects.get(id=run.id).state == RunState.STOPPED


@pytest.mark.slow
def test_variants_change_one_thing_each_and_are_kept(evaluate: Evaluate, folder: Path) -> None:
    body = evaluate(folder, ablate=True)
    assert {"dense only", "BM25 only", "without filters", "without boost of likely filters"} <= body["ablations"].keys()
    assert all(each.keys() == body["metrics"].keys() for each in body["ablations"].values())
    with inside():
        assert EvaluationRun.objects.get(id=UUID(body["run_id"])).ablations == body["ablations"]


@pytest.mark.slow
def test_questions_are_chosen_by_id_and_number_and_settings_by_name(evaluate: Evaluate, folder: Path) -> None:
    body = evaluate(folder, questions=["dealing", "drawdown"], limit=1, set=["sparse_top_k=7", "cut_top_k=2"])
    assert (body["queries"], body["changes"]) == (1, {"sparse_top_k": 7, "cut_top_k": 2})
    assert (body["settings"]["policy"]["sparse_top_k"], body["settings"]["stages"]["cut_top_k"]) == (7, 2)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"set": ["sparse_top=7"]}, "no setting 'sparse_top'"),
        ({"set": ["sparse_top_k=many"]}, "a whole number"),
        ({"set": ["sparse_top_k=0"]}, "be between"),
        ({"set": ["metadata_top_k=-1"]}, "between 0 and 1000"),
        ({"set": ["expand_around=0"]}, "between 1 and 50"),
        ({"set": ["rerank_enabled"]}, "rerank_enabled=value"),
        ({"limit": 0}, "at least 1"),
        ({"member": "nobody"}, "no active account nobody"),
        ({"embedding": "none"}, "no embedding profile none"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_read(
    evaluate: Evaluate, folder: Path, options: dict[str, Any], error: str
) -> None:
    with pytest.raises(CommandError, match=error):
        evaluate(folder, **options)


@pytest.mark.slow
def test_two_runs_are_compared_question_by_question(evaluate: Evaluate, folder: Path) -> None:
    before = evaluate(folder)
    # Read anew its documents have other ids, and are the same documents; so are the questions.
    changes = ["sparse_top_k=1", "dense_minimum_similarity=0.99"]
    worse = evaluate(folder, anew=True, set=changes, compare=UUID(before["run_id"]))
    comparison = worse["comparison"]
    assert (comparison["run_id"], comparison["same_corpus"], comparison["same_questions"]) == (
        before["run_id"],
        True,
        True,
    )
    assert comparison["settings"]["sparse_top_k"] == [30, 1]
    recall = comparison["metrics"]["page_recall@5"]
    assert recall["difference"] == pytest.approx(recall["after"] - recall["before"])
    with pytest.raises(CommandError, match="no finished evaluation run"):
        evaluate(folder, compare=uuid4())


@pytest.mark.slow
def test_folders_do_not_mix(evaluate: Evaluate, folder: Path, tmp_path: Path) -> None:
    evaluate(folder)
    other = make_folder(tmp_path / "others")
    write_lines(other / "documents.jsonl", DOCUMENTS[2:])
    body = evaluate(other)
    assert body["documents"] == 1
    found = {each["found"]["document"] for each in body["failures"] if each["found"]}
    assert found <= {"dealing"}
    assert searched() == {"kestrel-2022", "kestrel-2023", "dealing"}


@pytest.mark.slow
def test_another_embedding_provider_has_a_tenant_of_its_own(
    evaluate: Evaluate, folder: Path, settings: LazySettings
) -> None:
    evaluate(folder)
    local = settings.GLASSBOX_EMBEDDING_PROFILES["local"]
    wide = {**local, "dimension": 768, "request_dimensions": True}
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": local, "wide": wide}
    body = evaluate(folder, embedding="wide")
    assert (body["metrics"]["page_recall@5"], body["documents"]) == (1.0, 3)
    with inside():
        assert not Embedding768.objects.exists()
    with open_scope(tenant=TenantId(tenant_by_slug("evaluation-wide").id), reason="a test"):
        assert EvaluationRun.objects.get(id=UUID(body["run_id"])).models_used["embedding"]["dimension"] == 768
        assert Embedding768.objects.count() == body["chunks"]


@pytest.mark.slow
def test_the_policy_lets_every_intent_reach_the_kinds_of_the_folder(evaluate: Evaluate, folder: Path) -> None:
    evaluate(folder)
    evaluate(folder)
    with inside():
        active = PolicyVersion.objects.get(status="active")
        assert (active.number, active.author_label, active.approver_label) == (
            2,
            "glassbox-evaluation-author",
            "glassbox-evaluation-reviewer",
        )
        reached = {tuple(sorted(each.kinds.values_list("kind", flat=True))) for each in active.intents.all()}
    assert reached == {("compliance_profile", "reference_report")}


def test_a_folder_may_have_an_underscore_in_its_name() -> None:
    tenant_id = TenantId(evaluation_tenant().id)
    made = {dataset_scope(tenant_id, name) for name in ("my_reports", "my-reports")}
    with open_scope(tenant=tenant_id, reason="a test"):
        keys = set(Scope.objects.filter(id__in=made).values_list("key", flat=True))
    assert len(keys) == 2
    assert "dataset:my-reports" in keys


def test_a_tenant_of_that_name_that_is_somebodys_own_is_left_alone(evaluate: Evaluate, folder: Path) -> None:
    tenant_create(slug="evaluation", name="Evaluation Partners", residency_region="eu", reason="a test")
    with pytest.raises(CommandError, match="was not made for evaluation folders"):
        evaluate(folder)
    with inside():
        assert PolicyVersion.objects.count() == 1


@pytest.mark.slow
def test_a_member_is_given_and_the_tables_say_where_to_look(evaluate: Evaluate, folder: Path) -> None:
    user = make_user("alice")
    out = io.StringIO()
    call_command("evaluate", str(folder), member="alice", ablate=True, stdout=out)
    text = out.getvalue()
    assert "page_recall@5" in text
    assert "dense only" in text
    assert "Quality" in text
    with inside():
        assert Membership.objects.get(user=user).role == Role.ANALYST


def test_a_folder_with_wrong_lines_is_refused_by_file_and_line(evaluate: Evaluate, folder: Path) -> None:
    (folder / "queries.jsonl").write_text('{"id": "a"}\n')
    with pytest.raises(CommandError, match=r"queries\.jsonl, line 1: it has no \"text\""):
        evaluate(folder)


@pytest.mark.slow
def test_a_tenants_own_questions_are_asked_within_their_scopes(here: None, server: ModelServer) -> None:
    firm = make_acme()
    out = io.StringIO()
    with pytest.raises(CommandError, match="has no evaluation questions"):
        call_command("evaluate", tenant="acme", json=True, stdout=out)
    with open_scope(tenant=firm.id, reason="a test"):
        for filename, scope in (("alpha.md", "fund:alpha"), ("beta.md", "fund:alpha")):
            document = Document.objects.get(filename=filename)
            own = Document.objects.get(filename="alpha.md")
            query = evaluation_query_add(
                text=f"{QUESTION} ({filename})", scope_key=scope, document_id=own.id, pages=[1]
            )
            EvaluationQuery.objects.filter(id=query.id).update(series_id=document.series_id)
    call_command("evaluate", tenant="acme", json=True, stdout=out)
    body = json.loads(out.getvalue())
    assert (body["dataset"], body["queries"]) == ("own questions", 2)
    # What lies in another scope than the question's is not found, though the platform may see it.
    assert body["metrics"]["page_recall@30"] == 0.5
    with open_scope(tenant=firm.id, reason="a test"):
        scopes = EvaluationAnswer.objects.values_list("scope_id", flat=True)
        assert set(scopes) == set(firm.scope_ids("fund:alpha"))


@pytest.mark.slow
def test_it_runs_with_the_model_that_is_shipped(here: None, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate", str(folder), json=True)
    body = json.loads(capsys.readouterr().out)
    assert (body["metrics"]["page_recall@5"], body["metrics"]["mrr"]) == (1.0, 1.0)
    with inside():
        assert EvaluationRun.objects.get().models_used["embedding"]["model"] == "all-MiniLM-L6-v2"
