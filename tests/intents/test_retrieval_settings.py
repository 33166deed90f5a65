from __future__ import annotations

import pytest

from apps.intents.errors import InvalidRetrievalSettingsError
from apps.intents.retrieval_settings import RetrievalSettings, retrieval_settings_from_json


def test_settings_survive_their_json() -> None:
    settings = RetrievalSettings(rrf_k=80, mmr_enabled=True)
    assert retrieval_settings_from_json(settings.as_json()) == settings


def test_what_is_absent_gets_its_default() -> None:
    assert retrieval_settings_from_json({}) == RetrievalSettings()


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"top_k": 5}, "no such setting"),
        ({"rrf_k": "60"}, "whole number"),
        ({"rrf_k": 60.5}, "whole number"),
        ({"rrf_k": True}, "whole number"),
        ({"mmr_enabled": 1}, "true or false"),
        ({"bm25_b": 1.5}, "between"),
        ({"dense_top_k": 0}, "between"),
        ({"bm25_b": float("nan")}, "between"),
    ],
)
def test_a_wrong_setting_is_refused(values: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidRetrievalSettingsError, match=problem):
        retrieval_settings_from_json(values)
