"""Normalise the metadata values of a manifest, an API call or a form to closed sets and standard forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from apps.corpus.kinds import DocumentType, SourceType
from apps.errors import ApplicationError


class InvalidFieldError(ApplicationError):
    """A metadata value of a document that can't be understood; data: field, value, allowed."""

    code = "corpus.invalid_field"
    status = 422
    message = "{field} can't be {value!r}. Allowed: {allowed}."


class Period(NamedTuple):
    """A fiscal year, and its quarter if one is given."""

    fiscal_year: int
    fiscal_quarter: int | None = None


_MAX_TEXT_CHARACTERS = 300
# PostgreSQL refuses NUL characters, and UTF-8 can't encode a lone surrogate.
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_PERIOD_FORMS = "2018, FY2018, 2023Q2, Q2 2023, 2023-06-30"
_DATE_FORMS = "2022-07-01, 20220701, 01.07.2022, July 1, 2022"
_PLAIN = re.compile(r"[^a-z0-9]+")
_YEAR = re.compile(r"(?:fy|cy|fiscal(?: year)?|year)?\s*'?((?:19|20)\d\d|\d\d)", re.IGNORECASE)
_YEAR_QUARTER = re.compile(r"(?:fy)?((?:19|20)\d\d)[\s_/-]*q([1-4])", re.IGNORECASE)
_QUARTER_YEAR = re.compile(
    r"(?:q([1-4])|([1-4])q)[\s_/,-]*(?:of\s+)?(?:fy|fiscal)?[\s']*((?:19|20)\d\d|\d\d)", re.IGNORECASE
)
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_LONG_DATE = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2}),?\s+((?:19|20)\d\d)", re.IGNORECASE)
_JURISDICTION = re.compile(r"[A-Z]{2}(?:-[A-Z0-9]{1,3})?")
_LANGUAGES = {
    "en": "en",
    "eng": "en",
    "english": "en",
    "de": "de",
    "deu": "de",
    "ger": "de",
    "german": "de",
    "deutsch": "de",
}

_TYPE_NAMES: dict[DocumentType, tuple[str, ...]] = {
    DocumentType.FORM_10K: ("10k", "10ka", "10k405", "form10k", "annualreport"),
    DocumentType.FORM_10Q: ("10q", "10qa", "form10q", "quarterlyreport"),
    DocumentType.FORM_8K: ("8k", "8ka", "form8k", "currentreport"),
    DocumentType.EARNINGS_RELEASE: ("earnings", "earningsrelease", "earningsreport", "results", "pressrelease"),
    DocumentType.EARNINGS_TRANSCRIPT: ("transcript", "earningstranscript", "earningscall", "call", "calltranscript"),
    DocumentType.NEWS_ARTICLE: ("news", "newsarticle", "article"),
    DocumentType.POLICY: ("policy", "guideline", "directive", "procedure"),
    DocumentType.REPORT: ("report", "fundreport", "factsheet", "whitepaper", "research"),
    DocumentType.RECORD: ("record", "structuredrecord", "data", "dataset", "profile", "table"),
    DocumentType.OTHER: ("other", "misc", "unknown"),
}
_SOURCE_NAMES: dict[SourceType, tuple[str, ...]] = {
    SourceType.OFFICIAL: ("official", "filing", "issuer", "company", "sec"),
    SourceType.NEWS: ("news", "press", "media"),
    SourceType.RESEARCH: ("research", "analyst"),
    SourceType.POLICY: ("policy", "regulator", "regulation"),
    SourceType.INTERNAL: ("internal", "firm", "inhouse"),
}


def document_type_of(value: object) -> DocumentType:
    """Return the DocumentType for a name such as "10k", "10-K" or "Earnings". Raises InvalidFieldError."""
    plain = _PLAIN.sub("", str(value).lower()).removeprefix("form")
    for kind, names in _TYPE_NAMES.items():
        if plain in names or plain in (_PLAIN.sub("", kind.value.lower()), _PLAIN.sub("", kind.label.lower())):
            return kind
    raise invalid("document_type", value, ", ".join(DocumentType.values))


def source_type_of(value: object) -> SourceType:
    """Return the SourceType for a name such as "filing" or "press". Raises InvalidFieldError."""
    plain = _PLAIN.sub("", str(value).lower())
    for kind, names in _SOURCE_NAMES.items():
        if plain in names or plain == kind.value:
            return kind
    raise invalid("source_type", value, ", ".join(SourceType.values))


