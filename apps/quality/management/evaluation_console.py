"""An evaluation on a terminal: how far it is, and its figures as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Column, Table
from rich.text import Text

from apps.quality.evaluation.comparing import Comparison, MetricChange
from apps.quality.evaluation.figures import Metrics, figure_of
from apps.quality.evaluation.judging import RECALL
from apps.quality.models import EvaluationAnswer

_HEADLINES: Final = (
    "page_recall@5",
    "mrr",
    "context_recall",
    "answered_rightly",
    "useful",
    "confidently_wrong",
    "not_answered",
)
_LONGEST_QUESTION: Final = 90


class ConsoleWatcher:
    """Draws progress on standard error, so that standard output holds the result alone."""

    def __init__(self, console: Console) -> None:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
        )
        self._progress = Progress(*columns, console=console)
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def begin(self, what: str, total: float) -> None:
        if total:
            self._task = self._progress.add_task(what, total=total, detail="")

    def progress(self, done: float, detail: str = "") -> None:
        if self._task is not None:
            self._progress.update(self._task, completed=done, detail=detail)

    def say(self, line: str) -> None:
        self._progress.console.print(Text(line, style="red"))


def print_run(console: Console, body: Mapping[str, Any]) -> None:
    """Print what run_json gives."""
    searched = f"{body['documents']} documents, {body['chunks']:,} passages"
    console.print(Text(f"{body['dataset']}: {body['queries']} questions over {searched}"))
    if body["policy"]:
        console.print(Text(body["policy"]), soft_wrap=True)
    if body["changes"]:
        console.print(Text("changed for this run: " + ", ".join(f"{n} = {v}" for n, v in body["changes"].items())))
    console.print(_metrics(body["metrics"]))
    _by_name(console, "By type of question", body["by_type"], ("questions", *_HEADLINES))
    _by_name(console, "Page recall after each stage", body["by_stage"], tuple(RECALL.values()))
    if body["ablations"]:
        _by_name(console, "With one thing changed", {"as it is": body["metrics"], **body["ablations"]}, _HEADLINES)
    latency = Table("stage", "p50 ms", "p95 ms", title="How long a question took", title_justify="left")
    for stage, spent in body["latency_ms"].items():
        latency.add_row(stage, f"{spent['p50']:.1f}", f"{spent['p95']:.1f}")
    console.print(latency)
    print_failures(console, body["failures"])


def print_failures(console: Console, failures: Sequence[Mapping[str, Any]]) -> None:
    """One a line: what was asked, what is wrong, where the right page stood, and what stood first instead."""
    if not failures:
        console.print("No failures.")
        return
    console.print(Text(f"{len(failures)} failures:"))
    for each in failures:
        text = each["text"] if len(each["text"]) <= _LONGEST_QUESTION else each["text"][:_LONGEST_QUESTION] + "…"
        line = f"{each['id']}  {each['why']}{_where(each)}  “{' '.join(text.split())}”"
        console.print(Text(line), soft_wrap=True)


def _where(failure: Mapping[str, Any]) -> str:
    """Return where the right page stood, and what stood first instead; empty if no page is right."""
    if failure["passed"] is None:
        return ""
    wanted = ", ".join(f"{page['document']} p. {page['page']}" for page in failure["expected"]) or "the document"
    rank = f"stood at {failure['rank']}" if failure["rank"] else "was not found"
    found = failure["found"]
    instead = f"; first was {found['document']} p. {found['page']}" if found and failure["rank"] != 1 else ""
    return f"; {wanted} {rank}{instead}"


def print_comparison(console: Console, comparison: Comparison) -> None:
    """What changed since another run."""
    table = Table("metric", "before", "now", "difference", title="Against the other run", title_justify="left")
    for change in comparison.metrics:
        table.add_row(change.name, _number(change.before), _number(change.after), _signed(change))
    console.print(table)
    if not comparison.same_corpus:
        console.print("The two runs searched different documents.")
    if not comparison.same_questions:
        console.print(f"The two runs asked different questions; {comparison.common} are the same.")
    for name, (before, after) in comparison.settings.items():
        console.print(Text(f"{name}: {before} before, {after} now"))
    for each in comparison.changed:
        word = {True: "better", False: "worse", None: "changed"}[each.better]
        became = " to ".join(f"{_outcome(answer)}, right page {_rank(answer)}" for answer in (each.before, each.after))
        console.print(Text(f"{word:8} {each.after.key}  {became}"), soft_wrap=True)


def _outcome(answer: EvaluationAnswer) -> str:
    if answer.passed:
        return "answered rightly"
    return answer.outcome.value.replace("_", " ")


def _rank(answer: EvaluationAnswer) -> str:
    return "not found" if answer.first_rank is None else f"at {answer.first_rank}"


def _metrics(metrics: Metrics) -> Table:
    table = Table(show_header=False, box=None)
    for name, value in metrics.items():
        table.add_row(name, _number(value))
    return table


def _by_name(console: Console, title: str, rows: Mapping[str, Metrics], columns: Sequence[str]) -> None:
    if not rows:
        return
    table = Table(Column("", no_wrap=True), *columns, title=title, title_justify="left")
    for name, figures in rows.items():
        table.add_row(Text(name), *(_number(figure_of(figures, column)) for column in columns))
    console.print(table)


def _number(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _signed(change: MetricChange) -> str:
    return "-" if change.difference is None else f"{change.difference:+.3f}"
