"""Read the company, the period and the type of a document from its file name and its first pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath

from apps.corpus.extraction.contracts import Block, BlockKind, ExtractedDocument
from apps.corpus.kinds import DocumentType
from apps.corpus.metadata_values import InvalidFieldError, Period, date_of, period_of

UNTITLED = "Untitled"
_COVER_PAGES = 3
_COVER_CHARACTERS = 12_000
_MAX_NAME_CHARACTERS = 90
_DATE = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}\s*,?\s*\d{4}"
)
_YEAR_ENDED = re.compile(rf"for\s+the\s+(?:fiscal\s+)?year\s+ended\s*:?\s*({_DATE})", re.IGNORECASE)
# On some covers the commission's file number is beside the date, and so between the two parts of this text.
_QUARTER_ENDED = re.compile(
    rf"for\s+the\s+quarter(?:ly\s+period)?\s+ended\s*:?\s*(?:\|?\s*commission\s+file\s*(?:number)?\s*)?\|?\s*({_DATE})",
    re.IGNORECASE,
)
_REPORT_DATE = re.compile(rf"date\s+of\s+(?:earliest\s+event\s+reported|report)[^A-Z]{{0,60}}({_DATE})", re.IGNORECASE)
_ANY_DATE = re.compile(_DATE, re.IGNORECASE)
_FORM = re.compile(r"\bform\s+(10-?K|10-?Q|8-?K)(?:/A)?\b", re.IGNORECASE)
_COMMISSION = re.compile(r"securities\s+and\s+exchange\s+commission", re.IGNORECASE)
_COMMISSION_WITHIN = 2_500  # characters from the top of the cover
_TRANSCRIPT = re.compile(
    r"\b(?:earnings|results|conference)\s+(?:conference\s+)?call\b.*\btranscript\b|\btranscript\b.*\bcall\b",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"\b(?:reports?|announces?|reported|announced|results)\b[^.]{0,80}\b(?:quarter|fiscal|full[- ]year)\b"
    r"|\b(?:quarter|fiscal|full[- ]year)\b[^.]{0,80}\bresults\b",
    re.IGNORECASE,
)
_HEAD_CHARACTERS = 1_500
_SPOKEN_QUARTER = re.compile(
    r"\b(first|second|third|fourth)[\s-]+quarter(?:\s+(?:of\s+)?(?:fiscal\s+)?(?:year\s+)?((?:19|20)\d\d))",
    re.IGNORECASE,
)
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_REGISTRANT = re.compile(r"\(?\s*exact\s+name\s+of\s+(?:the\s+)?registrant", re.IGNORECASE)
_LISTED_AS = re.compile(
    r"\((?:NYSE|NASDAQ|Nasdaq|AMEX|TSX|ASX|LSE|Xetra|FWB)(?:[ A-Za-z]{0,20})?\s*:\s*([A-Z][A-Z0-9.]{0,5})\b"
)
_SYMBOL = re.compile(
    r"(?<![A-Za-z0-9.])([A-Z]{1,5}(?:\.[A-Z])?)\s*\|?\s*(?:The\s+)?(?:New\s+York\s+Stock\s+Exchange|NASDAQ|Nasdaq|NYSE)\b"
)
_NOT_SYMBOLS = frozenset({"THE", "ON", "OF", "NEW", "YORK", "STOCK", "INC", "NONE", "AND", "LLC", "EACH", "NAME"})
_NAME_QUARTER = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[\s_-]?Q([1-4])(?!\d)|(?<![A-Z0-9])Q([1-4])[\s_-]?((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)
_NAME_YEAR = re.compile(r"(?<!\d)(?:FY)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE)
_NAME_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_.](\d\d)[-_.](\d\d)(?!\d)")
_NAME_TYPES: tuple[tuple[re.Pattern[str], DocumentType], ...] = tuple(
    (re.compile(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])", re.IGNORECASE), kind)
    for pattern, kind in (
        (r"10-?k(?:-?a)?", DocumentType.FORM_10K),
        (r"10-?q(?:-?a)?", DocumentType.FORM_10Q),
        (r"8-?k(?:-?a)?", DocumentType.FORM_8K),
        (r"transcript|earnings[\s_-]?call", DocumentType.EARNINGS_TRANSCRIPT),
        (r"earnings(?:[\s_-]?release)?|results", DocumentType.EARNINGS_RELEASE),
        (r"news|article", DocumentType.NEWS_ARTICLE),
        (r"policy|guideline", DocumentType.POLICY),
        (r"report|fact[\s_-]?sheet", DocumentType.REPORT),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The metadata that one source gives for a document; None or "" where it gives none."""

    company: str = ""
    ticker: str = ""
    title: str = ""
    period: Period | None = None
    document_type: DocumentType | None = None
    published_on: date | None = None


