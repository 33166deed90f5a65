"""The tables of an evaluation run's pages: figures in the order they are read in, and questions in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.quality.admin.evaluation_charts import DRAWN, number
from apps.quality.evaluation.comparing import Comparison, QuestionChange
from apps.quality.evaluation.figures import METRICS, NO_LONGER_MEASURED, figure_of, has_figure
from apps.quality.evaluation.judging import RECALL
from apps.quality.models import EvaluationAnswer, EvaluationRun
from apps.quality.selectors.evaluation_runs import AnswerLine
from apps.retrieval.contracts import AnswerOutcome
from apps.retrieval.trace import Stage

_STAGES = (
    "Page recall of what each stage ranked: the share of the expected pages among its first 1, 5, 10 and 30 "
    "passages. A stage that lowers it loses pages that had already been found."
)
_TYPES = "The same figures for each sort of question, as the questions' file calls it, and for each language."
_VARIANTS = "The same questions with one setting changed at a time. The value of a part is what is lost without it."
_NOT_TOLD = "A document that it names no longer exists, or you may not see it."

_OF_UNANSWERABLE: Final = {
    AnswerOutcome.ANSWERED: "Answered, although the answer is not in the corpus",
    AnswerOutcome.CLOSEST: "Rightly not answered: the closest passages alone",
    AnswerOutcome.REFUSED: "Rightly refused",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTable:
    """Rows of figures by name, each as long as columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """A question as a page shows it. expected, found: lines; verdict: what became of it."""

    answer: EvaluationAnswer
    failed: bool
    verdict: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    key: str
    text: str
    word: str
    before: str
    after: str


def figure_table(figures: Mapping[str, Mapping[str, Any]], columns: Sequence[str]) -> FigureTable | None:
    """Rows in the order given. Args: columns: which figures, in their order. None for no rows."""
    if not figures:
        return None
    return FigureTable(
        columns=tuple(columns),
        rows=tuple(
            (row, tuple(number(figure_of(values, name)) for name in columns)) for row, values in figures.items()
        ),
    )


def run_tables(run: EvaluationRun) -> list[tuple[str, str, FigureTable | None]]:
    """Heading, explanation and figures of a run's tables."""
    variants = {"as it is": run.metrics, **dict(sorted(run.ablations.items()))} if run.ablations else {}
    return [
        ("After each stage", _STAGES, figure_table(_by_stage(run.by_stage), tuple(RECALL.values()))),
        ("By type of question", _TYPES, figure_table(dict(sorted(run.by_type.items())), ("questions", *DRAWN))),
        ("With one thing changed", _VARIANTS, figure_table(variants, tuple(DRAWN))),
    ]


def metric_list(run: EvaluationRun) -> list[tuple[str, str]]:
    """A run's metrics by name, in the order that they are read in; none of a run that did not finish."""
    names = [name for name in (*METRICS, *NO_LONGER_MEASURED) if has_figure(run.metrics, name)]
    return [(name, number(figure_of(run.metrics, name))) for name in names]


def latency_rows(latency_ms: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, str]]:
    return [(stage, f"{spent['p50']:,.1f}", f"{spent['p95']:,.1f}") for stage, spent in _by_stage(latency_ms).items()]


def setting_rows(run: EvaluationRun) -> list[tuple[str, str, bool]]:
    """Every setting by name, with its value and whether it was changed for this run."""
    return [
        (name, str(value), name in run.changes)
        for part in run.settings.values()
        for name, value in sorted(part.items())
    ]


def answer_rows(lines: Iterable[AnswerLine]) -> list[AnswerRow]:
    return [_row(line) for line in lines]


def metric_rows(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    """Each metric before and after, with what became of it in a word, so that no colour has to say it."""
    return [(each.name, number(each.before), number(each.after), _step(each.difference)) for each in comparison.metrics]


def change_rows(comparison: Comparison) -> list[ChangeRow]:
    """Questions and what became of them in words; no document is named."""
    return [_change(each) for each in comparison.changed]


def _by_stage(figures: Mapping[str, Any]) -> dict[str, Any]:
    """In the order of the pipeline; what is no stage of it (the final order, the total) at the end."""
    order = {stage.value: place for place, stage in enumerate(Stage)}
    return dict(sorted(figures.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def _row(line: AnswerLine) -> AnswerRow:
    answer = line.answer
    answered = answer.outcome is AnswerOutcome.ANSWERED
    failed = answer.passed is False or (answer.passed is None and answered) or answer.scores.get("page_recall@5") == 0.0
    return AnswerRow(
        answer=answer,
        failed=failed,
        verdict=_verdict(answer),
        expected=tuple(_expected(each) for each in answer.expected) if line.told else (_NOT_TOLD,),
        found=tuple(_found(each, rank) for rank, each in enumerate(answer.found, start=1)) if line.told else (),
        said=answer.answer if line.told else "",
    )


def _verdict(answer: EvaluationAnswer) -> str:
    if answer.passed is None:
        return _OF_UNANSWERABLE[answer.outcome]
    return "Answered rightly" if answer.passed else answer.why[:1].upper() + answer.why[1:]


def _expected(page: Mapping[str, Any]) -> str:
    return f"{page['document']}, page {page['page']}: {_place(page['rank'])}"


def _found(place: Mapping[str, Any], rank: int) -> str:
    pages = (
        f"page {place['page']}" if place["page"] == place["page_end"] else f"pages {place['page']}-{place['page_end']}"
    )
    return f"{rank}. {place['document']}, {pages}"


def _place(rank: int | None) -> str:
    return "not found" if rank is None else f"at {rank}"


def _change(change: QuestionChange) -> ChangeRow:
    word = {True: "Better", False: "Worse", None: "Changed"}[change.better]
    before, after = (_outcome(answer) for answer in (change.before, change.after))
    return ChangeRow(key=change.after.key, text=change.after.text, word=word, before=before, after=after)


def _outcome(answer: EvaluationAnswer) -> str:
    return f"{_verdict(answer)}; right page {_place(answer.first_rank)}"


def _step(difference: float | None) -> str:
    if difference is None:
        return "—"
    if not difference:
        return "the same"
    return f"{difference:+.3f}"
