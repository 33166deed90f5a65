from __future__ import annotations

from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.grounding.cite import cite
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, analysed, candidate, context_of, entry, written

PAGE = "Table of contents\n" + CASH_FLOWS
ANALYSIS = analysed(CAPEX_QUESTION, entry("Northwind", 2018))
CONTEXT = context_of(ANALYSIS, [candidate(CASH_FLOWS, 7, page=60, char_start=len("Table of contents\n"))])
(REF_ID,) = (passage.ref_id for passage in CONTEXT.passages)


def test_span_leads_to_the_quote_on_the_page() -> None:
    answer = ExtractiveGenerator().generate(ANALYSIS, CONTEXT)
    for citation in cite(answer, CONTEXT, language="en"):
        assert PAGE[citation.char_start : citation.char_end] == citation.quote


def test_citation_names_document_version_page_and_kind() -> None:
    (citation,) = cite(written("It was 1,577.", REF_ID), CONTEXT, language="en")
    assert (citation.ref_id, citation.document_title, citation.version, citation.page, citation.kind) == (
        REF_ID,
        "Northwind 2018 10-K",
        1,
        60,
        "reference_report",
    )


def test_model_answer_is_cited_by_the_row_that_holds_its_number() -> None:
    (citation,) = cite(written("Northwind spent 1,577 on equipment.", REF_ID), CONTEXT, language="en")
    assert citation.quote.startswith("Purchases of property, plant and equipment")


def test_ref_id_outside_the_context_gets_no_citation() -> None:
    assert cite(written("It was 1,577.", "invented|p1|c1"), CONTEXT, language="en") == ()
