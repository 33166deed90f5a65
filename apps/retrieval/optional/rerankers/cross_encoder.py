"""A cross-encoder: a model that reads question and passage together and scores how well the passage answers.

Not measured: it needs a model that does not come with the product. `manage.py evaluate --ablate` adds its line if
GLASSBOX_CROSS_ENCODER_MODEL names one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from apps.corpus.providers.torch_process import prepare_torch
from apps.retrieval.contracts import Candidate, FloatVector, QueryAnalysis
from apps.retrieval.errors import RerankerConfigurationError, RerankingError
from apps.retrieval.optional.rerankers.hybrid import passage_text, rank_hybrid
from apps.retrieval.optional.rerankers.keyword import keyword_scores

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

NAME: Final = "cross_encoder"
SETTING: Final = "GLASSBOX_CROSS_ENCODER_MODEL"
_BATCH_PAIRS: Final = 16
_ARCHITECTURE: Final = "ForSequenceClassification"


class CrossEncoderReranker:
    """Scores all candidates with the model that the settings name; nothing is ever downloaded.

    model: a folder, or a name in the local model cache; empty if none is named.
    """

    name = NAME

    def __init__(self, *, model: str, keyword_weight: float) -> None:
        self._model = model
        self._weight = keyword_weight

    @property
    def note(self) -> str:
        return f"{1 - self._weight:.2f} x the model's probability + {self._weight:.2f} x keywords."

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            return ()
        if not self._model:
            raise RerankerConfigurationError(reranker=NAME, setting=SETTING, problem="names no model")
        pairs = [(analysis.search_text, passage_text(candidate.chunk)) for candidate in candidates]
        return rank_hybrid(
            candidates,
            model_scores=shared_model(self._model).probabilities(pairs).tolist(),
            keyword_scores=keyword_scores(analysis, candidates),
            keyword_weight=self._weight,
            calibrated=True,
        )


class CrossEncoderModel:
    """A model that is loaded at the first call, once per process.

    Threads share it one call at a time, as they share the embedding model (apps/corpus/providers/local.py). Workers
    fork first and load afterwards.
    """

    def __init__(self, model: str) -> None:
        self._path = str(Path(model).expanduser()) if model.startswith("~") else model
        self._lock = threading.Lock()
        self._loaded: CrossEncoder | None = None
        self._loaded_by_pid = 0

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> FloatVector:
        """Score pairs of question and passage. Text beyond the model's token limit is cut off.

        Returns: (n,) float32, 0 to 1: the sigmoid of the model's score.
        Raises:  RerankerConfigurationError: the model cannot be loaded, or is of another architecture.
                 RerankingError: it failed, or did not give one finite score per pair.
        """
        with self._lock:
            model = self._ready()
            from torch.nn import Sigmoid

            try:
                scores = model.predict(
                    list(pairs), batch_size=_BATCH_PAIRS, activation_fn=Sigmoid(), show_progress_bar=False
                )
            except (RuntimeError, ValueError, IndexError, KeyError) as error:
                raise RerankingError(reranker=NAME, kind=type(error).__name__) from error
        found: FloatVector = np.asarray(scores, dtype=np.float32)
        if found.shape != (len(pairs),) or not np.isfinite(found).all():
            raise RerankingError(reranker=NAME, kind="not one finite score a passage")
        return found

    def _ready(self) -> CrossEncoder:
        if self._loaded is None or self._loaded_by_pid != os.getpid():
            self._loaded = self._load()
            self._loaded_by_pid = os.getpid()
        return self._loaded

    def _load(self) -> CrossEncoder:
        prepare_torch()
        from sentence_transformers import CrossEncoder
        from transformers import AutoConfig

        try:
            config = AutoConfig.from_pretrained(self._path, local_files_only=True)
            # For another architecture the library would add a head with random weights, and its scores would mean
            # nothing.
            if not any(name.endswith(_ARCHITECTURE) for name in config.architectures or ()):
                raise _unusable("names a model that is no cross-encoder")
            if config.num_labels != 1:
                raise _unusable(f"names a model with {config.num_labels} scores for a pair instead of one")
            model: CrossEncoder = CrossEncoder(self._path, device="cpu", local_files_only=True)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise _unusable(f"names a model that can't be loaded ({type(error).__name__})") from error
        return model


def _unusable(problem: str) -> RerankerConfigurationError:
    return RerankerConfigurationError(reranker=NAME, setting=SETTING, problem=problem)


_lock = threading.Lock()
_models: dict[str, CrossEncoderModel] = {}


def shared_model(model: str) -> CrossEncoderModel:
    """Return this process's instance of the model; it holds nothing of a tenant."""
    with _lock:
        return _models.setdefault(model, CrossEncoderModel(model))


def _forget_in_child() -> None:
    """Start empty in a forked child: another thread of the parent may have held the locks."""
    global _lock
    _lock = threading.Lock()
    _models.clear()


os.register_at_fork(after_in_child=_forget_in_child)