def period_of(value: object, *, field: str = "period") -> Period:
    """Return the period for 2018, "FY18", "2023Q2", "Q2 2023", "2Q23" or a period's last day. Raises InvalidFieldError.

    A day means the calendar quarter that contains it.
    """
    if isinstance(value, date):
        return Period(value.year, (value.month + 2) // 3)
    text = str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    match = _YEAR_QUARTER.fullmatch(text)
    if match:
        return Period(int(match[1]), int(match[2]))
    match = _QUARTER_YEAR.fullmatch(text)
    if match:
        return Period(_full_year(match[3]), int(match[1] or match[2]))
    match = _YEAR.fullmatch(text)
    if match:
        return Period(_full_year(match[1]))
    day = _parsed_date(text)
    if day is None:
        raise invalid(field, value, _PERIOD_FORMS)
    return Period(day.year, (day.month + 2) // 3)


def year_of(value: object) -> int:
    """Return a fiscal year from one of the ways to write it. Raises InvalidFieldError."""
    period = period_of(value, field="fiscal_year")
    if period.fiscal_quarter is not None:
        raise invalid("fiscal_year", value, f"{_FIRST_YEAR} to {_LAST_YEAR}")
    return period.fiscal_year


def quarter_of(value: object) -> int:
    """Return a quarter, 1 to 4, which may be written as "Q2". Raises InvalidFieldError."""
    match = re.fullmatch(r"q?([1-4])", str(value).strip().lower())
    if match is None or isinstance(value, bool):
        raise invalid("fiscal_quarter", value, "1, 2, 3, 4")
    return int(match[1])


def date_of(value: object, *, field: str = "published_on") -> date:
    """Return the date for a date, a datetime or one of the usual ways to write a date. Raises InvalidFieldError."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    day = _parsed_date(str(value).strip()[:40])
    if day is None:
        raise invalid(field, value, _DATE_FORMS)
    return day


def language_of(value: object) -> str:
    """Return the two-letter code for a code or a known name, without a region ("en-US"). Raises InvalidFieldError."""
    plain = re.split(r"[-_]", str(value).strip().lower())[0]
    if plain in _LANGUAGES:
        return _LANGUAGES[plain]
    if not re.fullmatch(r"[a-z]{2}", plain):
        raise invalid("language", value, "a code of two letters such as en, de")
    return plain


def jurisdictions_of(value: object) -> tuple[str, ...]:
    """Return codes such as "US", "EU", "US-NY" from a list or a comma-separated text. Raises InvalidFieldError."""
    items: Sequence[object]
    if isinstance(value, str):
        items = [item for item in re.split(r"[,;|\s]+", value) if item]
    elif isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value, key=str) if isinstance(value, (set, frozenset)) else list(value)
    else:
        raise invalid("jurisdictions", value, "codes such as US, DE, EU, US-NY")
    codes: list[str] = []
    for item in items:
        code = str(item).strip().upper()
        if not _JURISDICTION.fullmatch(code):
            raise invalid("jurisdictions", item, "codes such as US, DE, EU, US-NY")
        if code not in codes:
            codes.append(code)
    return tuple(codes)


def text_of(value: object, *, field: str) -> str:
    """Return a short text on one line. Raises InvalidFieldError."""
    if not isinstance(value, (str, int, float)) or isinstance(value, bool):
        raise invalid(field, value, "a text")
    text = " ".join(str(value).split())
    if _NOT_STORABLE.search(text):
        raise invalid(field, value, "a text without null characters or halves of a surrogate pair")
    if len(text) > _MAX_TEXT_CHARACTERS:
        raise invalid(field, value, f"a text of at most {_MAX_TEXT_CHARACTERS} characters")
    return text


def given_value(given: Mapping[str, object], *names: str) -> object | None:
    """Return the first of the named values that is present and not empty, or None."""
    for name in names:
        value = given.get(name)
        if value is not None and value != "" and value != []:
            return value
    return None


def invalid(field: str, value: object, allowed: str) -> InvalidFieldError:
    """Return the error for a field, with its value cut to a length that a log may hold."""
    return InvalidFieldError(field=field, value=str(value)[:60], allowed=allowed)


def _parsed_date(text: str) -> date | None:
    match = _LONG_DATE.fullmatch(text)
    if match:
        months = [number for number, name in enumerate(_MONTHS, start=1) if name.startswith(match[1].lower())]
        return _day(int(match[3]), months[0], int(match[2])) if len(months) == 1 else None
    for pattern, order in (
        (r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?", (1, 2, 3)),
        (r"(\d{4})(\d\d)(\d\d)", (1, 2, 3)),
        (r"(\d{1,2})\.(\d{1,2})\.(\d{4})", (3, 2, 1)),
    ):
        match = re.fullmatch(pattern, text)
        if match:
            year, month, day = (int(match[position]) for position in order)
            return _day(year, month, day)
    return None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if _FIRST_YEAR <= year <= _LAST_YEAR else None
    except ValueError:
        return None


def _full_year(text: str) -> int:
    number = int(text)
    if number >= 100:
        return number
    return 1900 + number if number >= 70 else 2000 + number
