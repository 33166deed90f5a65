"""The reports of the benchmark of retrieval: made up from a seed, as PDFs of pages with text, figures and statements.

A page has some 2,400 characters, which ingest cuts into about three passages of 200 tokens. The words are those that
the shipped model's tokenizer knows whole, by Zipf's law: each page is as long in tokens as a real one and says nothing.
Every fourth sentence gives a figure. A report of a company has its three statements, with their titles and lines, so
that ingest recognises and marks them; one company reports in German.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate

from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.tokens import _tokenizer
from apps.demo.markup import PAGE_BREAK
from apps.demo.pdf_builder import build_pdf
from apps.intents.fund_house import FundHouse

PASSAGES_OF_PAGE = 2.9  # as ingest cuts them, so that about as many passages come of it as were asked for
_PAGE_CHARACTERS = 2_400
_VOCABULARY, _ZIPF_EXPONENT = 12_000, 1.0
_GERMAN = """
    der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass
    sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch
    Gesellschaft Geschäft Umsatz Ergebnis Vorstand Aufsichtsrat Markt Kunden Risiken Vertrag Jahr Quartal Bericht
"""
SEGMENTS = ("Logistics", "Components", "Retail", "Services", "Licences", "Northern Europe", "Overseas", "Rentals")
FIGURES = (
    "revenue",
    "operating income",
    "net income",
    "capital expenditure",
    "free cash flow",
    "gross margin",
    "inventories",
    "long-term debt",
    "research and development expense",
    "trade receivables",
    "income tax expense",
    "dividends paid",
)
GERMAN_FIGURES = ("Umsatz", "Jahresüberschuss", "Betriebsergebnis", "Eigenkapital", "Cashflow", "Materialaufwand")


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """Who reports. Without a ticker it is a fund of the firm's, whose reports are past runs in a scope of their own."""

    name: str
    ticker: str = ""
    language: str = "en"
    scope: str = "firm:acme"


