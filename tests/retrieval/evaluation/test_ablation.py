from __future__ import annotations

from apps.retrieval.evaluation.ablation import variants
from apps.retrieval.evaluation.changed_settings import RunSettings
from apps.retrieval.slots import HEALERS, REWRITERS


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
