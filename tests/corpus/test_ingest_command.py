"""`manage.py ingest`, through the same services and the same runner, in processes of its own."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.corpus.batches.batch import Batch
from apps.corpus.batches.local import LocalRunner
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services.ingest.manifest import PlannedFile
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import REPORT, ingest, job
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)


class HereRunner:
    """In place of other processes, which would load the model once more each: the same jobs, in this one."""

    def __init__(self, *, jobs: int) -> None:
        self.jobs = jobs

    def __enter__(self) -> HereRunner:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def submit(self, tenant_id: Any, job_ids: list[Any]) -> None:
        from apps.corpus.jobs import job_run

        for job_id in job_ids:
            job_run(job_id=job_id, tenant_id=tenant_id)

    def collect(self) -> dict[Any, str]:
        return {}


@pytest.fixture
def firm() -> Firm:
    return make_firm()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.corpus.batches.batch.LocalRunner", HereRunner)
    monkeypatch.setattr("apps.corpus.management.commands.ingest.prepare", lambda: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.md").write_bytes(REPORT)
    return tmp_path


def command(*paths: Path, scope: str = "fund:alpha", kind: str = "run", **options: Any) -> dict[str, Any]:
    out = io.StringIO()
    given = {"tenant": "acme", "scope": scope, "kind": kind, "local": True, "json": True, **options}
    call_command("ingest", *map(str, paths), stdout=out, **given)
    figures: dict[str, Any] = json.loads(out.getvalue())
    return figures


def test_files_become_ready_and_the_figures_say_so(firm: Firm, here: None, folder: Path) -> None:
    figures = command(folder / "good.md", company="Acme")
    with open_scope(tenant=firm.id, reason="a test"):
        made = Document.objects.get()
    assert (made.status, made.company, made.kind) == (DocumentStatus.READY, "Acme", "run")
    assert (figures["ingested"], figures["chunks"], figures["failed"]) == (1, made.chunk_count, [])


def test_a_repeated_command_changes_nothing(firm: Firm, here: None, folder: Path) -> None:
    command(folder)
    assert command(folder)["unchanged"] == 1


def test_what_is_said_of_files_that_are_there_is_not_dropped_in_silence(firm: Firm, here: None, folder: Path) -> None:
    command(folder / "good.md", company="Acme")
    assert command(folder / "good.md", company="Acme")["otherwise_described"] == []
    [told] = command(folder / "good.md", company="Bolt")["otherwise_described"]
    assert (Path(told["file"]).name, told["fields"]) == ("good.md", ["company"])
    with open_scope(tenant=firm.id, reason="a test"):
        assert Document.objects.get().company == "Acme"


def test_errors_stand_by_their_file_and_the_rest_goes_on(firm: Firm, here: None, folder: Path) -> None:
    (folder / "cut.pdf").write_bytes(b"%PDF-1.7 cut")
    (folder / "empty.txt").write_bytes(b"")
    out = io.StringIO()
    with pytest.raises(CommandError, match="3 of 4 files failed"):
        call_command(
            "ingest", str(folder), str(folder / "nowhere.md"), tenant="acme", scope="fund:alpha", kind="run",
            local=True, json=True, stdout=out,
        )  # fmt: skip
    figures = json.loads(out.getvalue())
    assert figures["ingested"] == 1
    assert {Path(file["file"]).name for file in figures["failed"]} == {"cut.pdf", "empty.txt", "nowhere.md"}
    assert all(file["error"].endswith(".") for file in figures["failed"])


def test_bad_lines_are_told_with_their_numbers_and_the_rest_goes_on(firm: Firm, here: None, folder: Path) -> None:
    name = os.fsdecode(b"b\xfc[red].md")
    (folder / name).write_bytes(b"# Another\n\nA text of its own.")
    (folder / "long.md").write_bytes(b"# A third\n\nMore text.")
    lines = [
        '{"file": "good.md", "company": "Acme", "sector": "Funds"}',
        '{"file": "\\u0000"}',
        '{"file": "[/red]"}',
        '{"file": "good.md", "title": "\\ud800"}',
        "[" * 100_000,
        '{"file": "long.md", "ticker": "MUCH-TOO-LONG-TO-BE-ONE"}',
    ]
    (folder / "manifest.jsonl").write_text("\n".join(lines))
    out = io.StringIO()
    options = {"tenant": "acme", "scope": "fund:alpha", "kind": "run", "local": True}
    with pytest.raises(CommandError, match="5 of 7 files failed"):
        call_command("ingest", str(folder), manifest=folder / "manifest.jsonl", json=True, stdout=out, **options)
    figures = json.loads(out.getvalue())
    told = {each["place"] or each["file"]: each["error"] for each in figures["failed"]}
    assert sorted(told) == [f"manifest.jsonl, line {number}" for number in range(2, 7)]
    assert "ticker" in told["manifest.jsonl, line 6"]
    assert figures["ingested"] == 2
    [warning] = figures["warnings"]
    assert (warning["place"], "sector" in warning["warning"]) == ("manifest.jsonl, line 1", True)
    # The same in words: what stands in square brackets is no markup, and every name can be printed.
    with pytest.raises(CommandError, match="5 of 7 files failed"):
        call_command("ingest", str(folder), manifest=folder / "manifest.jsonl", **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tenant": "nobody"}, "there are: acme"),
        ({"scope": "fund:nowhere"}, "no scope 'fund:nowhere'"),
        ({"kind": "novel"}, "no kind 'novel'"),
        ({"manifest": Path("/nowhere.jsonl")}, "no manifest"),
    ],
)
def test_a_wrong_name_is_one_clear_line(
    firm: Firm, here: None, folder: Path, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        command(folder, **options)


def test_nothing_named_is_an_error(firm: Firm, here: None) -> None:
    with pytest.raises(CommandError, match="Name files"):
        command()


def test_the_measure_compares_with_the_bare_model(firm: Firm, here: None, folder: Path) -> None:
    figures = command(folder, measure=True)
    assert figures["bare_chunks_per_s"] > 0
    assert figures["share_of_bare"] > 0


def test_a_job_left_from_before_is_finished_too(firm: Firm, here: None, folder: Path) -> None:
    made = ingest(firm)
    figures = command(folder / "good.md")
    assert job(firm, made.job.id).state == "succeeded"
    assert (figures["ingested"], figures["unchanged"]) == (1, 0)


def test_a_document_removed_while_waiting_is_reported(firm: Firm, here: None, folder: Path) -> None:
    batch = Batch(tenant_id=firm.id, scope_id=ScopeId(firm.scopes["fund:alpha"].id), reason="a test")
    path = folder / "good.md"
    batch.take_in(PlannedFile(label="good.md", path=path, kind="run", metadata=DocumentMetadata()))
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.all().delete()
    batch.run(on_change=lambda: None, local=True)
    assert "removed" in batch.files[0].error


@pytest.mark.slow
def test_the_real_runner_works_in_a_process_of_its_own(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ingest(firm, BROKEN, filename="cut.json")
    with LocalRunner(jobs=1) as runner:
        runner.submit(firm.id, [made.job.id])
    assert runner.collect() == {made.job.id: ""}
    assert job(firm, made.job.id).error_code == "corpus.file_corrupt"
