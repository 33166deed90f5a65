from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from apps.retrieval import stage_settings
from apps.retrieval.errors import InvalidStageSettingError
from apps.retrieval.stage_settings import StageSettings


@pytest.mark.parametrize(
    "wrong",
    [
        {"metadata_top_k": -1},
        {"metadata_weight": 10.5},
        {"expand_top_k": 101},
        {"expand_around": 0},
        {"cut_top_k": 0},
    ],
)
def test_a_number_out_of_its_bounds_is_refused_by_name(wrong: dict[str, Any]) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(InvalidStageSettingError, match=f"{name} can't be {value}"):
        StageSettings(**wrong)


def test_every_number_has_bounds() -> None:
    numbers = {each.name for each in fields(StageSettings) if type(each.default) in (int, float)}
    assert numbers == stage_settings._BOUNDS.keys()