COMPANIES = (
    Publisher(name="Ardwick Freight plc", ticker="ADWF"),
    Publisher(name="Borrowdale Instruments Inc", ticker="BDLI"),
    Publisher(name="Kestrel Harbour Foods plc", ticker="KHFD"),
    Publisher(name="Lindenauer Werke AG", ticker="LDW", language="de"),
    Publisher(name="Osprey Vale Energy Inc", ticker="OVEN"),
    Publisher(name="Tamsin Cloud Systems Inc", ticker="TCSY"),
)
FUNDS = (Publisher(name="Alpha Fund", scope="fund:alpha"), Publisher(name="Beta Fund", scope="fund:beta"))
YEARS = range(2019, 2025)
_HOUSE_KINDS = (
    FundHouse.ORG_PROFILE,
    FundHouse.COMPLIANCE_PROFILE,
    FundHouse.METHODOLOGY,
    FundHouse.FUND_PROFILE,
    FundHouse.STYLE_SAMPLE,
    FundHouse.REPORT_EDIT_PATTERN,
    FundHouse.DATASET_SUMMARY,
    FundHouse.SCHEDULE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One document that is to be written. share: its size beside the others', a quarterly report's being 1."""

    title: str
    kind: Kind
    publisher: Publisher
    year: int | None = None
    quarter: int | None = None
    share: float = 1.0
    pages: int = 0

    @property
    def document_type(self) -> DocumentType:
        if not self.publisher.ticker:
            return DocumentType.REPORT if self.year else DocumentType.OTHER
        return DocumentType.FORM_10Q if self.quarter else DocumentType.FORM_10K


def planned(passages: int) -> list[Report]:
    """The documents that come to about so many passages: fewer companies and years where these are few."""
    small = passages < 4_000
    companies, funds = (COMPANIES[2:4], FUNDS[:1]) if small else (COMPANIES, FUNDS)
    years = YEARS[-2:] if small else YEARS
    house = Publisher(name="Acme Asset Management")
    reports = [
        *(_report(company, FundHouse.REFERENCE_REPORT, year, quarter)
          for company in companies for year in years for quarter in (None, 1, 2, 3)),
        *(_report(fund, FundHouse.RUN, year, quarter) for fund in funds for year in years for quarter in (1, 2, 3, 4)),
        *(Report(title=f"{kind.label} of {house.name}", kind=kind, publisher=house, share=2) for kind in _HOUSE_KINDS),
    ]  # fmt: skip
    pages = passages / PASSAGES_OF_PAGE / sum(report.share for report in reports)
    return [replace(report, pages=max(1, round(pages * report.share))) for report in reports]


def _report(publisher: Publisher, kind: Kind, year: int, quarter: int | None) -> Report:
    name = f"Q{quarter} {year} report" if quarter else f"annual report {year}"
    share = 1.0 if quarter else 4.0
    title = f"{publisher.name}: {name}"
    return Report(title=title, kind=kind, publisher=publisher, year=year, quarter=quarter, share=share)


def written(report: Report, *, seed: int) -> bytes:
    """The report as a PDF; the same bytes for the same seed and report."""
    chance = random.Random(f"{seed} {report.title}")
    statements = _statements(report, chance) if report.publisher.ticker else []
    headings = [f"# {report.title}", *(f"## Section {number}" for number in range(2, report.pages + 1))]
    text = ["\n\n".join([heading, *_paragraphs(report, chance)]) for heading in headings]
    # In the middle, as in an annual report.
    text[len(text) // 2 : len(text) // 2] = statements
    return build_pdf(f"\n\n{PAGE_BREAK}\n\n".join(text))


@cache
def vocabulary(language: str) -> tuple[Sequence[str], Sequence[float]]:
    """Words, the most frequent ones first, and their cumulative weights."""
    by_id = sorted((number, word) for word, number in _tokenizer().get_vocab().items())
    words = [word for _, word in by_id if word.isascii() and word.isalpha() and len(word) > 1][:_VOCABULARY]
    if language == "de":
        words = [*_GERMAN.split(), *words[200:]]
    return words, list(accumulate(1 / place**_ZIPF_EXPONENT for place in range(1, len(words) + 1)))


def words(chance: random.Random, count: int, language: str = "en") -> list[str]:
    known, weights = vocabulary(language)
    return chance.choices(known, cum_weights=weights, k=count)


def _paragraphs(report: Report, chance: random.Random) -> Iterator[str]:
    left = _PAGE_CHARACTERS
    while left > 0:
        sentences = [
            _figure(report, chance) if not place % 4 else _sentence(report, chance)
            for place in range(chance.randint(4, 6))
        ]
        paragraph = " ".join(sentences)[: max(left, 120)]
        yield paragraph
        left -= len(paragraph)


def _sentence(report: Report, chance: random.Random) -> str:
    found = words(chance, chance.randint(12, 26), report.publisher.language)
    return f"{found[0].capitalize()} {' '.join(found[1:])}."


def _figure(report: Report, chance: random.Random) -> str:
    when = f"Q{report.quarter} {report.year}" if report.quarter else str(report.year or chance.choice(YEARS))
    amount, share = chance.uniform(5, 9_000), chance.uniform(0.1, 30)
    segment = chance.choice(SEGMENTS)
    if report.publisher.language == "de":
        figure = chance.choice(GERMAN_FIGURES)
        return f"Im Segment {segment} stieg der {figure} {when} um {share:.1f} % auf {amount:.1f} Mio. EUR."
    if report.kind == FundHouse.RUN:
        fund = report.publisher.name
        return f"The maximum drawdown of the {fund} in {when} was {share:.1f} %, its return {share / 2:.2f} %."
    moved = chance.choice(("rose", "fell"))
    return f"The {chance.choice(FIGURES)} of {segment} {moved} by {share:.1f} % to USD {amount:,.1f} million in {when}."


# A statement is recognised by its title and by these lines; see apps/corpus/extraction/statements.py.
_ENGLISH_STATEMENTS = {
    "Consolidated Balance Sheets": (
        "Cash and cash equivalents", "Trade receivables", "Inventories", "Total current assets", "Goodwill",
        "Property, plant and equipment", "Total assets", "Accounts payable", "Total current liabilities",
        "Long-term debt", "Retained earnings", "Total liabilities and equity",
    ),
    "Consolidated Statements of Income": (
        "Net revenues", "Cost of sales", "Selling and administrative", "Research and development",
        "Operating income", "Interest expense", "Income before income taxes", "Provision for income taxes",
        "Net income", "Diluted earnings per share", "Basic earnings per share",
    ),
    "Consolidated Statements of Cash Flows": (
        "Net income", "Depreciation and amortization", "Net cash from operating activities",
        "Capital expenditures", "Acquisitions", "Net cash used for investing activities", "Dividends paid",
        "Proceeds from borrowings", "Net cash used for financing activities", "Net increase in cash",
        "Cash at the end of the period",
    ),
}  # fmt: skip
_GERMAN_STATEMENTS = {
    "Konzernbilanz": (
        "Zahlungsmittel", "Forderungen", "Vorräte", "Summe kurzfristige Vermögenswerte", "Sachanlagen",
        "Bilanzsumme", "Verbindlichkeiten", "Gezeichnetes Kapital", "Gewinnrücklagen", "Summe Passiva",
    ),
    "Konzern-Gewinn- und Verlustrechnung": (
        "Umsatzerlöse", "Materialaufwand", "Personalaufwand", "Abschreibungen", "Betriebsergebnis",
        "Ergebnis vor Steuern", "Ertragsteuern", "Jahresüberschuss", "Ergebnis je Aktie",
    ),
    "Kapitalflussrechnung": (
        "Jahresüberschuss", "Abschreibungen", "Mittelzufluss aus Geschäftstätigkeit",
        "Auszahlungen für Sachanlagen", "Mittelabfluss aus Investitionstätigkeit", "Gezahlte Dividende",
        "Tilgung von Krediten", "Mittelabfluss aus Finanzierungstätigkeit", "Zahlungsmittel am Ende der Periode",
    ),
}  # fmt: skip


def _statements(report: Report, chance: random.Random) -> list[str]:
    year = report.year or YEARS[-1]
    statements = _GERMAN_STATEMENTS if report.publisher.language == "de" else _ENGLISH_STATEMENTS
    return [
        f"## {title}\n\n(in millions)\n\n"
        + "\n".join(
            [
                f"| | {year} | {year - 1} |",
                "| --- | --- | --- |",
                *(f"| {line} | {chance.randint(10, 9_999):,} | {chance.randint(10, 9_999):,} |" for line in lines),
            ]
        )
        for title, lines in statements.items()
    ]
