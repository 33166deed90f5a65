"""Telephone numbers without what depends on where one dials from.

Which codes and trunk prefixes there are, phonenumbers says. The splitting is ours: it parses no number without the code
of a country unless told the country, and a search must not miss one.
"""

from __future__ import annotations

import re

from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, ndd_prefix_for_region

_REGIONS = {str(code): regions for code, regions in COUNTRY_CODE_TO_REGION_CODE.items()}


def split_number(number: str) -> tuple[str, str]:
    """A number in any writing as its country code and the digits that every writing of it has.

    Returns: ("49", "891234567") for "+49 (0)89 123 45 67"; ("", "891234567") for "089/1234567".
    """
    international = re.match(r"\s*\(?\s*(?:\+|00)", number)
    digits = re.sub(r"\D", "", re.sub(r"\(\s*0\s*\)", "", number))
    if not international:
        return "", digits.lstrip("0")
    digits = digits.removeprefix("00") if "+" not in international.group() else digits
    code = next((digits[:length] for length in (1, 2) if digits[:length] in _REGIONS), digits[:3])
    return code, digits[len(code) :].lstrip("0")


def trunk_prefixes(code: str) -> tuple[str, ...]:
    """What is dialled before a number within its country: 0 nearly everywhere, but 8 for +7, 1 for +1, 06 for +36."""
    known = {ndd_prefix_for_region(region, strip_non_digits=True) for region in _REGIONS.get(code, ())}
    return tuple(sorted({"0", *filter(None, known)}, key=len, reverse=True))
