"""A policy version as an officer reads it: who may reach what, in which order it is kept, and what the numbers mean."""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.kinds import Kind
from apps.intents.contracts import UNRECOGNISED, ClassifierSettings, PolicySnapshot, RecordingMode
from apps.intents.registry import stage_words
from apps.intents.retrieval_settings import RetrievalSettings

RECORDING = {
    RecordingMode.HASH_ONLY: "A keyed hash only: the text of the question is never written",
    RecordingMode.ENCRYPTED_TEXT: "The encrypted text of the question",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One intent against all kinds, in the order of the budgets."""

    name: str
    label: str
    description: str
    is_fallback: bool
    ticks: tuple[bool, ...]
    recording: str
    terms: tuple[str, ...]
    decisive_terms: tuple[str, ...]
    examples: tuple[str, ...]

    @property
    def reach(self) -> int:
        return sum(self.ticks)


def kinds_in_order(snapshot: PolicySnapshot) -> tuple[Kind, ...]:
    """By budget priority."""
    return snapshot.kinds


def matrix(snapshot: PolicySnapshot) -> tuple[MatrixRow, ...]:
    kinds = kinds_in_order(snapshot)

    def examples(name: str) -> tuple[str, ...]:
        return tuple(example.text for example in snapshot.examples if example.intent == name)

    rows = [
        MatrixRow(
            name=rule.name,
            label=rule.label,
            description=rule.description,
            is_fallback=False,
            ticks=tuple(kind in rule.kinds for kind in kinds),
            recording=RECORDING[rule.recording_mode],
            terms=tuple(term.text for term in rule.terms if not term.decisive),
            decisive_terms=tuple(term.text for term in rule.terms if term.decisive),
            examples=examples(rule.name),
        )
        for rule in snapshot.intents
    ]
    fallback = snapshot.fallback
    rows.append(
        MatrixRow(
            name="unrecognised",
            label=fallback.label,
            description=fallback.description,
            is_fallback=True,
            ticks=tuple(kind in fallback.kinds for kind in kinds),
            recording=RECORDING[fallback.recording_mode],
            terms=(),
            decisive_terms=(),
            examples=examples(UNRECOGNISED),
        )
    )
    return tuple(rows)


def thresholds(settings: ClassifierSettings) -> tuple[str, ...]:
    """What the classifier's numbers mean, one sentence each."""
    return (
        f"An intent's score begins with the mean similarity of its {settings.neighbours} review examples nearest to "
        "the question.",
        f"Matched terms add up to {settings.term_weight:g}: a decisive term counts {settings.decisive_points:g} "
        f"points, any other 1, and {settings.points_for_full_weight:g} points bring the whole.",
        f"Below a score of {settings.minimum_score:g} a question is unrecognised.",
        f"So it is when the lead over the second intent is smaller than {settings.minimum_margin:g}.",
        f"While the embedding provider is unavailable, only terms decide: at least {settings.minimum_term_points:g} "
        f"points and a lead of {settings.minimum_term_margin:g}, and the answer says so.",
        f"A version needs {settings.minimum_golden_accuracy:.0%} of its review examples right, each left out in turn, "
        "before it can be approved.",
    )


def search_settings(settings: RetrievalSettings) -> tuple[str, ...]:
    """What the retrieval settings mean, one sentence each."""
    sentences = [
        f"A question needs {settings.minimum_question_chars} characters.",
        f"Search by meaning brings {settings.dense_top_k} passages, search by words {settings.sparse_top_k} "
        f"(BM25, k1 {settings.bm25_k1:g}, b {settings.bm25_b:g}).",
        f"The two rankings are fused by reciprocal rank, 1 / ({settings.rrf_k} + rank), and the best "
        f"{settings.fused_top_k} are kept.",
    ]
    return (*sentences, *stage_words(settings))
