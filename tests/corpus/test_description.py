"""What can be told of a document without a model, and messy metadata."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from apps.corpus.description import Description, InvalidFieldError, describe
from apps.corpus.extraction import BlockKind, ExtractedDocument, MediaType
from apps.corpus.extraction.pages import BlockDraft, build_page
from apps.corpus.kinds import DocumentType, SourceType


def document(*texts: str, title: str | None = None, language: str = "en") -> ExtractedDocument:
    drafts = [BlockDraft(BlockKind.PARAGRAPH, text) for text in texts]
    return ExtractedDocument(
        pages=(build_page(1, drafts),), media_type=MediaType.PDF, language=language, title=title, warnings=()
    )


COVER_10K = document(
    "UNITED STATES",
    "SECURITIES AND EXCHANGE COMMISSION Washington, D.C. 20549",
    "FORM 10-K",
    "For the fiscal year ended December 31, 2018",
    "ALPHA COMPANY",
    "(Exact name of registrant as specified in its charter)",
    "Common Stock, par value $.01 per share | ALF | New York Stock Exchange",
)


def given(**values: object) -> Description:
    return describe(None, filename="a.pdf", given=values)


@pytest.mark.parametrize("value", ["10k", "10-K", "10-k", "Form 10-K", "FORM_10K", DocumentType.FORM_10K])
def test_document_type_is_normalised(value: object) -> None:
    assert given(document_type=value).document_type is DocumentType.FORM_10K


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("8k", DocumentType.FORM_8K),
        ("10q", DocumentType.FORM_10Q),
        ("Earnings", DocumentType.EARNINGS_RELEASE),
        ("Earnings transcript", DocumentType.EARNINGS_TRANSCRIPT),
        ("news", DocumentType.NEWS_ARTICLE),
        ("Policy", DocumentType.POLICY),
        ("structured record", DocumentType.RECORD),
    ],
)
def test_document_types_by_their_common_names(value: str, expected: DocumentType) -> None:
    assert given(document_type=value).document_type is expected


@pytest.mark.parametrize(
    ("value", "year", "quarter"),
    [
        (2018, 2018, None),
        ("2018", 2018, None),
        ("FY2018", 2018, None),
        ("FY18", 2018, None),
        ("fiscal 2018", 2018, None),
        ("2023Q2", 2023, 2),
        ("2023-Q2", 2023, 2),
        ("Q2 2023", 2023, 2),
        ("Q2 FY2023", 2023, 2),
        ("2Q23", 2023, 2),
        ("2023-06-30", 2023, 2),
        ("June 30, 2023", 2023, 2),
        (date(2023, 6, 30), 2023, 2),
    ],
)
def test_period_is_normalised(value: object, year: int, quarter: int | None) -> None:
    description = given(period=value)
    assert (description.fiscal_year, description.fiscal_quarter) == (year, quarter)


def test_last_day_of_an_annual_report_names_no_quarter() -> None:
    assert given(period="2018-12-31", document_type="10-K").fiscal_quarter is None


def test_year_and_quarter_may_come_apart() -> None:
    assert given(fiscal_year="2023", fiscal_quarter="Q2").period_label == "Q2 FY2023"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("document_type", "invoice"),
        ("source_type", "rumour"),
        ("period", "sometime"),
        ("period", "2023Q5"),
        ("period", True),
        ("fiscal_year", "2023Q2"),
        ("fiscal_quarter", 5),
        ("fiscal_quarter", 2),
        ("published_on", "2022-13-01"),
        ("published_on", "soon"),
        ("language", "klingon"),
        ("jurisdictions", ["Germany"]),
        ("jurisdictions", 7),
        ("company", ["Alice", "Bob"]),
        ("title", "x" * 301),
    ],
)
def test_unknown_value_is_refused_by_its_field(field: str, value: object) -> None:
    with pytest.raises(InvalidFieldError) as caught:
        given(**{field: value})
    assert caught.value.data["field"] == field


def test_refusal_names_what_is_allowed() -> None:
    with pytest.raises(InvalidFieldError, match=r"document_type can't be 'invoice'. Allowed: 10-K, 10-Q"):
        given(document_type="invoice")


def test_refusal_cuts_a_long_value() -> None:
    with pytest.raises(InvalidFieldError) as caught:
        given(document_type="x" * 500)
    assert len(caught.value.data["value"]) == 60


@pytest.mark.parametrize(
    "value",
    ["2022-07-01", "20220701", "01.07.2022", "July 1, 2022", date(2022, 7, 1), datetime(2022, 7, 1, tzinfo=UTC)],
)
def test_dates_are_normalised(value: object) -> None:
    assert given(published_on=value).published_on == date(2022, 7, 1)


@pytest.mark.parametrize("value", ["US, de", ["us", "DE", "US"], "US;DE"])
def test_jurisdictions_are_normalised(value: object) -> None:
    assert given(jurisdictions=value).jurisdictions == ("US", "DE")


@pytest.mark.parametrize(("value", "expected"), [("en-US", "en"), ("German", "de"), ("DE", "de")])
def test_language_is_normalised(value: str, expected: str) -> None:
    assert given(language=value).language == expected


@pytest.mark.parametrize("empty", [None, "", []])
def test_empty_values_count_as_not_given(empty: object) -> None:
    assert (
        given(document_type=empty, period=empty, language=empty, jurisdictions=empty).document_type
        is DocumentType.OTHER
    )


@pytest.mark.parametrize(
    ("filename", "kind", "label"),
    [
        ("ALPHA_2023Q2_10Q.pdf", DocumentType.FORM_10Q, "Q2 FY2023"),
        ("ALPHA_2018_10K.pdf", DocumentType.FORM_10K, "FY2018"),
        ("documents/ALPHA_2022_8K_dated-2022-07-01.pdf", DocumentType.FORM_8K, "FY2022"),
        ("alpha Q4 2024 report.docx", DocumentType.REPORT, "Q4 FY2024"),
        ("ALPHA_2023Q4_EARNINGS.pdf", DocumentType.EARNINGS_RELEASE, "Q4 FY2023"),
        ("C:\\in\\risk-policy.md", DocumentType.POLICY, ""),
        ("12018345.pdf", DocumentType.OTHER, ""),
    ],
)
def test_file_name_is_read(filename: str, kind: DocumentType, label: str) -> None:
    description = describe(None, filename=filename, given={})
    assert (description.document_type, description.period_label) == (kind, label)


def test_date_in_the_file_name_is_the_day_of_publication() -> None:
    description = describe(None, filename="ALPHA_2022_8K_dated_2022-08-19.pdf", given={})
    assert description.published_on == date(2022, 8, 19)


def test_cover_of_an_annual_report_is_read() -> None:
    description = describe(COVER_10K, filename="upload.pdf", given={})
    assert (description.company, description.ticker, description.document_type, description.period_label) == (
        "ALPHA COMPANY",
        "ALF",
        DocumentType.FORM_10K,
        "FY2018",
    )


def test_filing_is_under_the_law_of_its_commission() -> None:
    assert describe(COVER_10K, filename="upload.pdf", given={}).jurisdictions == ("US",)


def test_filing_whose_file_is_named_by_a_number_gets_a_title() -> None:
    assert describe(COVER_10K, filename="0000320187-21-000028.pdf", given={}).title == "ALPHA COMPANY 10-K 2018"


def test_retailers_year_that_ends_in_january_is_the_one_before() -> None:
    cover = document("SECURITIES AND EXCHANGE COMMISSION", "FORM 10-K", "For the fiscal year ended January 28, 2023")
    assert describe(cover, filename="a.pdf", given={}).fiscal_year == 2022


def test_cover_of_a_quarterly_report_is_read() -> None:
    cover = document("SECURITIES AND EXCHANGE COMMISSION", "FORM 10-Q", "For the quarterly period ended June 30, 2023")
    assert describe(cover, filename="a.pdf", given={}).period_label == "Q2 FY2023"


def test_report_that_mentions_a_form_is_no_filing() -> None:
    text = document("Our annual report on Form 10-K is available on request.")
    assert describe(text, filename="a.pdf", given={}).document_type is DocumentType.OTHER


def test_press_release_on_results_is_recognised() -> None:
    text = document("Alpha announces fourth quarter 2024 results (NASDAQ: ALF)")
    description = describe(text, filename="a.pdf", given={})
    assert (description.document_type, description.period_label, description.ticker) == (
        DocumentType.EARNINGS_RELEASE,
        "Q4 FY2024",
        "ALF",
    )


def test_given_values_win() -> None:
    description = describe(
        COVER_10K, filename="B_2020_10Q.pdf", given={"company": "Alpha", "period": 2018, "document_type": "10k"}
    )
    assert (description.company, description.fiscal_year, description.document_type) == (
        "Alpha",
        2018,
        DocumentType.FORM_10K,
    )


def test_contradictions_are_warnings() -> None:
    description = describe(None, filename="B_2020_10Q.pdf", given={"period": 2018, "document_type": "10k"})
    assert [warning.field for warning in description.warnings] == ["document_type", "period"]


def test_quarter_of_the_file_name_completes_a_given_year() -> None:
    assert describe(None, filename="A_2023Q2_10Q.pdf", given={"period": 2023}).period_label == "Q2 FY2023"


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("10-K", SourceType.OFFICIAL),
        ("news", SourceType.NEWS),
        ("policy", SourceType.POLICY),
        ("report", SourceType.INTERNAL),
    ],
)
def test_source_follows_from_the_type(kind: str, source: SourceType) -> None:
    assert given(document_type=kind).source_type is source


@pytest.mark.parametrize(
    "title",
    ["0000320187-21-000028", "10-K - 02/07/2019 - 3M Company", "UNITED STATES", "untitled", "about:blank"],
)
def test_senseless_embedded_title_is_passed_over(title: str) -> None:
    assert describe(document("Text.", title=title), filename="2024-07.pdf", given={}).title == "2024-07"


@pytest.mark.parametrize("title", ["about:blank", "Alpha profile", "Annual report of another fund"])
def test_the_file_s_name_is_the_title_whatever_its_properties_say(title: str) -> None:
    assert describe(document("Text.", title=title), filename="fund_profile.pdf", given={}).title == "fund profile"
    assert describe(COVER_10K, filename="upload.pdf", given={}).title == "upload"


@pytest.mark.parametrize("filename", ["2024-07.pdf", "-", "_.pdf", "x.pdf"])
def test_where_the_name_has_no_word_a_sensible_embedded_title_is_taken(filename: str) -> None:
    assert describe(document("Text.", title="Alpha profile"), filename=filename, given={}).title == "Alpha profile"


def test_language_of_the_text_is_taken() -> None:
    assert describe(document("Text", language="de"), filename="x.pdf", given={}).language == "de"


def test_facts_say_what_a_header_needs() -> None:
    facts = describe(COVER_10K, filename="upload.pdf", given={"company": "Alpha"}).facts
    assert (facts.company, facts.document_type, facts.period) == ("Alpha", "10-K", "FY2018")
