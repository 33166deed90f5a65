from __future__ import annotations

import numpy as np
import pytest

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.providers.registry import provider_for
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.scoring import Vector


@pytest.fixture(scope="session")
def baseline() -> PolicySnapshot:
    return baseline_snapshot()


@pytest.fixture(scope="session")
def minilm() -> EmbeddingProvider:
    """The default provider, with its real model."""
    return provider_for("local", tenant_region="eu", tenant_strict=False)


@pytest.fixture(scope="session")
def baseline_vectors(baseline: PolicySnapshot, minilm: EmbeddingProvider) -> Vector:
    return np.asarray(minilm.embed_documents([example.text for example in baseline.examples]))
