"""The words for a policy's changes: kinds in the plural, and the meaning of each setting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from apps.corpus.kinds import Kind
from apps.intents.contracts import RecordingMode

RECORDED: Final = {
    RecordingMode.HASH_ONLY: "as a keyed hash only: their text is never written",
    RecordingMode.ENCRYPTED_TEXT: "with their text, encrypted",
}

# A question below one of these thresholds is unrecognised, and reaches only the fallback's kinds.
RECOGNITION: Final = frozenset({"minimum_score", "minimum_margin", "minimum_term_points", "minimum_term_margin"})
SCORING: Final = frozenset({"neighbours", "term_weight", "decisive_points", "points_for_full_weight"})

_CLASSIFIER: Final = {
    "neighbours": "A score now starts from the mean similarity of the {new} nearest review examples; it was {old}.",
    "term_weight": "Matched terms can now add {new} to a score at most; it was {old}.",
    "decisive_points": "A decisive term now counts {new} points, any other 1; it was {old}.",
    "points_for_full_weight": "The full weight of terms now needs {new} points; it was {old}.",
    "minimum_score": "To be recognised, a question now needs a score of {new}; it was {old}.",
    "minimum_margin": "To be recognised, a question now needs a lead of {new} over the second intent; it was {old}.",
    "minimum_term_points": (
        "While no embedding is available, a question now needs {new} points to be recognised; it was {old}."
    ),
    "minimum_term_margin": (
        "While no embedding is available, a question now needs a lead of {new} points to be recognised; it was {old}."
    ),
    "minimum_golden_accuracy": (
        "The share of review examples that must get their intent before approval is now {new}; it was {old}."
    ),
}

_RETRIEVAL: Final = {
    "minimum_question_chars": "A question now needs at least {new} characters; it was {old}.",
    "dense_top_k": "Search by meaning now returns {new} passages; it returned {old}.",
    "dense_minimum_similarity": "A passage found by meaning now needs a similarity of {new}; it was {old}.",
    "sparse_top_k": "Search by words now returns {new} passages; it returned {old}.",
    "bm25_k1": "In the search by words, repetition (BM25 k1) now weighs {new}; it was {old}.",
    "bm25_b": "In the search by words, a passage's length (BM25 b) now weighs {new}; it was {old}.",
    "rrf_k": "The two rankings are now fused by 1 / ({new} + rank); it was 1 / ({old} + rank).",
    "fused_top_k": "{new} passages of both rankings together are now kept; it was {old}.",
    "mmr_lambda": "Where near-duplicates are spread out, relevance (MMR lambda) now weighs {new}; it was {old}.",
    "rerank_keyword_weight": "Where a reranker is used, words now weigh {new}; it was {old}.",
    "cut_off_cumulative_probability": "The tail is now cut off at {new} of the probability; it was {old}.",
    "cut_off_score_cliff": "The tail is now cut off where the score falls by more than {new}; it was {old}.",
    "heal_rounds": "A question that is not covered is now asked again for the rest {new} times at most; it was {old}.",
    "history_days": "Questions and answers are now kept for who asked for {new} days; it was {old}.",
    "heal_minimum_coverage": "A question is now asked again below a coverage of {new}; it was {old}.",
}

_SWITCHES: Final = {
    "mmr_enabled": ("Near-duplicates are now spread out.", "Near-duplicates are no longer spread out."),
    "rerank_enabled": ("A reranker now reorders the passages.", "No reranker is used any more."),
}


def setting_in_words(name: str, old: float, new: float) -> str:
    """Return a sentence with the old and the new value of a threshold or retrieval setting, and its meaning."""
    if name in _SWITCHES:
        on, off = _SWITCHES[name]
        return on if new else off
    sentence = (_CLASSIFIER | _RETRIEVAL)[name].format(old=_number(old), new=_number(new))
    if name not in RECOGNITION:
        return sentence
    return f"{sentence} {'More' if new < old else 'Fewer'} questions are recognised and reach what their intent may."


def kinds_in_words(kinds: Iterable[Kind], word: str = "and") -> str:
    """Return the kinds as a list such as "Firm profiles, Fund profiles and Past runs", or "nothing" without any."""
    return listed([kind.label for kind in kinds], word) or "nothing"


def listed(parts: list[str], word: str = "and") -> str:
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def quoted(text: str) -> str:
    return f"\u201c{text}\u201d"


def _number(value: float) -> str:
    """Return a number in its shortest form that reads back as the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
