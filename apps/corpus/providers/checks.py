"""Check every vector of a provider before it is stored or compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ProviderResponseError
from .protocol import Vectors

UNIT_NORM_TOLERANCE = 1e-3
SMALLEST_NORM = 1e-12


def verify_vectors(
    vectors: NDArray[Any], *, provider: str, count: int, dimension: int, normalise: bool = False
) -> Vectors:
    """Check the vectors of one response and return them in a form that can be stored.

    Args:    vectors: any float type, wanted shape (count, dimension).
             normalise: divide by the norm first, for a model that is known not to give unit vectors. Otherwise a vector
                 without unit norm is an error, since cosine distance is computed as an inner product.
    Returns: (count, dimension) float32, C-contiguous, every norm within 1e-3 of 1.
    Raises:  ProviderResponseError: wrong count or length, NaN or infinity, a zero vector, not unit norm.
    """
    if vectors.ndim != 2 or vectors.shape[0] != count:
        raise ProviderResponseError(
            provider=provider, reason=f"{len(vectors) if vectors.ndim else 0} vectors for {count} texts"
        )
    if vectors.shape[1] != dimension:
        raise ProviderResponseError(
            provider=provider, reason=f"vectors of length {vectors.shape[1]} where {dimension} is configured"
        )
    wide = vectors.astype(np.float64, copy=False)
    if not np.isfinite(wide).all():
        raise ProviderResponseError(provider=provider, reason="a vector holds NaN or infinity")
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    if (norms < SMALLEST_NORM).any():
        raise ProviderResponseError(provider=provider, reason="a vector is all zeros")
    if normalise:
        wide = wide / norms
    elif (np.abs(norms - 1.0) > UNIT_NORM_TOLERANCE).any():
        worst = float(norms[np.argmax(np.abs(norms - 1.0))][0])
        raise ProviderResponseError(provider=provider, reason=f"a vector has norm {worst:.4f} instead of 1")
    return np.ascontiguousarray(wide, dtype=np.float32)
