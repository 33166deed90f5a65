"""Cutting a page's text at a span from an address: whatever the address says, no character is lost or made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.admin.document_text import mark

pytestmark = pytest.mark.slow

spans = st.one_of(st.none(), st.text(max_size=6), st.integers(-3, 60).map(str))


@given(st.text(max_size=50), spans, spans)
def test_the_parts_are_the_text(text: str, start: str | None, end: str | None) -> None:
    cut = mark(text, start, end)
    assert cut.before + cut.marked + cut.after == text


@given(st.text(min_size=1, max_size=50), st.data())
def test_a_span_within_the_text_is_marked_exactly(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert mark(text, str(start), str(end)).marked == text[start:end]


@given(st.text(max_size=50), spans, spans)
def test_there_is_a_mark_or_a_reason_why_not(text: str, start: str | None, end: str | None) -> None:
    cut = mark(text, start, end)
    asked = not (start is None and end is None)
    assert asked == bool(cut.marked or cut.problem)
    assert not (cut.marked and cut.problem)
