"""The demo's content holds together: complete, deterministic, and nothing of one firm in the other's documents."""

from __future__ import annotations

import json
import re
from collections import Counter
from io import BytesIO

import pypdfium2
import pytest
from docx import Document
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.providers.registry import provider_for
from apps.demo.catalogue import DemoDocument, demo_documents
from apps.demo.markup import Paragraph, Table, blocks, reflow
from apps.demo.pdf_builder import build_pdf
from apps.demo.questions import DemoQuestion, demo_questions
from apps.demo.tenants import DEMO_TENANTS, MERIDIAN, NORTHLIGHT, DemoTenant
from apps.intents.baseline import baseline_snapshot
from apps.intents.classifier import classify_question
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.gate import gate
from apps.intents.instructions import core_question
from apps.intents.scoring import Vector

TENANTS = pytest.mark.parametrize("tenant", DEMO_TENANTS, ids=lambda tenant: tenant.slug)
QUESTIONS = [(tenant, question) for tenant in DEMO_TENANTS for question in demo_questions(tenant)]
ASKED = pytest.mark.parametrize(
    ("tenant", "question"), QUESTIONS, ids=[f"{tenant.slug}-{question.name}" for tenant, question in QUESTIONS]
)
BASELINE = baseline_snapshot()


def text_of(document: DemoDocument) -> str:
    if document.file_name.endswith(".pdf"):
        pdf = pypdfium2.PdfDocument(document.content)
        try:
            return "\n".join(page.get_textpage().get_text_range() for page in pdf)
        finally:
            pdf.close()
    if document.file_name.endswith(".docx"):
        word = Document(BytesIO(document.content))
        cells = [cell.text for table in word.tables for row in table.rows for cell in row.cells]
        return "\n".join([*(paragraph.text for paragraph in word.paragraphs), *cells])
    return document.content.decode()


def tokens(document: DemoDocument) -> Counter[str]:
    return Counter(re.findall(r"\w+(?:[.,]\d+)*", text_of(document)))


def named(tenant: DemoTenant, file_name: str) -> DemoDocument:
    return next(document for document in demo_documents(tenant) if document.file_name == file_name)


@pytest.fixture(scope="module")
def example_vectors() -> Vector:
    return provider_for("local", tenant_region="eu", tenant_strict=False).embed_documents(
        [example.text for example in BASELINE.examples]
    )


@TENANTS
def test_every_kind_is_there(tenant: DemoTenant) -> None:
    assert {document.kind for document in demo_documents(tenant)} == set(FUND_HOUSE)


@TENANTS
def test_every_format_is_there(tenant: DemoTenant) -> None:
    formats = {document.file_name.rsplit(".", 1)[1] for document in demo_documents(tenant)}
    assert formats == {"md", "html", "docx", "json", "csv", "pdf"}


@TENANTS
def test_every_document_lies_in_a_scope_of_the_firm(tenant: DemoTenant) -> None:
    keys = {tenant.root_scope_key, *(scope.key for scope in tenant.scopes)}
    assert {document.scope_key for document in demo_documents(tenant)} == keys


@TENANTS
def test_file_names_are_unique(tenant: DemoTenant) -> None:
    names = [document.file_name for document in demo_documents(tenant)]
    assert len(names) == len(set(names))


@TENANTS
def test_the_same_bytes_are_made_each_time(tenant: DemoTenant) -> None:
    assert demo_documents(tenant) == demo_documents(tenant)


@TENANTS
def test_the_two_quarters_share_most_of_their_words_and_differ_in_their_figures(tenant: DemoTenant) -> None:
    before, after = (tokens(named(tenant, f"quarterly-report-{year}-q4.md")) for year in (2023, 2024))
    assert (before & after).total() >= 0.75 * max(before.total(), after.total())
    for figure in ("drawdown", "net_return", "volatility", "benchmark_return", "positions", "incidents", "nav"):
        assert tenant.periods[2023][figure] != tenant.periods[2024][figure], figure


@TENANTS
def test_the_effects_of_an_attribution_add_up_to_the_difference(tenant: DemoTenant) -> None:
    for period in tenant.periods.values():
        effects = sum(float(period[f"{name}_effect"].split()[0]) for name in ("allocation", "selection", "currency"))
        returns = [float(period[name].split()[0]) for name in ("net_return", "benchmark_return", "excess_return")]
        assert round(effects, 2) == returns[2] == round(returns[0] - returns[1], 2)


@TENANTS
def test_a_quarters_report_is_published_on_the_day_that_it_names(tenant: DemoTenant) -> None:
    document = named(tenant, "quarterly-report-2024-q4.md")
    assert f"{document.published_on:%-d %B %Y}" in text_of(document)


