"""Telephone numbers without what depends on where one dials from."""

from __future__ import annotations

import re

from apps.corpus.people.normalise import word_set

# Codes of one and two digits; every other code has three. Source: ITU-T E.164, list of assigned country codes.
_SHORT = word_set(
    """
    1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86
    90 91 92 93 94 95 98
    """
)


def split_number(number: str) -> tuple[str, str]:
    """A number in any writing as its country code and the digits that every writing of it has.

    Returns: ("49", "891234567") for "+49 (0)89 123 45 67"; ("", "891234567") for "089/1234567".
    """
    international = re.match(r"\s*\(?\s*(?:\+|00)", number)
    digits = re.sub(r"\D", "", re.sub(r"\(\s*0\s*\)", "", number))
    if not international:
        return "", digits.lstrip("0")
    digits = digits.removeprefix("00") if "+" not in international.group() else digits
    code = next((digits[:length] for length in (1, 2) if digits[:length] in _SHORT), digits[:3])
    return code, digits[len(code) :].lstrip("0")
