"""The protocols of embedding providers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class EmbeddingProvider(Protocol):
    """A provider that turns text into unit vectors. Threads share an implementation; it holds no data of a tenant."""

    @property
    def name(self) -> str:
        """The profile's name in the settings."""

    @property
    def model(self) -> str:
        """The model's name, stored beside every vector: vectors of two models are never compared."""

    @property
    def dimension(self) -> int:
        """The length of every vector."""

    @property
    def region(self) -> str:
        """The region in which the text is processed."""

    @property
    def max_input_tokens(self) -> int:
        """The limit of an input; tokens beyond it do not affect the vector."""

    def embed_query(self, text: str) -> Vectors:
        """Embed a question.

        Returns: (d,) float32, unit norm.
        Raises:  ProviderError: of the kind that tells what happened.
        """

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, in the order given.

        Returns: (n, d) float32, unit norm; (0, d) for no texts.
        Raises:  ProviderError: of the kind that tells what happened; no partial result.
        """


class TokenVectorProvider(Protocol):
    """A provider of a vector for each token of a text, from a model on this machine, for late interaction.

    Tokens beyond the model's limit (`max_input_tokens`) are left out, and so are the tokenizer's special tokens.
    """

    def embed_query_tokens(self, text: str) -> Vectors:
        """Returns: (tokens, d) float32, each of unit norm. Raises: ProviderError."""

    def embed_document_tokens(self, texts: Sequence[str]) -> tuple[Vectors, ...]:
        """Returns: for each text, in the order given, (tokens, d) float32, each of unit norm. Raises: ProviderError."""