@pytest.mark.parametrize(("tenant", "other"), [(MERIDIAN, NORTHLIGHT), (NORTHLIGHT, MERIDIAN)])
def test_what_only_one_firm_knows_stands_in_none_of_the_others_documents(tenant: DemoTenant, other: DemoTenant) -> None:
    everything = "\n".join(text_of(document) + repr(document.metadata) for document in demo_documents(other))
    assert [canary for canary in tenant.canaries if canary in everything] == []


@TENANTS
def test_every_canary_stands_in_the_firms_own_documents(tenant: DemoTenant) -> None:
    everything = "\n".join(text_of(document) for document in demo_documents(tenant))
    assert [canary for canary in tenant.canaries if canary not in everything] == []


def test_the_firms_documents_share_most_of_their_words() -> None:
    for ours, theirs in zip(demo_documents(MERIDIAN), demo_documents(NORTHLIGHT), strict=True):
        shared = (tokens(ours) & tokens(theirs)).total()
        assert shared >= 0.6 * max(tokens(ours).total(), tokens(theirs).total()), ours.file_name


def test_both_firms_hold_one_file_with_the_same_bytes() -> None:
    name = "castellan-airlines-annual-report-2024.pdf"
    assert named(MERIDIAN, name).content == named(NORTHLIGHT, name).content


def test_one_firm_is_strict_about_residency() -> None:
    assert [tenant.slug for tenant in DEMO_TENANTS if tenant.residency_strict] == ["northlight"]


@TENANTS
def test_records_are_valid_json(tenant: DemoTenant) -> None:
    for document in demo_documents(tenant):
        if document.file_name.endswith(".json"):
            assert len(json.loads(document.content)) >= 5


@TENANTS
def test_the_annual_report_has_its_capital_expenditure_on_page_three(tenant: DemoTenant) -> None:
    pdf = pypdfium2.PdfDocument(named(tenant, "castellan-airlines-annual-report-2024.pdf").content)
    try:
        assert "Purchases of property and equipment 389 512" in pdf[2].get_textpage().get_text_range()
    finally:
        pdf.close()


@TENANTS
def test_the_word_document_has_a_real_table(tenant: DemoTenant) -> None:
    word = Document(BytesIO(named(tenant, "methodology-risk.docx").content))
    assert word.tables[0].cell(1, 0).text == "Listed shares"


@TENANTS
def test_every_intent_is_asked_for(tenant: DemoTenant) -> None:
    assert {question.intent for question in demo_questions(tenant)} == {
        *(rule.name for rule in BASELINE.intents),
        "",
    }


@ASKED
def test_the_expected_quote_stands_in_the_expected_document(tenant: DemoTenant, question: DemoQuestion) -> None:
    if question.document:
        assert question.quote in text_of(named(tenant, question.document))
    else:
        assert question.quote == ""


@ASKED
def test_the_expected_document_is_of_a_permitted_kind(tenant: DemoTenant, question: DemoQuestion) -> None:
    if question.document:
        assert named(tenant, question.document).kind in question.kinds
    else:
        assert question.forbidden


@ASKED
def test_the_baseline_gives_a_question_its_intent_and_kinds(
    tenant: DemoTenant, question: DemoQuestion, example_vectors: Vector
) -> None:
    provider = provider_for("local", tenant_region="eu", tenant_strict=False)
    vector = None if question.provider_down else provider.embed_query(core_question(question.text).text)
    decision = classify_question(question.text, BASELINE, vector, example_vectors if vector is not None else None)
    assert (decision.intent, frozenset(gate(decision, BASELINE).permitted)) == (question.intent, question.kinds), (
        decision.reason
    )


@ASKED
def test_no_question_is_a_golden_example(tenant: DemoTenant, question: DemoQuestion) -> None:
    assert question.text not in {example.text for example in BASELINE.examples}


def test_a_pdf_page_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="page 1"):
        build_pdf("\n\n".join(["A line of text."] * 200))


@given(
    st.lists(st.text(st.characters(codec="cp1252", categories=["L", "N", "P"]), min_size=1, max_size=60), max_size=8)
)
def test_any_paragraphs_survive_reflowing(paragraphs: list[str]) -> None:
    plain = [text for text in paragraphs if not text.startswith(("#", "|", "-"))]
    read = blocks(reflow("\n\n".join(plain)))
    assert [block.text for block in read if isinstance(block, Paragraph)] == plain


def test_a_tables_rule_is_not_a_row() -> None:
    assert blocks("| a | b |\n| --- | --- |\n| 1 | 2 |") == (Table(rows=(("a", "b"), ("1", "2"))),)