def from_filename(filename: str) -> Findings:
    """Return the findings from a file's name, such as "AMCOR_2023Q2_10Q.pdf" or "..._8K_dated-2022-07-01.pdf"."""
    # Replace backslashes, because a name may come from Windows.
    name = PurePath(filename.replace("\\", "/")).stem
    published_on = None
    match = _NAME_DATE.search(name)
    if match:
        published_on = _valid_date(f"{match[1]}-{match[2]}-{match[3]}")
        name_without_date = name[: match.start()] + name[match.end() :]
    else:
        name_without_date = name
    period: Period | None = None
    quarter = _NAME_QUARTER.search(name_without_date)
    year = _NAME_YEAR.search(name_without_date)
    if quarter:
        period = Period(int(quarter[1] or quarter[4]), int(quarter[2] or quarter[3]))
    elif year:
        period = Period(int(year[1]))
    kind = next((kind for pattern, kind in _NAME_TYPES if pattern.search(name_without_date)), None)
    return Findings(period=period, document_type=kind, published_on=published_on, title=title_from_filename(filename))


def title_from_filename(filename: str) -> str:
    """Return a readable title for a document without another; never empty, at most 300 characters."""
    stem = PurePath(filename.replace("\\", "/")).stem
    return " ".join(stem.replace("_", " ").split())[:300].rstrip() or UNTITLED


def from_first_pages(document: ExtractedDocument) -> Findings:
    """Return the findings from the first pages: an SEC form's cover, a press release's head, or the first heading."""
    blocks = [block for page in document.pages[:_COVER_PAGES] for block in page.blocks]
    text = "\n".join(block.text for block in blocks)[:_COVER_CHARACTERS]
    kind = _cover_type(text)
    return Findings(
        company=_registrant(blocks),
        ticker=_ticker(text),
        title=_first_title(blocks),
        period=_cover_period(text, kind),
        document_type=kind,
        published_on=_cover_date(text, kind),
    )


def _cover_type(text: str) -> DocumentType | None:
    """Return the form that a cover names, or the type that the beginning of the text indicates, or None."""
    if _COMMISSION.search(text[:_COMMISSION_WITHIN]):
        form = _FORM.search(text)
        if form:
            return _form_type(form.group(1))
    head = " ".join(text[:_HEAD_CHARACTERS].split())
    if _TRANSCRIPT.search(head):
        return DocumentType.EARNINGS_TRANSCRIPT
    # A fund's own report mentions a quarter's results too, but only a listed company names its exchange.
    return DocumentType.EARNINGS_RELEASE if _RELEASE.search(head) and _LISTED_AS.search(head) else None


def _form_type(name: str) -> DocumentType:
    return {"10K": DocumentType.FORM_10K, "10Q": DocumentType.FORM_10Q, "8K": DocumentType.FORM_8K}[
        name.upper().replace("-", "")
    ]


def _cover_period(text: str, kind: DocumentType | None) -> Period | None:
    if kind is DocumentType.FORM_10K:
        day = _found_date(_YEAR_ENDED, text)
        if day is None:
            return None
        # A fiscal year that ends in January counts as the year before, which is the convention of retailers.
        return Period(day.year - 1 if day.month == 1 else day.year)
    if kind is DocumentType.FORM_10Q:
        day = _found_date(_QUARTER_ENDED, text)
        return period_of(day) if day else None
    if kind in (DocumentType.EARNINGS_RELEASE, DocumentType.EARNINGS_TRANSCRIPT):
        match = _SPOKEN_QUARTER.search(text)
        return Period(int(match.group(2)), _QUARTERS[match.group(1).lower()]) if match else None
    return None


def _cover_date(text: str, kind: DocumentType | None) -> date | None:
    if kind is DocumentType.FORM_8K:
        return _found_date(_REPORT_DATE, text)
    if kind not in (DocumentType.FORM_10K, DocumentType.FORM_10Q):
        match = _ANY_DATE.search(text[:400])
        return _valid_date(match.group()) if match else None
    return None


def _found_date(pattern: re.Pattern[str], text: str) -> date | None:
    match = pattern.search(text)
    return _valid_date(match.group(1)) if match else None


def _valid_date(text: str) -> date | None:
    try:
        return date_of(" ".join(text.replace(" ,", ",").split()))
    except InvalidFieldError:
        return None


def _registrant(blocks: Sequence[Block]) -> str:
    """Return the line before "(Exact name of registrant as specified in its charter)", or ""."""
    for position, block in enumerate(blocks):
        match = _REGISTRANT.search(block.text)
        if match is None:
            continue
        before = block.text[: match.start()].strip(" |(_-")
        if not before and position:
            before = blocks[position - 1].text.strip(" |_-")
        name = before.splitlines()[-1] if before else ""
        if 1 < len(name) <= _MAX_NAME_CHARACTERS and re.search(r"[A-Za-z]{2}", name):
            return name
        return ""
    return ""


def _ticker(text: str) -> str:
    match = _LISTED_AS.search(text)
    if match:
        return match.group(1).rstrip(".")
    for match in _SYMBOL.finditer(text):
        if match.group(1) not in _NOT_SYMBOLS:
            return match.group(1)
    return ""


def _first_title(blocks: Sequence[Block]) -> str:
    headings = [block.text for block in blocks if block.kind is BlockKind.HEADING and len(block.text) > 3]
    return headings[0] if headings else ""
