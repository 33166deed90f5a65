"""Whether a text says what is accepted: whole words and figures, whatever their case, blanks and signs."""

from __future__ import annotations

import pytest

from apps.quality.evaluation.accepting import accepted, held_by, says_yes_or_no


@pytest.mark.parametrize(
    ("text", "wanted", "held"),
    [
        ("The fee was GBP 780 million.", "780 million", True),
        ("The fee was EUR 780\u00a0\u202fMillion.", "780 million", True),
        ("EUR780m", "780", True),
        ("It was 780.", "780", True),
        ("It was 1,780.", "780", False),
        ("It was 780.5.", "780", False),
        ("It was 7801", "780", False),
        ("Q780", "780", False),
        ("a threshold of 40 %", "40%", True),
        ("a threshold of 140%", "40%", False),
        ("£3.1m", "£3.1m", True),
        ("costs of £3.1m", "£", True),
        ("the Fixed\u2011Term  savings", "fixed-term savings", True),
        ("the firm\u2019s policy", "firm's policy", True),
        ("Straße und Maß", "STRASSE", True),
        ("Marguerite **Sallow**, director", "Marguerite Sallow", True),
        ("a motorway", "motor", False),
        ("[sallow-ar24|p2|c1] says nothing", "sallow", False),
        ("the second [ar24|p20|c1]", "20", False),
    ],
)
def test_a_string_is_held_as_whole_words_and_figures(text: str, wanted: str, held: bool) -> None:
    assert accepted(text, ((wanted,),)) is held


def test_every_list_needs_one_of_its_strings() -> None:
    accepts = (("vouchers", "voucher"), ("never", "not allowed"))
    assert accepted("A voucher is never taken.", accepts)
    assert not accepted("A voucher is taken.", accepts)


def test_no_string_reaches_from_one_text_into_the_next() -> None:
    assert not accepted(held_by(("It fell in 2023 to 780", "million EUR")), (("780 million",),))
    assert accepted(held_by(("780", "", "million EUR")), (("780",), ("million EUR",)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes, it is.", "yes"),
        ("**Nein** [a|p1|c1], nicht erlaubt.", "no"),
        ("Ja das geht", "yes"),
        ("No [a|p1|c1].", "no"),
        ("No", "no"),
        ("No provision was made.", ""),
        ("Not at all", ""),
        ("Jahr 2024", ""),
        ("It says yes.", ""),
    ],
)
def test_a_yes_or_no_is_read_from_the_beginning(text: str, said: str) -> None:
    assert says_yes_or_no(text) == said
