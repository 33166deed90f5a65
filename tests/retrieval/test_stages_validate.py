from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.errors import EmptyQuestionError, QuestionError, QuestionTooLongError, UnreadableQuestionError
from apps.retrieval.stages.question.validate import validate


@pytest.mark.parametrize("text", ["", " ", "\n\t  "])
def test_blank_question_is_empty(text: str) -> None:
    with pytest.raises(EmptyQuestionError, match="Write what you want to know"):
        validate(text, maximum_chars=4000)


@pytest.mark.parametrize("text", ["\x00\x01\x02", "\x1b \x7f", "\u200b\u200d", "\ue000"])
def test_control_characters_only_are_unreadable(text: str) -> None:
    with pytest.raises(UnreadableQuestionError, match="control characters only"):
        validate(text, maximum_chars=4000)


def test_too_long_names_both_lengths() -> None:
    with pytest.raises(QuestionTooLongError, match="100000 characters; at most 4000"):
        validate("x" * 100_000, maximum_chars=4000)


def test_longest_allowed_question_passes() -> None:
    assert len(validate("x" * 4000, maximum_chars=4000)) == 4000


def test_control_characters_are_taken_out_and_blanks_joined() -> None:
    assert validate("What\x00 was\tthe\r\n NAV\u200b?", maximum_chars=100) == "What was the NAV?"


def test_compatibility_forms_become_ordinary_ones() -> None:
    assert validate("\uff26\uff39\uff12\uff10\uff11\uff18 \ufb01gures", maximum_chars=100) == "FY2018 figures"


@given(st.text(max_size=200))
def test_result_is_one_readable_line_or_a_question_error(text: str) -> None:
    try:
        line = validate(text, maximum_chars=100)
    except QuestionError:
        return
    assert line == " ".join(line.split())
    assert validate(line, maximum_chars=10_000) == line
