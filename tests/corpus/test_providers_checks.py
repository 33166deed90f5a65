"""What a provider gives is checked before it is stored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from apps.corpus.providers.checks import verify_vectors
from apps.corpus.providers.errors import ProviderResponseError


def unit_rows(count: int, dimension: int) -> NDArray[np.float64]:
    rows = np.random.default_rng(3).standard_normal((count, dimension))
    unit: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def verify(vectors: NDArray[np.float64], *, normalise: bool = False) -> NDArray[np.float32]:
    return verify_vectors(vectors, provider="local", count=3, dimension=8, normalise=normalise)


def test_good_vectors_come_back_as_contiguous_float32() -> None:
    verified = verify(np.asfortranarray(unit_rows(3, 8)))
    assert verified.dtype == np.float32
    assert verified.flags.c_contiguous
    assert np.allclose(verified, unit_rows(3, 8), atol=1e-6)


@pytest.mark.parametrize(("count", "dimension"), [(2, 8), (4, 8), (0, 8), (3, 7), (3, 9)])
def test_wrong_count_or_length_is_refused(count: int, dimension: int) -> None:
    with pytest.raises(ProviderResponseError):
        verify(unit_rows(count, dimension))


def test_a_single_flat_vector_is_refused() -> None:
    with pytest.raises(ProviderResponseError, match="for 3 texts"):
        verify(unit_rows(1, 8)[0])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(value: float) -> None:
    vectors = unit_rows(3, 8)
    vectors[1, 2] = value
    with pytest.raises(ProviderResponseError, match="NaN or infinity"):
        verify(vectors)


@pytest.mark.parametrize("normalise", [False, True])
def test_a_zero_vector_is_refused(normalise: bool) -> None:
    vectors = unit_rows(3, 8)
    vectors[2] = 0
    with pytest.raises(ProviderResponseError, match="zeros"):
        verify(vectors, normalise=normalise)


def test_one_vector_off_the_unit_sphere_is_refused_with_its_norm() -> None:
    vectors = unit_rows(3, 8)
    vectors[1] *= 1.002
    with pytest.raises(ProviderResponseError, match=r"norm 1\.0020"):
        verify(vectors)


def test_rounding_within_the_tolerance_passes() -> None:
    assert verify(unit_rows(3, 8) * 1.0009).shape == (3, 8)


@pytest.mark.slow
@given(arrays(np.float64, (3, 8), elements=st.floats(-1e6, 1e6)).filter(lambda a: (np.abs(a).max(axis=1) > 1e-3).all()))
def test_normalise_brings_any_vector_to_unit_norm(vectors: NDArray[np.float64]) -> None:
    assert np.allclose(np.linalg.norm(verify(vectors, normalise=True), axis=1), 1.0, atol=1e-5)
