"""Financial statements that add up: lines are given, sums and differences follow, and a year shows the one before."""

from __future__ import annotations

from collections.abc import Mapping

Lines = Mapping[str, float]


def money(value: float) -> str:
    """As American statements write it: thousands with commas, what is subtracted in parentheses."""
    text = f"{abs(value):,.2f}" if isinstance(value, float) else f"{abs(value):,}"
    return f"({text})" if value < 0 else text


def german(value: float) -> str:
    """As German statements write it: one decimal with a comma, a minus in front."""
    text = f"{abs(value):,.2f}" if abs(value) < 10 and round(value, 1) != value else f"{abs(value):,.1f}"
    return ("-" if value < 0 else "") + text.translate(str.maketrans(",.", ".,"))


def two_years(lines: Mapping[int, Lines], year: int, *, in_german: bool = False) -> dict[str, str]:
    """The placeholders of a statement: `name` for the year, `name_1` for the one before."""
    write = german if in_german else money
    return {
        **{name: write(value) for name, value in lines[year].items()},
        **{f"{name}_1": write(value) for name, value in lines[year - 1].items()},
        "year": str(year),
        "year_1": str(year - 1),
    }
