"""Slips of the pen, held against the definition written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.privacy.people.likeness import slips
from apps.privacy.people.normalise import word_set
from apps.privacy.people.variants import spelling

_WORDS = st.text(alphabet="abc", max_size=7)


def _by_definition(one: str, other: str) -> int:
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) + 1):
        for j in range(len(other) + 1):
            if not i or not j:
                rows[i][j] = i + j
                continue
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@pytest.mark.slow
@given(_WORDS, _WORDS, st.integers(0, 4))
def test_slips_are_counted_up_to_the_bound(one: str, other: str, most: int) -> None:
    assert slips(one, other, most=most) == min(_by_definition(one, other), most + 1)


@pytest.mark.parametrize(
    "family",
    [
        "Meier Meyer Maier Mayer Mayr",
        "Schmidt Schmitt Schmid",
        "Philipp Philip Filip",
        "Christian Kristian",
        "Carl Karl",
        "Matthias Mathias",
        "Schulz Schultz Schulze",
        "Müller Mueller Muller",
        "Hoffmann Hofmann",
        "Stephen Steven",
        "Catherine Katherine Kathryn",
    ],
)
def test_usual_spellings_of_a_name_share_a_key(family: str) -> None:
    assert len({spelling(word) for word in family.split()}) == 1


def test_other_names_do_not_share_one() -> None:
    names = word_set("Meier Müller Möller Schmidt Schneider Becker Bauer Doe Braun Peters Martin Marten Lange Lang")
    assert len({spelling(name) for name in names}) == len(names)
