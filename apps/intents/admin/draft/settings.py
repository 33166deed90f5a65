"""The numbers of a policy as an officer meets them: a name, what it means in a sentence, and its bounds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from apps.intents.contracts import ClassifierSettings
from apps.intents.retrieval_settings import RetrievalSettings, setting_bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """`whole` numbers have no fraction; a switch has neither bounds nor number."""

    name: str
    label: str
    meaning: str
    low: float = 0
    high: float = 0
    whole: bool = False
    switch: bool = False

    @property
    def bounds(self) -> str:
        return f"{'A whole number, ' if self.whole else ''}{self.low:g} to {self.high:g}."


_THRESHOLDS: Final = {
    "neighbours": (
        "Nearest examples",
        "A score begins with the mean similarity of this many nearest examples.",
        1,
        100,
    ),
    "term_weight": ("Weight of terms", "The most that matched terms can add to a score.", 0, 10),
    "decisive_points": ("Points of a decisive term", "The points of a decisive term; any other term counts 1.", 0, 100),
    "points_for_full_weight": ("Points for the full weight", "This many points give the full weight.", 0.01, 1000),
    "minimum_score": ("Lowest score", "Below this score a question is unrecognised and reaches the least.", -1, 10),
    "minimum_margin": (
        "Smallest lead",
        "With a smaller lead over the second intent a question is unrecognised.",
        0,
        10,
    ),
    "minimum_term_points": (
        "Lowest points without embeddings",
        "While the embedding provider is unavailable, only terms decide: a question needs this many points.",
        0,
        1000,
    ),
    "minimum_term_margin": (
        "Smallest lead without embeddings",
        "While the embedding provider is unavailable, a question needs a lead of this many points.",
        0,
        1000,
    ),
    "minimum_golden_accuracy": (
        "Accuracy wanted",
        "The share of review examples that must get their intent, each left out in turn, before this can be submitted: "
        "0.85 is 85 %.",
        0,
        1,
    ),
}

_RETRIEVAL: Final = {
    "minimum_question_chars": ("Shortest question", "The fewest characters that a question needs."),
    "dense_top_k": ("Search by meaning", "How many passages the search by meaning returns."),
    "dense_minimum_similarity": ("Least similarity", "The lowest similarity of a passage found by meaning."),
    "sparse_top_k": ("Search by words", "How many passages the search by words returns."),
    "bm25_k1": ("Repetition of a word (BM25 k1)", "How much the repetition of a word counts; 0 means not at all."),
    "bm25_b": ("Length of a passage (BM25 b)", "How much long passages are penalised; 0 means not at all."),
    "rrf_k": (
        "Fusing the two searches",
        "Rank r of a search counts 1 / (this + r). The higher it is, the more evenly ranks count.",
    ),
    "fused_top_k": ("Kept of both searches", "How many passages of both searches together are kept."),
    "mmr_enabled": ("Spread near-duplicates out", "Passages that say the same make room for others (MMR)."),
    "mmr_lambda": ("Relevance against variety (MMR lambda)", "1 considers only relevance, 0 only variety."),
    "rerank_enabled": ("Use a reranker", "A second, slower model reorders the passages."),
    "rerank_keyword_weight": ("Weight of words in the reranker", "How much shared words count in the reranker."),
    "cut_off_cumulative_probability": (
        "Cut-off by probability",
        "With a reranker's probabilities: the rest is cut once this much is covered.",
    ),
    "cut_off_score_cliff": (
        "Cut-off by a drop",
        "With a reranker's probabilities: the rest is cut where the score drops by more than this.",
    ),
    "heal_rounds": ("Asking again", "How often a question is asked again for what is missing; 0 means never."),
    "history_days": (
        "History for who asked, in days",
        "For this many days, questions and answers are kept, encrypted, for the person who asked, who can share an "
        "answer by its address; 0 keeps none.",
    ),
    "heal_minimum_coverage": ("Coverage wanted", "Below this coverage a question is asked again for what is missing."),
}


def _threshold(name: str, kind: object) -> Setting:
    label, meaning, low, high = _THRESHOLDS[name]
    return Setting(name=name, label=label, meaning=meaning, low=low, high=high, whole=kind == "int")


def _retrieval(name: str, default: float) -> Setting:
    label, meaning = _RETRIEVAL[name]
    if isinstance(default, bool):
        return Setting(name=name, label=label, meaning=meaning, switch=True)
    low, high = setting_bounds(name)
    return Setting(name=name, label=label, meaning=meaning, low=low, high=high, whole=isinstance(default, int))


THRESHOLDS: Final = tuple(_threshold(field.name, field.type) for field in fields(ClassifierSettings))
RETRIEVAL: Final = tuple(_retrieval(name, default) for name, default in RetrievalSettings().as_json().items())
