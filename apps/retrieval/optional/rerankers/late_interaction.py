"""Late interaction: each token of the question is compared with the most similar token of the passage.

One vector for a whole passage hides the row that answers among thirty others; one vector per token keeps it. Source:
MaxSim of Khattab and Zaharia, ColBERT, SIGIR 2020, here with the token vectors of the local embedding model, which was
not trained for it.

Measured: it helps on short documents, but orders the pages of filings worse than the order it starts from.

    filings: recall@1 .306, @5 .522, @10 .687, MRR .451, context .843, passed .448
    own set: recall@5 .914, MRR .799, context .926, passed .734
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from apps.corpus.providers.protocol import TokenVectorProvider
from apps.retrieval.contracts import Candidate, FloatVector, QueryAnalysis
from apps.retrieval.errors import RerankingError
from apps.retrieval.optional.rerankers.hybrid import passage_text, rank_hybrid
from apps.retrieval.optional.rerankers.keyword import keyword_scores


class LateInteractionReranker:
    """Scores all candidates in one call of the embedding model, which is loaded once per process, one call at a time.

    encoder: returns the model for this question under the residency rule; see
        apps.corpus.providers.registry.token_vectors_for.
    """

    name = "late_interaction"

    def __init__(self, *, encoder: Callable[[], TokenVectorProvider], keyword_weight: float) -> None:
        self._encoder = encoder
        self._weight = keyword_weight

    @property
    def note(self) -> str:
        return f"{1 - self._weight:.2f} x nearness of the tokens + {self._weight:.2f} x keywords."

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            return ()
        encoder = self._encoder()
        try:
            question = encoder.embed_query_tokens(analysis.search_text)
            passages = encoder.embed_document_tokens([passage_text(each.chunk) for each in candidates])
        except (RuntimeError, ValueError, IndexError, KeyError) as error:
            raise RerankingError(reranker=self.name, kind=type(error).__name__) from error
        return rank_hybrid(
            candidates,
            model_scores=[max_similarity(question, passage) for passage in passages],
            keyword_scores=keyword_scores(analysis, candidates),
            keyword_weight=self._weight,
            calibrated=False,
        )


def max_similarity(question: FloatVector, passage: FloatVector) -> float:
    """Return the mean, over the question's tokens, of the cosine similarity of the nearest token in the passage.

    Args:    question: (m, d), passage: (n, d), float32, rows of unit norm.
    Returns: 0 to 1. 1: each token of the question has one in the passage that points the same way; 0: none has one that
             points its way at all (a negative mean counts as 0). The value orders passages of one question and is not a
             probability: a sentence about other things in the same professional vocabulary already gets about 0.3. 0 if
             either is empty.
    """
    if not len(question) or not len(passage):
        return 0.0
    nearest = (question @ passage.T).max(axis=1)
    return float(np.clip(nearest.mean(), 0.0, 1.0))
