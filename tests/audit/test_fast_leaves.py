"""The quick way to a leaf makes the bytes that canonical.py defines, for whatever a column can hold."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.canonical import NotCanonicalError, event_header, leaf_hash
from apps.audit.fast_leaves import IS_COMMITMENT, fast_leaf_hash

# Everything that a text of PostgreSQL can hold: no NUL, no surrogates; quotes, controls and what is beyond the BMP.
_TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])) | st.sampled_from(
    ['"', "\\", '","x":"', "\u2028", "\x7f", "\x1f", "ä", "😀"]
)
_SECONDS = st.integers(-62_135_510_400, 253_402_214_400)
_COMMITMENTS = st.dictionaries(_TEXTS, st.text("0123456789abcdef", min_size=64, max_size=64), max_size=5)


@given(
    action=_TEXTS,
    outcome=_TEXTS,
    actor_kind=_TEXTS,
    subject_type=_TEXTS,
    tenant_id=st.uuids(),
    event_id=st.uuids(),
    actor_id=st.none() | st.uuids(),
    subject_id=st.none() | st.uuids(),
    scope_ids=st.lists(st.uuids(), max_size=4),
    seconds=_SECONDS,
    commitments=_COMMITMENTS,
)
def test_both_ways_lead_to_one_leaf(seconds: int, commitments: dict[str, str], **columns: object) -> None:
    header = event_header(**columns, occurred_at=datetime.fromtimestamp(seconds, UTC))  # type: ignore[arg-type]
    fast = fast_leaf_hash(**columns, seconds=seconds, commitments=commitments)  # type: ignore[arg-type]
    assert fast == leaf_hash(header, commitments)


def test_what_has_no_canonical_form_has_no_quick_one() -> None:
    id = uuid4()
    columns = {"tenant_id": id, "event_id": id, "outcome": "success", "actor_kind": "user", "actor_id": None}
    others = {"subject_type": "", "subject_id": None, "scope_ids": []}
    with pytest.raises(UnicodeEncodeError):
        fast_leaf_hash(**columns, **others, action="\ud800", seconds=0, commitments={})  # type: ignore[arg-type]
    with pytest.raises(NotCanonicalError):
        leaf_hash({"action": "\ud800"}, {})


@pytest.mark.parametrize("value", ["a" * 63, "a" * 65, "A" * 64, "a" * 64 + "\n", "٣" * 64, "g" * 64])
def test_what_is_no_commitment_is_none(value: str) -> None:
    assert not IS_COMMITMENT(value)
    assert IS_COMMITMENT("0123456789abcdef" * 4)
