from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.log.notes import Checkpoint, InvalidNoteError, SigningKey, opened, signed

KEY = SigningKey(name="glassbox.example", seed=bytes(range(32)))
OTHER = SigningKey(name="somebody.example", seed=bytes(reversed(range(32))))
CHECKPOINT = Checkpoint(origin="glassbox/audit/acme", size=42, root=bytes(32))
NOTE = signed(CHECKPOINT, KEY)


def test_a_note_is_opened_with_its_key() -> None:
    assert opened(NOTE, [OTHER.verify_key, KEY.verify_key]) == CHECKPOINT


def test_it_is_written_as_signed_notes_are() -> None:
    head, _, tail = NOTE.partition("\n\n")
    assert head.split("\n") == ["glassbox/audit/acme", "42", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]
    assert tail.startswith("\N{EM DASH} glassbox.example ")
    line = KEY.verify_key.line()
    assert line.split("+", 2)[:2] == ["glassbox.example", KEY.verify_key.mark.hex()]


def test_a_note_of_two_signers_is_opened_with_either_key() -> None:
    both = NOTE + signed(CHECKPOINT, OTHER).partition("\n\n")[2]
    assert opened(both, [OTHER.verify_key]) == opened(both, [KEY.verify_key]) == CHECKPOINT


def test_nobody_else_s_signature_will_do() -> None:
    with pytest.raises(InvalidNoteError, match="no known key"):
        opened(NOTE, [OTHER.verify_key])


def test_a_key_of_the_same_name_will_not_do() -> None:
    twin = SigningKey(name=KEY.name, seed=OTHER.seed)
    with pytest.raises(InvalidNoteError, match="no known key"):
        opened(NOTE, [twin.verify_key])


@given(st.integers(0, len(NOTE) - 1), st.characters(codec="utf-8"))
def test_no_changed_character_passes_for_another_checkpoint(place: int, character: str) -> None:
    changed = NOTE[:place] + character + NOTE[place + 1 :]
    try:
        found = opened(changed, [KEY.verify_key])
    except InvalidNoteError:
        return
    assert found == CHECKPOINT


@given(st.text(max_size=200))
def test_any_text_is_a_note_or_refused(text: str) -> None:
    with pytest.raises(InvalidNoteError):
        opened(text, [KEY.verify_key])
