from __future__ import annotations

from apps.quality.evaluation.ablation import variants
from apps.retrieval.changed_settings import RunSettings
from apps.retrieval.optional.slots import HEALERS, REWRITERS


def names(*, with_model: bool) -> set[str]:
    return {variant.name for variant in variants(RunSettings(), with_model=with_model)}


def test_every_rewriter_is_tried_where_a_model_can_write() -> None:
    assert {f"with rewriter {name}" for name in REWRITERS} <= names(with_model=True)


def test_no_rewriter_is_tried_without_a_model() -> None:
    assert not any("rewriter" in name for name in names(with_model=False))


def test_healing_is_tried_either_way_and_with_a_round_allowed() -> None:
    assert {f"with healer {name}" for name in HEALERS} <= names(with_model=True) & names(with_model=False)
    changed = [each for each in variants(RunSettings(), with_model=False) if each.name == "with healer coverage"]
    assert changed[0].changes == {"heal_rounds": 1, "healer": "coverage"}


def test_a_rewriter_that_is_on_is_tried_without() -> None:
    on = RunSettings().with_changes({"rewriter": "hyde"})
    found = {variant.name for variant in variants(on, with_model=True)}
    assert {"without rewriter hyde", "with rewriter multi_query instead of hyde"} <= found


def test_what_is_off_by_default_is_tried_with_what_switches_it_on() -> None:
    tried = {variant.name: variant.changes for variant in variants(RunSettings(), with_model=False)}
    assert tried["with a ranking by metadata"] == {"metadata_top_k": 30}
    assert tried["with what stands around every passage"] == {"expand_top_k": 100, "expand_around": 2}
    assert tried["with reranker keyword and an adaptive cut"]["cut_adaptive_uncalibrated"] is True
    assert tried["without what stands around"] == {"expand_top_k": 0}
    assert "without a ranking by metadata" not in tried


def test_what_is_on_is_tried_without_it_instead() -> None:
    on = RunSettings().with_changes({"metadata_top_k": 10, "expand_top_k": 2})
    found = {variant.name for variant in variants(on, with_model=False)}
    assert {"without a ranking by metadata", "without what stands around"} <= found
    assert not {"with a ranking by metadata", "with what stands around every passage"} & found


def test_every_variant_differs_from_the_default_and_from_every_other() -> None:
    tried = [variant for variant in variants(RunSettings(), with_model=True) if variant.changes]
    settings = [str(RunSettings().with_changes(variant.changes).as_json()) for variant in tried]
    assert len({*settings, str(RunSettings().as_json())}) == len(tried) + 1
