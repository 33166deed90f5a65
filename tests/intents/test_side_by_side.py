"""Two texts side by side: every line once, what differs marked, what does not folded."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from apps.intents.admin.side_by_side import Pair, PairKind, SideBySide, side_by_side
from apps.intents.contracts import PolicySnapshot
from apps.intents.policy_file import render_policy_file

LINES = st.lists(st.sampled_from(["{", "},", "run", "runs", "a long line of words", "a long line of other words", ""]))


def pairs(found: SideBySide) -> list[Pair]:
    return [pair for stretch in found.stretches for pair in stretch.pairs]


def numbered(count: int) -> list[str]:
    return [f"line {number} of {number * 37}" for number in range(count)]


@given(before=LINES, after=LINES, fold=st.booleans())
def test_either_side_is_its_text_line_by_line(before: list[str], after: list[str], fold: bool) -> None:
    found = side_by_side("\n".join([*before, ""]), "\n".join([*after, ""]), fold=fold)
    left = [pair.before for pair in pairs(found) if pair.before]
    right = [pair.after for pair in pairs(found) if pair.after]
    assert ([line.text for line in left], [line.text for line in right]) == (before, after)
    assert [line.number for line in left] == list(range(1, len(before) + 1))
    assert [line.number for line in right] == list(range(1, len(after) + 1))


@given(before=LINES, after=LINES)
def test_a_row_is_called_the_same_exactly_if_it_is(before: list[str], after: list[str]) -> None:
    for pair in pairs(side_by_side("\n".join(before), "\n".join(after))):
        same = pair.before is not None and pair.after is not None and pair.before.text == pair.after.text
        assert (pair.kind is PairKind.SAME) == same


@given(before=LINES, after=LINES)
def test_nothing_that_differs_is_ever_folded(before: list[str], after: list[str]) -> None:
    for stretch in side_by_side("\n".join(before), "\n".join(after)).stretches:
        assert not stretch.folded or all(pair.kind is PairKind.SAME for pair in stretch.pairs)


def test_within_a_line_the_words_that_differ_are_marked() -> None:
    (pair,) = pairs(side_by_side('    "kinds": ["run", "schedule"],', '    "kinds": ["run", "methodology"],'))
    assert pair.kind is PairKind.CHANGED
    assert pair.before is not None
    assert pair.after is not None
    assert [piece.text for piece in pair.before.pieces if piece.changed] == ["schedule"]
    assert [piece.text for piece in pair.after.pieces if piece.changed] == ["methodology"]


def test_lines_that_are_alike_share_a_row_and_the_others_do_not() -> None:
    found = side_by_side("the total is 4096\nsomething else entirely", "zzz\nthe total is 8192")
    assert [pair.kind for pair in pairs(found)] == [PairKind.ADDED, PairKind.CHANGED, PairKind.REMOVED]
    assert (found.removed, found.added) == (2, 2)


def test_three_lines_around_a_change_stay_in_sight() -> None:
    lines = numbered(30)
    found = side_by_side("\n".join(lines), "\n".join([*lines[:15], "new", *lines[15:]]))
    assert [(stretch.folded, len(stretch.pairs)) for stretch in found.stretches] == [(True, 12), (False, 7), (True, 12)]
    assert found.folds


def test_what_is_too_short_to_be_worth_it_is_not_folded() -> None:
    lines = numbered(7)
    found = side_by_side("\n".join(lines), "\n".join([*lines, "new"]))
    assert [stretch.folded for stretch in found.stretches] == [True, False]
    assert not side_by_side("\n".join(lines[:6]), "\n".join([*lines[:6], "new"])).folds


def test_everything_is_shown_when_it_is_asked_for() -> None:
    lines = numbered(30)
    found = side_by_side("\n".join(lines), "\n".join([*lines, "new"]), fold=False)
    assert not found.folds
    assert len(pairs(found)) == 31


def test_equal_texts_are_the_same() -> None:
    assert side_by_side("one\ntwo", "one\ntwo").same
    assert not side_by_side("one\ntwo", "one").same


def test_blocks_too_large_to_be_paired_line_by_line_are_removed_and_added() -> None:
    found = side_by_side("\n".join(f"a{n}" for n in range(900)), "\n".join(f"b{n}" for n in range(900)))
    assert (found.removed, found.added) == (900, 900)


def test_a_change_of_a_policy_is_few_lines_of_its_file(baseline: PolicySnapshot) -> None:
    found = side_by_side(render_policy_file(baseline), render_policy_file(replace(baseline, total_cap_chars=5000)))
    (pair,) = (pair for pair in pairs(found) if pair.kind is not PairKind.SAME)
    assert pair.kind is PairKind.CHANGED
    assert [piece.text for piece in pair.after.pieces if piece.changed] == ["5000"] if pair.after else False
