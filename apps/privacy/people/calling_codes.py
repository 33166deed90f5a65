"""Reduce telephone numbers to the digits that do not depend on the caller's country.

The library phonenumbers supplies the country codes and trunk prefixes. We split the numbers ourselves, because
phonenumbers can't parse a number without a country code unless it is told the country, and a search must not miss one.
"""

from __future__ import annotations

import re

from phonenumbers import (
    COUNTRY_CODE_TO_REGION_CODE,
    NumberParseException,
    PhoneNumberFormat,
    format_number,
    ndd_prefix_for_region,
    parse,
)

_REGIONS = {str(code): regions for code, regions in COUNTRY_CODE_TO_REGION_CODE.items()}


def split_number(number: str) -> tuple[str, str]:
    """Split a number in any notation into its country code and the digits that all its notations share.

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
    """Return the prefixes dialled before a number within a country: mostly 0, but 8 for +7, 80 for +375, 06 for +36."""
    known = {ndd_prefix_for_region(region, strip_non_digits=True) for region in _REGIONS.get(code, ())}
    every = {"0"} | {prefix + zero for prefix in known if prefix for zero in ("", "0")}
    return tuple(sorted(every, key=len, reverse=True))


def national_digits(code: str, core: str) -> str:
    """Return the digits as written within the country, if more than the trunk prefix differs, else "".

    Argentina's +54 9 11 2345-6789 is 011 15-2345-6789 at home.
    """
    try:
        written = format_number(parse(f"+{code}{core}"), PhoneNumberFormat.NATIONAL)
    except NumberParseException:
        return ""
    digits = "".join(re.findall(r"[0-9]", written)).lstrip("0")
    return "" if digits.endswith(core) else digits
