"""How many slips of the pen lie between two words."""

from __future__ import annotations


def slips(one: str, other: str, *, most: int) -> int:
    """Letters left out, added, changed, or swapped with their neighbour, to make one word of the other.

    Returns: the number, or most + 1 where there are more.
    Source:  optimal string alignment, the restricted form of Damerau (1964), in a band of `most` about the diagonal.
    """
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most or not most:
        return most + 1
    # What both begin and end with costs nothing; most pairs of a search are settled here.
    begin = 0
    shorter = min(len(one), len(other))
    while begin < shorter and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and one[-1 - end] == other[-1 - end]:
        end += 1
    return _aligned(one[begin : len(one) - end], other[begin : len(other) - end], most)


def _aligned(one: str, other: str, most: int) -> int:
    too_many = most + 1
    if not one or not other:
        return min(len(one) + len(other), too_many)
    before_last: list[int] = []
    last = [min(column, too_many) for column in range(len(other) + 1)]
    for row, letter in enumerate(one, start=1):
        current = [min(row, too_many)] + [too_many] * len(other)
        for column in range(max(1, row - most), min(len(other), row + most) + 1):
            against = other[column - 1]
            cost = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (letter != against))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == against:
                cost = min(cost, before_last[column - 2] + 1)
            current[column] = min(cost, too_many)
        if min(current) >= too_many and min(last) >= too_many:
            return too_many
        before_last, last = last, current
    return last[-1]
