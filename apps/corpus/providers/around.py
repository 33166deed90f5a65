"""What stands around an embedding provider and passes everything on but what it changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from .protocol import EmbeddingProvider, Vectors


class ProviderAround(ABC):
    """A provider that does everything by another one, which it asks for at each use."""

    @abstractmethod
    def inner(self) -> EmbeddingProvider:
        """Return the provider to use now."""

    @property
    def name(self) -> str:
        return self.inner().name

    @property
    def model(self) -> str:
        return self.inner().model

    @property
    def dimension(self) -> int:
        return self.inner().dimension

    @property
    def region(self) -> str:
        return self.inner().region

    @property
    def max_input_tokens(self) -> int:
        return self.inner().max_input_tokens

    def embed_query(self, text: str) -> Vectors:
        return self.inner().embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return self.inner().embed_documents(texts)
