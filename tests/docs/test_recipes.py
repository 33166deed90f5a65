"""The recipes of the handbook, cooked: their code does what their pages say of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

from apps.audit import registry
from apps.corpus.providers.profiles import Backend, EmbeddingProfile
from tests.docs.pages import blocks
from tests.retrieval.builders import analysed, candidate


def cooked(page: str, name: str) -> Any:
    """What the recipe defines by that name."""
    [block] = [each for each in blocks("python") if each.page == page and f" {name}(" in each.code.replace(":", "(")]
    defined: dict[str, Any] = {}
    exec(compile(block.code, page, "exec"), defined)  # noqa: S102 - our own page
    return defined[name]


def test_the_stage_orders_and_scores() -> None:
    reranker = cooked("docs/extend/stage.md", "NewestFirstReranker")()
    days = {"a": date(2023, 1, 1), "b": date(2024, 1, 1), "c": None}
    first, newest, undated = (_of_day(candidate(name), day) for name, day in days.items())
    ordered = reranker.apply(analysed("What?"), (first, newest, undated))
    assert [each.chunk for each in ordered] == [newest.chunk, first.chunk, undated.chunk]
    scores = [each.rerank_score for each in ordered]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert reranker.apply(analysed("What?"), ()) == ()


def _of_day(given: Any, day: date | None) -> Any:
    return replace(given, chunk=replace(given.chunk, document=replace(given.chunk.document, published_on=day)))


def test_the_provider_makes_unit_vectors_in_order() -> None:
    profile = EmbeddingProfile(name="house", backend=Backend.OPENAI, dimension=384, region="eu")
    provider = cooked("docs/extend/provider.md", "HashingProvider")(profile)
    texts = ["The drawdown was 7 %.", "The fee is 1 %.", ""]
    vectors = provider.embed_documents(texts)
    assert (vectors.shape, vectors.dtype) == ((3, 384), np.float32)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
    assert np.array_equal(provider.embed_query(texts[1]), vectors[1])
    assert provider.embed_documents([]).shape == (0, 384)


def test_the_event_can_be_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    cooked("docs/extend/event.md", "register_bookmark_events")()
    known = registry.event_class("corpus.document.bookmarked")
    registry.check_fields(known, {"core": {"page": 3}})
    with pytest.raises(Exception, match="note"):
        registry.check_fields(known, {"core": {"note": "text"}})
