"""The wording of packages, one module per language. A package has the same language as the letters of its request."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from apps.privacy.access_packages.wordings.contract import PackageWording
from apps.privacy.access_packages.wordings.english import ENGLISH
from apps.privacy.access_packages.wordings.german import GERMAN
from apps.privacy.codes.requests import Language
from apps.privacy.requests.letters import day
from apps.privacy.requests.wordings.contract import OneOrMany

WORDINGS: Final[Mapping[Language, PackageWording]] = {Language.ENGLISH: ENGLISH, Language.GERMAN: GERMAN}


def wording_of(language: str) -> PackageWording:
    return WORDINGS[Language(language)]


def counted(count: int, words: OneOrMany) -> str:
    one, many = words
    return one if count == 1 else many.format(count)


def period(months: int, words: tuple[OneOrMany, OneOrMany]) -> str:
    """Return a number of months in words, or in years where it is a whole number of years."""
    of_years, of_months = words
    return counted(months // 12, of_years) if months and months % 12 == 0 else counted(months, of_months)


def moment(at: datetime, wording: PackageWording) -> str:
    """Format a time, in UTC, as the language writes it."""
    utc = at.astimezone(UTC)
    return wording.moment.format(day=day(utc.date(), Language(wording.language)), time=f"{utc:%H:%M}")


def ground(written: str, wording: PackageWording) -> str:
    """Return a legal basis: the platform's translated to the package's language, the firm's as the firm wrote it."""
    return wording.keeping.grounds.get(written, written)
