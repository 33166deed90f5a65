"""Drawings stay inside of their frame, and what is there can be seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.tenants.admin.charts import HEIGHT, Slope, draw_bar, draw_slopes, draw_stretch


@given(st.integers(0, 400), st.floats(0, 1))
def test_a_bar_stands_on_the_ground_within_its_place(place: int, share: float) -> None:
    bar = draw_bar(place, share, says="3 questions")
    assert place < bar.x < place + 1
    assert bar.y >= 0
    assert bar.height > 0
    assert bar.y + bar.height == pytest.approx(HEIGHT)
    assert bar.says == "3 questions"


def test_a_bar_is_as_high_as_its_share() -> None:
    assert [draw_bar(0, share, says="").height for share in (1.0, 0.5, 0.25)] == [HEIGHT, HEIGHT / 2, HEIGHT / 4]


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_stretch_never_leaves_its_frame(part: float, whole: float, start: float) -> None:
    drawn = draw_stretch(part, whole, start=start)
    assert 0 <= float(drawn.start[:-1]) <= 100
    assert float(drawn.start[:-1]) + float(drawn.width[:-1]) <= 100.02


def test_what_is_too_small_to_be_seen_still_gets_a_sliver() -> None:
    assert float(draw_stretch(0.001, 1000).width[:-1]) > 0


def test_nothing_gets_no_stretch() -> None:
    assert draw_stretch(0, 0).width == "0%"


def test_a_slope_leads_from_each_rank_to_the_fused_one() -> None:
    chart = draw_slopes(
        [
            Slope(ranks=(3, None), fused_rank=2, style="found", title="Found once"),
            Slope(ranks=(1, 2), fused_rank=1, style="cited", title="Found twice"),
        ]
    )
    assert [line.title for line in chart.lines] == ["Found once", "Found twice", "Found twice"]
    left, middle, right = sorted({place.x for place in chart.places})
    at = {(place.x, place.rank): place.y for place in chart.places}
    assert set(at) == {(left, 3), (left, 1), (middle, 2), (middle, 1), (right, 2)}
    once, first, second = chart.lines
    assert (once.y1, once.y2) == (at[left, 3], at[middle, 2])
    assert (first.y1, first.y2, second.y1, second.y2) == (at[left, 1], at[middle, 1], at[right, 2], at[middle, 1])
    assert left < first.x1 < first.x2 < middle < second.x2 < second.x1 < right
    assert chart.height > max(at.values())
