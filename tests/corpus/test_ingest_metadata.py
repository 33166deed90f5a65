"""What was said about a document, and what the document itself adds where nothing was said."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.description import InvalidFieldError, title_from_filename
from apps.corpus.jobs import RunOutcome
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Document
from apps.corpus.reservations import reservations
from apps.corpus.services.ingest.metadata import metadata_from_row
from apps.corpus.services.ingest.read import read_file
from tests.corpus.files import lines, pdf
from tests.corpus.ingesting import chunks, document, ingest, run
from tests.factories import make_firm

COVER = (
    "UNITED STATES",
    "SECURITIES AND EXCHANGE COMMISSION",
    "Washington, D.C. 20549",
    "FORM 10-K",
    "For the fiscal year ended December 31, 2018",
    "ALPHA COMPANY",
    "(Exact name of registrant as specified in its charter)",
    "Common Stock, par value $.01 per share | ALF | New York Stock Exchange",
)
BODY = (
    "Item 7. Management's discussion and analysis",
    "The capital expenditure of the year was 1,577 million dollars.",
)
FILING = pdf([lines(*COVER), lines(*BODY)])
QUARTERLY = (
    b"<html><body><p>SECURITIES AND EXCHANGE COMMISSION</p><p>FORM 10-Q</p>"
    b"<p>For the quarterly period ended June 30, 2023</p><p>BETA INC</p>"
    b"<p>(Exact name of registrant as specified in its charter)</p>"
    b"<p>Net sales of the quarter were 41 million dollars.</p></body></html>"
)
FUND_REPORT = b"# Alpha Fund\n\nThe results of the fourth quarter were good. Apple (NASDAQ: AAPL) is a large position."


# --- rows ---


@given(st.text(max_size=60))
def test_a_title_is_never_empty_or_too_long(filename: str) -> None:
    assert 0 < len(title_from_filename(filename)) <= 300


def row(filename: str = "a.pdf", **fields: Any) -> Any:
    return metadata_from_row(fields, filename=filename)


def test_a_manifest_row_is_read_whole() -> None:
    metadata = row(
        id="X-1",
        title="T",
        company="Amcor",
        document_type="10q",
        period=2023,
        jurisdictions=["us", "au"],
        published_on="2023-02-07",
        filename="AMCOR_2023Q2_10Q.pdf",
        language="en",
    )
    assert (metadata.external_id, metadata.company, metadata.document_type) == ("X-1", "Amcor", DocumentType.FORM_10Q)
    assert (metadata.fiscal_year, metadata.fiscal_quarter) == (2023, 2)
    assert metadata.published_on == date(2023, 2, 7)
    assert metadata.jurisdictions == ("US", "AU")
    # Its kind says it, or else its type, as it is filed.
    assert metadata.source_type is None


def test_an_annual_report_has_no_quarter() -> None:
    assert row(document_type="10k", period="2023Q4").fiscal_quarter is None


def test_a_quarter_of_another_year_in_the_name_does_not_count() -> None:
    assert row(document_type="10q", period=2022, filename="X_2023Q2.pdf").fiscal_quarter is None


def test_the_name_s_year_completes_a_quarter() -> None:
    assert row(fiscal_quarter=2, filename="X_2023.pdf").fiscal_year == 2023


def test_the_name_of_a_file_is_no_title_that_was_given() -> None:
    assert row(filename="AMCOR_2023Q2_10Q.pdf").title == ""


def test_unknown_fields_and_nulls_do_no_harm() -> None:
    assert row(sector="Materials", company=None).company == ""


def test_a_language_that_is_not_analysed_is_kept() -> None:
    assert row(language="fr-CH").language == "fr"


@pytest.mark.parametrize(
    "fields",
    [{"published_on": "soon"}, {"fiscal_year": "MMXX"}, {"document_type": "novel"}, {"source_type": "rumour"}],
)
def test_a_value_that_can_not_be_read_names_its_field(fields: dict[str, str]) -> None:
    with pytest.raises(InvalidFieldError) as caught:
        row(**fields)
    assert [caught.value.data["field"]] == list(fields)


# --- the job fills in what nobody said ---


def read(content: bytes, filename: str, **stated: Any) -> Document:
    """The document after its job, without the provider."""
    from apps.corpus.services.ingest.metadata import fill_in
    from apps.corpus.services.ingest.read import warnings_of

    made = Document(filename=filename, title=stated.pop("title", title_from_filename(filename)), **stated)
    found = read_file(content, document=made)
    fill_in(made, found.about)
    made.warnings = warnings_of(found)
    return made


def test_a_filing_without_metadata_is_described_by_its_cover() -> None:
    made = read(FILING, "upload.pdf")
    assert (made.company, made.ticker, made.fiscal_year, made.fiscal_quarter) == ("ALPHA COMPANY", "ALF", 2018, None)
    assert (made.document_type, made.source_type) == (DocumentType.FORM_10K, SourceType.OFFICIAL)
    assert (made.title, made.language, made.jurisdictions) == ("upload", "en", ["US"])
    assert made.warnings == []


def test_a_quarterly_report_in_html_is_described_by_its_cover() -> None:
    made = read(QUARTERLY, "upload.html")
    assert (made.company, made.document_type) == ("BETA INC", DocumentType.FORM_10Q)
    assert (made.fiscal_year, made.fiscal_quarter) == (2023, 2)


def test_the_name_of_the_file_adds_the_day() -> None:
    assert read(FILING, "upload_2019-02-07.pdf").published_on == date(2019, 2, 7)


def test_the_cover_s_quarter_completes_the_name_s_year() -> None:
    assert read(QUARTERLY, "beta_2023.html").fiscal_quarter == 2


def test_what_was_said_is_never_replaced() -> None:
    said: dict[str, Any] = {
        "title": "The report",
        "company": "Alpha",
        "ticker": "ALPH",
        "fiscal_year": 2017,
        "fiscal_quarter": 4,
        "published_on": date(2020, 1, 2),
        "document_type": DocumentType.REPORT,
        "source_type": SourceType.RESEARCH,
        "language": "de",
        "jurisdictions": ["CH"],
    }
    made = read(FILING, "ALPHA_2019_10Q_2019-02-07.pdf", **said)
    assert {name: getattr(made, name) for name in said} == said


def test_a_source_that_was_said_stays_beside_a_type_that_was_found() -> None:
    made = read(FILING, "upload.pdf", source_type=SourceType.RESEARCH)
    assert (made.document_type, made.source_type) == (DocumentType.FORM_10K, SourceType.RESEARCH)


def test_a_contradiction_is_a_warning() -> None:
    made = read(FILING, "upload.pdf", fiscal_year=2017)
    assert [(each["code"], "2017 was given" in each["detail"]) for each in made.warnings] == [
        ("metadata_contradicts", True)
    ]


def test_a_contradiction_of_types_is_told_in_words() -> None:
    made = read(FILING, "ALPHA_2019_10Q.pdf", document_type=DocumentType.NEWS_ARTICLE)
    assert "Document type: News article was given, the file name says Quarterly report (10-Q)." in reservations(made)


def test_a_fund_s_own_report_is_no_press_release_of_what_it_holds() -> None:
    made = read(FUND_REPORT.replace(b"Apple (NASDAQ: AAPL)", b"Apple"), "alpha.md")
    assert (made.document_type, made.source_type) == (DocumentType.OTHER, SourceType.INTERNAL)


def test_a_ticker_in_a_text_that_is_no_issuer_s_is_not_the_document_s() -> None:
    assert read(FUND_REPORT, "alpha.md", document_type=DocumentType.REPORT).ticker == ""


def test_the_year_in_the_name_of_a_news_item_is_no_fiscal_year() -> None:
    assert read(b"# Alpha grounds its fleet\n\nNine aircraft.", "alpha-news-2025-01.md").fiscal_year is None


@pytest.mark.django_db
def test_the_job_stores_what_it_found_and_the_passages_say_it() -> None:
    firm = make_firm()
    made = ingest(firm, FILING, filename="upload.pdf", kind="reference_report")
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    stored = document(firm, made.document.id)
    assert (stored.company, stored.fiscal_year, stored.source_type) == ("ALPHA COMPANY", 2018, SourceType.OFFICIAL)
    assert "ALPHA COMPANY" in chunks(firm, made.document.id)[0].context_header


@pytest.mark.django_db
def test_what_is_stored_and_not_understood_ends_the_job_with_its_reason() -> None:
    firm = make_firm()
    made = ingest(firm, FILING, filename="upload.pdf", fiscal_year=2150)
    assert run(firm, made.job) is RunOutcome.FAILED
    assert document(firm, made.document.id).error_code == "corpus.invalid_field"
