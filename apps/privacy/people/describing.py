"""Turn the details that a DPO entered into the description that the search takes."""

from __future__ import annotations

from typing import Final

from apps.privacy.people.contracts import PersonDescription, PersonName
from apps.privacy.requests.details import Details

_IBAN_CHARS: Final = range(15, 35)
_LEAST_ACCOUNT_CHARS: Final = 4


def describe(details: Details) -> PersonDescription:
    """Sort the person's details by kind. The form of an identifier decides: an IBAN, an account number, or words."""
    ibans, accounts, words = [], [], []
    for number in details.identifiers:
        letters = "".join(char for char in number if char.isalnum())
        if letters[:2].isalpha() and letters[2:4].isdigit() and len(letters) in _IBAN_CHARS:
            ibans.append(number)
        elif len(letters) >= _LEAST_ACCOUNT_CHARS and any(char.isdigit() for char in letters):
            accounts.append(number)
        else:
            words.append(number)
    return PersonDescription(
        names=tuple(PersonName(full=name) for name in details.names),
        aliases=details.aliases,
        emails=details.emails,
        phones=details.phones,
        ibans=tuple(ibans),
        accounts=tuple(accounts),
        words=tuple(words),
    )
