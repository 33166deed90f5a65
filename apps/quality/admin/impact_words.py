"""A preview in plain words: what comes first on the page, and what can't be known."""

from __future__ import annotations

from django.conf import settings

from apps.quality.impact.contracts import Averages, EvaluationImpact, GoldenImpact, ImpactResult, RecordedImpact
from apps.quality.models import ImpactState, PolicyImpact


def headlines(result: ImpactResult) -> list[str]:
    """One sentence for each thing that was looked at."""
    return [
        _recorded(result.recorded),
        *_evaluation(result.evaluation),
        _golden(result.golden),
        *_profile(result.recorded, "recorded question"),
        *_profile(result.evaluation, "evaluation question"),
        *_profile(result.golden, "review example"),
    ]


def limits(result: ImpactResult) -> list[str]:
    """What the figures do not tell, one sentence each."""
    recorded = result.recorded
    said = []
    if recorded.by_intent:
        said.append(
            f"Of {_questions(recorded.by_intent, 'recorded question')} the log keeps a digest and the intent, not "
            "the text. They are judged by that intent. It can't be known whether this version would recognise them "
            "differently, which passages would newly appear, or whether the compliance profile would refuse them."
        )
    if recorded.without_hits:
        said.append(
            f"The passages of {_questions(recorded.without_hits, 'recorded question')} were removed from the log, so "
            "it can't be known which of them would vanish."
        )
    if recorded.not_judged:
        said.append(
            f"Of {_questions(recorded.not_judged, 'recorded question')} even the intent is no longer kept, or the "
            "text can't be read as a question. They are counted but not judged."
        )
    if recorded.total >= settings.GLASSBOX_IMPACT_EVENTS:
        said.append(f"Only the last {settings.GLASSBOX_IMPACT_EVENTS:,} recorded questions were examined.")
    if missing := result.evaluation.total - result.evaluation.with_document:
        said.append(
            f"The expected document of {_questions(missing, 'evaluation question')} is no longer searchable: they "
            "are not counted in the recall."
        )
    said.append("No answers were written, so this does not show how a model would answer from a different context.")
    said.append("Documents added or removed after the computation change what is found.")
    return said


def progress_words(impact: PolicyImpact) -> str:
    if impact.state == ImpactState.QUEUED:
        return "Waiting for a worker"
    return f"{impact.done:,} of {impact.total:,} questions" if impact.total else "Reading both versions"


def figure(value: float | None) -> str:
    return "not known" if value is None else f"{value:.2f}"


def _recorded(found: RecordedImpact) -> str:
    if not found.total:
        return "No question has been recorded yet, so there is nothing to judge."
    counted = f"{found.gaining:,} of {_questions(found.total, 'recorded question')} could reach more kinds of document"
    passages = f"{found.vanishing_hits:,} passage{_s(found.vanishing_hits)} in a context would disappear"
    appearing = f", {found.appearing_hits:,} would appear" if found.by_text else ""
    return f"{counted}, {found.losing:,} fewer; {passages}{appearing}."


def _evaluation(found: EvaluationImpact) -> list[str]:
    if not found.total:
        return ["There are no evaluation questions, so recall can't be compared."]
    said = []
    if found.with_pages:
        said.append(
            f"Recall on {_questions(found.with_pages, 'evaluation question')}: "
            f"{figure(found.before.page_recall_at_5)} before, {figure(found.after.page_recall_at_5)} after "
            "(share of the expected pages among the first five passages)."
        )
    if found.with_document:
        said.append(
            f"Expected document among the first five passages, of {found.with_document:,}: "
            f"{_hits(found.before, found)} before, {_hits(found.after, found)} after."
        )
    said.append(f"Context: {_bytes(found.before)} bytes before, {_bytes(found.after)} after on average.")
    return said


def _golden(found: GoldenImpact) -> str:
    return (
        f"{found.moving:,} of {_questions(found.total, 'review example')} change their intent; {found.gaining:,} could "
        f"reach more kinds, {found.losing:,} fewer."
    )


def _profile(found: RecordedImpact | EvaluationImpact | GoldenImpact, what: str) -> list[str]:
    if not found.stopped and not found.freed:
        return []
    return [
        f"Compliance profile: {_questions(found.stopped, what)} would newly be refused, {found.freed:,} would be "
        "refused no longer."
    ]


def _hits(of: Averages, found: EvaluationImpact) -> str:
    return f"{round((of.document_hit_at_5 or 0.0) * found.with_document):,}"


def _bytes(of: Averages) -> str:
    return f"{of.context_bytes or 0.0:,.0f}"


def _questions(count: int, name: str) -> str:
    return f"{count:,} {name}{_s(count)}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
