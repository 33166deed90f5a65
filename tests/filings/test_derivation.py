"""What is derived from a file while it is read: what fails or is cut off is said, and nothing untrue is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from apps.corpus import registry
from apps.corpus.description import describe
from apps.corpus.extraction import extract
from apps.corpus.extraction.contracts import ExtractionWarning, MediaType
from apps.corpus.reader.answers import ContradictionError
from apps.filings.contracts import ReadFact
from apps.filings.reading import derivation
from tests.filings.reports import report_html


@pytest.fixture
def changed() -> Iterator[Any]:
    """Register a changed derivation in place of the real one, for one test."""
    real = registry._derivations[derivation.NAME]
    yield lambda **values: registry.register_derivation(replace(real, **values))
    registry.register_derivation(real)


def derived() -> tuple[dict[str, Any], tuple[ExtractionWarning, ...]]:
    content = report_html(2024)
    extracted = extract(content, filename="report.html")
    about = describe(extracted, filename="report.html", given={})
    return registry.derive_all(content, extracted, about, "en")


def facts() -> tuple[ReadFact, ...]:
    found: tuple[ReadFact, ...] = registry._derivations[derivation.NAME].result.validate_python(derived()[0]["facts"])
    return found


def pages() -> dict[int, Any]:
    return {page.number: page for page in extract(report_html(2024), filename="report.html").pages}


def test_facts_are_derived_without_a_warning() -> None:
    results, warnings = derived()
    assert len(results["facts"]) > 30
    assert warnings == ()


def test_a_derivation_that_fails_is_named_in_a_warning(changed: Any) -> None:
    def fail(*_: object) -> None:
        raise LookupError("words of the file")

    changed(derive=fail)
    results, (warning,) = derived()
    assert derivation.NAME not in results
    assert "could not be read" in warning.detail
    assert "words of the file" not in warning.detail


def test_what_is_too_much_is_cut_off_with_a_warning(changed: Any) -> None:
    changed(most=5)
    results, (warning,) = derived()
    assert len(results["facts"]) == 5
    assert "only the first 5 of" in warning.detail


def test_true_facts_pass_the_check() -> None:
    derivation.check(facts(), pages(), MediaType.HTML)


def test_a_figure_that_fits_in_no_column_costs_no_document_and_is_told() -> None:
    content = report_html(2024).replace(b">1,", b">" + b"1," + b"000," * 6, 1)
    extracted = extract(content, filename="report.html")
    about = describe(extracted, filename="report.html", given={})
    results, (warning,) = registry.derive_all(content, extracted, about, "en")
    assert warning.detail == "The figures of its tables: 1 left out, which the page does not bear out."
    assert len(results["facts"]) == len(facts()) - 1


def test_two_facts_of_one_cell_are_refused() -> None:
    with pytest.raises(ContradictionError, match="two facts of one cell"):
        derivation.check([*facts(), facts()[0]], pages(), MediaType.HTML)
