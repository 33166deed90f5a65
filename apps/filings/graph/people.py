"""People: by their form of address, by their office, and by their signature. A name alone is no person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from apps.filings.text.mentions import word_set

_UPPER: Final = r"[A-ZÄÖÜ][a-zäöüßéèáíóúñçåøæ]+(?:[-\u2019'][A-ZÄÖÜ]?[a-zäöüßéèáíóúñç]+)*"
_WORD: Final = rf"(?:{_UPPER}|Mc[A-Z][a-z]+|O[\u2019'][A-Z][a-z]+|[A-Z][a-z]+[A-Z][a-z]+)"
_INITIAL: Final = r"(?:[A-Z]\.(?:\s?[A-Z]\.)?)"
_PARTICLE: Final = r"(?:von|van|de|der|den|zu|la|di|da|del|le)"
_B: Final = r"[ \u00a0]"  # A name does not go over the end of a line, where the next cell of a table may stand.
FULL_NAME: Final = (
    rf"(?:{_WORD}|{_INITIAL})(?:{_B}(?:{_WORD}|{_INITIAL}))?(?:{_B}{_PARTICLE}){{0,2}}{_B}{_WORD}(?:,?{_B}(?:Jr\.?"
    rf"|Sr\.?|III|II|IV))?(?!\w)"
)
ADDRESS: Final = r"(?:Mr\.?|Mrs\.?|Ms\.?|Herrn?|Frau|Sir|Dame|(?:Prof\.|Professor)(?:\sDr\.)?|Dr\.)"
_OFFICES: Final = (
    r"(?:[Cc]o-)?(?:(?:(?:[Ee]xecutive|[Ss]enior|[Gg]roup|[Ii]nterim|[Aa]cting|[Ll]ead|[Ii]ndependent"
    r"|[Nn]on-[Ee]xecutive|[Dd]eputy)\s)*"
    r"(?:[Cc]hief\s(?:[A-Za-z]+\s){1,2}?[Oo]fficer|C[EFOTI]O|[Cc]hair(?:man|woman"
    r"|person)?(?:\sof\sthe\s[Bb]oard(?:\sof\s[Dd]irectors)?)?"
    r"|[Vv]ice\s[Pp]resident|[Pp]resident|(?:[Mm]anaging\s)?[Dd]irector|[Tt]reasurer|[Cc]ontroller"
    r"|[Gg]eneral\s[Cc]ounsel"
    r"|(?:[Cc]orporate\s|[Cc]ompany\s)?[Ss]ecretary|[Ff]ounder|[Pp]artner|[Hh]ead\sof\s[A-Z][a-z]+))"
    r"(?:(?:,|\sand|,\sand|\s&)\s(?:[Cc]hief\s(?:[A-Za-z]+\s){1,2}?[Oo]fficer|[Pp]resident|[Dd]irector|C[EFOTI]O"
    r"|[Cc]hairman|[Cc]hair|[Tt]reasurer|[Ss]ecretary)){0,2}"
)
_GERMAN_OFFICES: Final = (
    r"(?:(?:[Ss]tellvertretende[rn]?\s)?(?:Vorstandsvorsitzende[rn]?|Vorsitzende[rn]?\sdes\s(?:Vorstands?|Vorstandes"
    r"|Aufsichtsrate?s)"
    r"|Finanzvorst(?:and|ändin)|Vorstandsmitglied|Mitglied\sdes\s(?:Vorstands?|Vorstandes|Aufsichtsrate?s)"
    r"|Aufsichtsratsvorsitzende[rn]?"
    r"|Geschäftsführer(?:in)?|Prokurist(?:in)?|Vorstandssprecher(?:in)?|Generaldirektor(?:in)?))"
)
OFFICE: Final = rf"(?:{_OFFICES}|{_GERMAN_OFFICES})"
_CAPITALS: Final = r"[A-Z][A-Z\u2019'-]+(?:\s(?:[A-Z]\.|[A-Z][A-Z\u2019'-]+)){1,3}"
_FORMS: Final = tuple(
    (each, re.compile(pattern))
    for each, pattern in (
        ("address", rf"\b{ADDRESS}{_B}(?:Dr\.{_B})?(?P<name>{FULL_NAME}|{_WORD})(?!\w)"),
        (
            "office after",
            rf"(?<![\w-])(?P<name>{FULL_NAME}),{_B}?\s?(?:\d\d,\s)?(?:(?:our|the|its|former|ein(?:e|er)?)\s)?{OFFICE}\b",
        ),
        ("office before", rf"\b{OFFICE}(?:,\s|\s)(?P<name>{FULL_NAME})"),
        ("named", rf"\b(?:appointed|elected|named|promoted|hired)\s(?P<name>{FULL_NAME})\s(?:as|to|its|our)\b"),
        (
            "office told",
            rf"(?<![\w-])(?P<name>{FULL_NAME})\s(?:is|was|serves|served|has\sserved|has\sbeen|joined|ist"
            rf"|war)\s(?:appointed\s|elected\s)?(?:as\s)?(?:our\s|the\s|its\s)?{OFFICE}\b",
        ),
        ("signature", rf"/s/\s*(?P<name>{FULL_NAME}|{_CAPITALS})"),
    )
)
_NOBODY: Final = word_set(
    "Board Company Executive Vice President Officer Annual Meeting Audit Committee Financial Chief Chairman Director "
    "Directors Corporate Group General Human Resources Investor Relations Inc Corp Corporation Limited Bank Trust Fund "
    "Act Section Item Note Report Form Fiscal Year Quarter The Our Its This That In On At By For And Of As Each Such "
    "Former Senior Managing Independent Non Global United States New North South West East International National "
    "American European Street Avenue Road Inc Ltd Partners Capital Management Holdings Services Systems Technologies "
    "Operations Business Development Finance Legal Compliance Risk Marketing Sales Strategy Technology Information "
    "Principal Accounting Treasurer Secretary Controller Counsel Founder Partner Head Division Europe Asia America "
    "Pacific Africa Global Commercial Consumer Products Health Care Energy Compensation Governance Nominating Title "
    "Name "
    "Date Signature Signatures Age Position Executives January February March April May June July August September "
    "October November December Vorstand Aufsichtsrat Gesellschaft Herr Frau Mitglied Der Die Das Im Am Zum Mr Mrs Ms "
    "Dr "
    "Insurance Packaging Transactions Interested Teachers Emeritus Agreement Program Plan Election Equity Transition "
    "Award Incentive Employment Stock Units Letter Amendment "
    "Effective Since When During After Before While However Also With From Under Until Prior Mitglieder "
    "Stellvertretender"
)
_SUFFIX: Final = frozenset({"jr", "sr", "ii", "iii", "iv"})
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:[-\u2019'][^\W\d_]+)*")


class Person(NamedTuple):
    """`text[start:end]`, without the form of address. is_full: with a first name; else a surname alone."""

    start: int
    end: int
    name: str
    is_full: bool


def key_of_person(name: str) -> str:
    """Return the end of the key: the words of a name without initials, as "timothy-cook" for "Timothy D. Cook"."""
    words = [word.replace("\u2019", "'") for word in _LETTERS.findall(name.casefold())]
    kept = [word for word in words if len(word) > 1] or words
    return "-".join(kept)


def surname_of(name: str) -> str:
    words = [word for word in _LETTERS.findall(name) if word.casefold() not in _SUFFIX]
    return words[-1] if words else ""


def people_in(text: str) -> Iterator[Person]:
    """Yield the people whom a form of address, an office or a signature tells to be people, form by form."""
    for form, pattern in _FORMS:
        for match in pattern.finditer(text):
            start, end = match.span("name")
            name = " ".join(match["name"].split())
            words = _LETTERS.findall(name)
            if any((word.capitalize() if word.isupper() else word) in _NOBODY for word in words):
                continue
            yield Person(start, end, name, is_full=len(words) > 1 or form == "signature")
