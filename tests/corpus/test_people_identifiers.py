"""Finding numbers and addresses: by their digits and letters, whatever stands between them."""

from __future__ import annotations

import re
from itertools import product

import pytest
from phonenumbers import (
    SUPPORTED_REGIONS,
    PhoneNumberFormat,
    PhoneNumberType,
    example_number_for_type,
    format_number,
    format_out_of_country_calling_number,
)

from apps.privacy.people.calling_codes import split_number
from apps.privacy.people.contracts import How, Match, Matched, PersonDescription
from apps.privacy.people.matching import Matcher

MATCHER = Matcher(
    PersonDescription(
        emails=("John.Doe@Example.com",),
        phones=("+49 (0)89 123 45 67", "+1 212 555 0100"),
        ibans=("DE89 3704 0044 0532 0130 00",),
        accounts=("K-1234/567.8", "0047110815"),
    )
)


def only(text: str) -> Match:
    (match,) = MATCHER.find(text)
    return match


@pytest.mark.parametrize(
    ("text", "expected", "matched"),
    [
        ("<john.doe@example.com>", "john.doe@example.com", Matched.EMAIL),
        ("JOHN.DOE@EXAMPLE.COM.", "JOHN.DOE@EXAMPLE.COM", Matched.EMAIL),
        ("john.doe@\nexample.com", "john.doe@\nexample.com", Matched.EMAIL),
        ("john.doe (at) example [dot] com", "john.doe (at) example [dot] com", Matched.EMAIL),
        ("Tel. 089/1234567", "089/1234567", Matched.PHONE),
        ("Tel. 0049 89 123-4567", "0049 89 123-4567", Matched.PHONE),
        ("+49(0)89 12 34 567", "+49(0)89 12 34 567", Matched.PHONE),
        ("+498912\u00a034567", "+498912\u00a034567", Matched.PHONE),
        ("call (212) 555-0100 now", "212) 555-0100", Matched.PHONE),
        ("DE89370400440532013000", "DE89370400440532013000", Matched.IBAN),
        ("de89 3704 0044\n0532 0130 00", "de89 3704 0044\n0532 0130 00", Matched.IBAN),
        ("IBAN \uff24\uff2589 3704 0044 0532 0130 00", "\uff24\uff2589 3704 0044 0532 0130 00", Matched.IBAN),
        ("client K12345678", "K12345678", Matched.ACCOUNT),
        ("client k 1234 567 8", "k 1234 567 8", Matched.ACCOUNT),
        ("Kto.47110815", "47110815", Matched.ACCOUNT),
        ("Konto 00 4711 0815", "00 4711 0815", Matched.ACCOUNT),
    ],
)
def test_an_identifier_is_certain_in_every_writing(text: str, expected: str, matched: Matched) -> None:
    match = only(text)
    assert (text[match.start : match.end], match.matched, match.how) == (expected, matched, How.IDENTIFIER)
    assert match.is_certain


@pytest.mark.parametrize(
    "text",
    [
        "john.doe@example.org",
        "1089/12345678",
        "DE89370400440532013001",
        "K-1234/567.9",
        "147110815",
        "471108150",
        "K-1234 and 567.8",
    ],
)
def test_other_numbers_and_addresses_are_not_reported(text: str) -> None:
    assert MATCHER.find(text) == []


@pytest.mark.parametrize(
    "text", ["x.john.doe@example.com", "john.doe@example.com.au", "EUR 47,110,815.00", "212 555 0100 89 1234567"]
)
def test_what_may_be_part_of_something_else_is_uncertain(text: str) -> None:
    assert any(not match.is_certain for match in MATCHER.find(text))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("+7 495 123-45-67", "84951234567"),
        ("+1 212 555 0100", "12125550100"),
        ("+36 1 234 5678", "0612345678"),
        ("+39 06 6982 1234", "0669821234"),
        ("+49 89 1234567", "0891234567"),
        ("+999 12345678", "012345678"),
    ],
)
def test_a_number_is_certain_as_it_is_dialled_within_its_country(number: str, text: str) -> None:
    (match,) = Matcher(PersonDescription(phones=(number,))).find(f"Tel. {text}")
    assert match.is_certain
    assert (match.start, match.end) == (len("Tel. "), len(f"Tel. {text}"))


def test_a_number_of_any_country_is_found_however_it_is_dialled() -> None:
    """Of each country a telephone and a mobile number, known with its code, in every format of phonenumbers."""
    missed, tried = [], 0
    for region, kind in product(SUPPORTED_REGIONS, (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE)):
        number = example_number_for_type(region, kind)
        if number is None:
            continue
        abroad = [format_number(number, PhoneNumberFormat.E164), format_number(number, PhoneNumberFormat.INTERNATIONAL)]
        abroad += [format_out_of_country_calling_number(number, dialled_from) for dialled_from in ("US", "DE")]
        at_home = format_number(number, PhoneNumberFormat.NATIONAL)
        # Four digits without their country's code may be anything, such as a year.
        written = [*abroad, *([at_home] if len(re.findall(r"\d", at_home)) > 4 else [])]
        matcher = Matcher(PersonDescription(phones=(abroad[0],)))
        for text in {*written, *(re.sub(r"[^\d+]", "", each) for each in written)}:
            tried += 1
            if not any(match.how is How.IDENTIFIER for match in matcher.find(f"Tel. {text}, at work")):
                missed.append((region, abroad[0], text))
    assert tried > 2_000
    assert missed == []


def test_the_number_of_a_list_is_no_part_of_the_one_that_follows() -> None:
    assert only("1. 212 555 0100").start == 3


def test_what_is_too_short_to_mean_anything_is_not_looked_for() -> None:
    assert Matcher(PersonDescription(accounts=("12",), phones=("110",), emails=("@",))).find("12 110 @") == []


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        ("+49 (0)89 123 45 67", ("49", "891234567")),
        ("0049891234567", ("49", "891234567")),
        ("089 / 123 45 67", ("", "891234567")),
        ("+1 (212) 555-0100", ("1", "2125550100")),
        ("+420 224 000 111", ("420", "224000111")),
        ("+49 089 1234567", ("49", "891234567")),
        ("+999 12345678", ("999", "12345678")),
        ("+", ("", "")),
    ],
)
def test_a_number_is_split_into_its_country_and_what_every_writing_has(number: str, expected: tuple[str, str]) -> None:
    assert split_number(number) == expected
