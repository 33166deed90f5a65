from __future__ import annotations

import json
from datetime import date
from uuid import UUID

import numpy as np
import pytest

from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import Period
from apps.retrieval.serialise import to_json
from tests.retrieval.builders import candidate


def test_dataclasses_become_objects() -> None:
    assert to_json(Period(fiscal_year=2024, fiscal_quarter=4)) == {"fiscal_year": 2024, "fiscal_quarter": 4}


def test_ids_dates_and_choices_become_texts() -> None:
    values = (UUID(int=1), date(2024, 12, 31), FundHouse.RUN)
    assert to_json(values) == ["00000000-0000-0000-0000-000000000001", "2024-12-31", "run"]


def test_sets_have_an_order() -> None:
    assert to_json(frozenset({"b", "a"})) == ["a", "b"]


def test_chunk_text_is_left_out() -> None:
    assert "secret words" not in json.dumps(to_json(candidate("secret words").chunk))


def test_vectors_are_refused() -> None:
    with pytest.raises(TypeError, match="ndarray has no form in JSON"):
        to_json(np.zeros(3))
