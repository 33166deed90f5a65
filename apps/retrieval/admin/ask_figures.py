"""Numbers as the Ask page writes and draws them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stretch of a bar, in per cent of the whole width; label says the same in words."""

    start: str
    width: str
    label: str


def bar(part: float, whole: float, *, label: str, start: float = 0.0) -> Bar:
    """Draw part of whole, beginning at start; what is too small to be seen still gets a sliver.

    Args: part, whole, start: in the same unit. A whole of 0 gives an empty bar.
    """
    if whole <= 0 or part <= 0:
        return Bar(start="0%", width="0%", label=label)
    begin = min(max(start / whole, 0.0), 0.995)
    width = min(max(part / whole, 0.005), 1.0 - begin)
    return Bar(start=f"{begin:.2%}", width=f"{width:.2%}", label=label)


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
