"""Metadata as exports write it."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.services.ingest_metadata import (
    document_type_of,
    fiscal_period_of,
    metadata_from_row,
    title_from_filename,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("10k", DocumentType.FORM_10K),
        ("10-K", DocumentType.FORM_10K),
        ("10q", DocumentType.FORM_10Q),
        ("8k", DocumentType.FORM_8K),
        ("Earnings", DocumentType.EARNINGS_RELEASE),
        ("earnings_transcript", DocumentType.EARNINGS_TRANSCRIPT),
        ("News article", DocumentType.NEWS_ARTICLE),
        ("policy", DocumentType.POLICY),
    ],
)
def test_document_types_are_read_in_their_usual_spellings(written: str, expected: DocumentType) -> None:
    assert document_type_of(written) is expected


def test_an_unknown_document_type_lists_the_known_ones() -> None:
    with pytest.raises(ValidationError, match="10-K"):
        document_type_of("novel")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2018", (2018, None)),
        ("FY2018", (2018, None)),
        ("2023Q4", (2023, 4)),
        ("Q4 2023", (2023, 4)),
        ("4Q 2023", (2023, 4)),
        ("2023-Q2", (2023, 2)),
        ("AMCOR_2023Q2_10Q", (2023, 2)),
        ("3M_2018_10K", (2018, None)),
        ("AMCOR_2022_8K_dated-2022-07-01", (2022, None)),
        ("", (None, None)),
        ("12345678", (None, None)),
        ("Q5 2023", (2023, None)),
    ],
)
def test_periods_are_read(written: str, expected: tuple[int | None, int | None]) -> None:
    assert fiscal_period_of(written) == expected


@given(st.text(max_size=40))
def test_reading_a_period_never_fails(written: str) -> None:
    year, quarter = fiscal_period_of(written)
    assert year is None or 1900 <= year < 2200
    assert quarter in (None, 1, 2, 3, 4)


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
    assert (metadata.jurisdictions, metadata.source_type) == (("us", "au"), SourceType.OFFICIAL)


def test_an_annual_report_has_no_quarter() -> None:
    assert row(document_type="10k", period="2023Q4").fiscal_quarter is None


def test_a_quarter_of_another_year_in_the_name_does_not_count() -> None:
    assert row(document_type="10q", period=2022, filename="X_2023Q2.pdf").fiscal_quarter is None


def test_unknown_fields_and_nulls_do_no_harm() -> None:
    assert row(sector="Materials", company=None).company == ""


@pytest.mark.parametrize(
    "fields",
    [{"published_on": "07.02.2023"}, {"fiscal_year": "MMXX"}, {"document_type": "novel"}, {"source_type": "rumour"}],
)
def test_a_value_that_can_not_be_read_names_its_field(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError) as caught:
        row(**fields)
    assert set(caught.value.message_dict) == set(fields)
