"""A sealed group opens in its own place, under its own key, to what was committed; else not at all."""

from __future__ import annotations

import secrets
import time
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from apps.audit.canonical import canonical_bytes, commitment
from apps.audit.ids import new_id
from apps.audit.sealing import SealBinding, SealBrokenError, open_sealed, seal
from apps.audit.terms import terms_of

KEY = secrets.token_bytes(32)
PLACE = SealBinding(tenant_id=uuid4(), event_id=uuid4(), group="question")
VALUES = {"text": "What was the drawdown?", "length_chars": 22, "score": 0.25}


def test_what_was_sealed_opens() -> None:
    sealed = seal(VALUES, place=PLACE, key=KEY)
    assert open_sealed(sealed.ciphertext, place=PLACE, key=KEY, committed=sealed.commitment) == VALUES


def test_nothing_of_it_is_in_the_ciphertext_or_in_what_is_printed() -> None:
    sealed = seal(VALUES, place=PLACE, key=KEY)
    assert b"drawdown" not in sealed.ciphertext
    assert "ciphertext" not in repr(sealed)


def test_equal_groups_look_different() -> None:
    made = [seal(VALUES, place=PLACE, key=KEY) for _ in range(2)]
    assert made[0].commitment != made[1].commitment
    assert made[0].ciphertext != made[1].ciphertext


@pytest.mark.parametrize("change", [{"tenant_id": uuid4()}, {"event_id": uuid4()}, {"group": "answer"}])
def test_it_opens_in_no_other_place(change: dict[str, Any]) -> None:
    sealed = seal(VALUES, place=PLACE, key=KEY)
    with pytest.raises(SealBrokenError, match="belongs to another"):
        open_sealed(sealed.ciphertext, place=replace(PLACE, **change), key=KEY, committed=sealed.commitment)


def test_it_opens_under_no_other_key() -> None:
    sealed = seal(VALUES, place=PLACE, key=KEY)
    with pytest.raises(SealBrokenError):
        open_sealed(sealed.ciphertext, place=PLACE, key=bytes(32), committed=sealed.commitment)


def test_a_changed_bit_anywhere_is_found() -> None:
    sealed = seal(VALUES, place=PLACE, key=KEY)
    for place in range(len(sealed.ciphertext)):
        changed = bytearray(sealed.ciphertext)
        changed[place] ^= 1
        with pytest.raises(SealBrokenError):
            open_sealed(bytes(changed), place=PLACE, key=KEY, committed=sealed.commitment)


@pytest.mark.parametrize("ciphertext", [b"", b"short", bytes(12)])
def test_what_is_cut_short_is_found(ciphertext: bytes) -> None:
    with pytest.raises(SealBrokenError):
        open_sealed(ciphertext, place=PLACE, key=KEY, committed=bytes(32))


def test_whoever_has_the_key_can_t_put_other_words_under_the_commitment() -> None:
    committed = seal(VALUES, place=PLACE, key=KEY).commitment
    other = seal({**VALUES, "text": "Nothing at all."}, place=PLACE, key=KEY)
    with pytest.raises(SealBrokenError, match="does not open its commitment"):
        open_sealed(other.ciphertext, place=PLACE, key=KEY, committed=committed)


def test_a_commitment_can_t_be_guessed_without_its_salt() -> None:
    """The right words alone are not enough: what a dictionary of questions would have."""
    committed = seal({"text": "Yes?"}, place=PLACE, key=KEY).commitment
    assert commitment(salt=bytes(32), group="question", content=canonical_bytes({"text": "Yes?"})) != committed


def test_terms_are_ids_and_codes_each_once() -> None:
    core = {"intent": "performance", "policy_version": 3, "reason": "words", "model": "m"}
    assert terms_of("core", core) == ["intent:performance", "policy_version:3"]
    assert terms_of("core", {"intent": ""}) == ["intent:"]
    assert terms_of("core", {"policy_version": None}) == []
    assert terms_of("passages", {"hits": [{"document_id": "a"}, {"document_id": "a"}, {}]}) == ["document_id:a"]
    assert terms_of("question", {"text": "intent:performance"}) == []


def test_ids_are_of_version_7_and_ascend(monkeypatch: pytest.MonkeyPatch) -> None:
    moving = [new_id() for _ in range(1_000)]
    half_a_second_ago = time.time_ns() - 500_000_000
    monkeypatch.setattr("time.time_ns", lambda: half_a_second_ago)
    put_back = [new_id() for _ in range(3)]
    made: list[UUID] = moving + put_back
    assert made == sorted(set(made))
    assert all((each.version, each.variant) == (7, "specified in RFC 4122") for each in made)


def test_ids_follow_a_clock_that_was_far_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a clock that was once set to next year would date every event of the process there."""
    new_id()
    an_hour_ago = time.time_ns() - 3_600 * 10**9
    monkeypatch.setattr("time.time_ns", lambda: an_hour_ago)
    first, second = new_id(), new_id()
    assert first < second
    assert first.int >> 80 == an_hour_ago // 1_000_000
