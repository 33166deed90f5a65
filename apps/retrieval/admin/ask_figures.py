"""Numbers as the Ask page writes them."""

from __future__ import annotations


def duration(milliseconds: float) -> str:
    """0.4 ms, 412 ms, 1.3 s."""
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def percentage(part: float, whole: float) -> str:
    """62%, 0%, and <1% for what is there but rounds to nothing."""
    share = part / whole if whole > 0 else 0.0
    return "<1%" if 0 < share < 0.005 else f"{share:.0%}"


def counted(count: int, one: str, many: str = "") -> str:
    """1 passage, 2 passages, no passages."""
    return f"{count or 'no'} {one if count == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
