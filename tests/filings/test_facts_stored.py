"""Facts come with a document, go with it, and are seen by whoever sees the document."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, transaction

from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, IngestJob, Page
from apps.corpus.services.correct import document_correct
from apps.erasure.contracts import Target, TargetType
from apps.filings.models import Fact
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.audit.ending import hold
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_firm, make_member
from tests.filings.held import facts, take_in
from tests.filings.reports import YEARS

pytestmark = pytest.mark.django_db


@pytest.fixture
def report(acme: Firm) -> Document:
    return take_in(acme, 2024)


def test_the_figures_of_a_report_are_its_facts(acme: Firm, report: Document) -> None:
    revenue = facts(acme, document=report, concept="revenue")
    assert [(fact.fiscal_year, int(fact.value)) for fact in revenue] == [
        (year, YEARS[year].revenue * 1_000_000) for year in (2024, 2023)
    ]
    assert {(fact.unit, fact.currency, fact.months, fact.company) for fact in revenue} == {
        ("money", "USD", 12, report.company)
    }


def test_every_fact_stands_where_it_says(acme: Firm, report: Document) -> None:
    held = facts(acme, document=report)
    assert held
    with open_scope(tenant=acme.id, reason="a test"):
        pages = {page.number: page.text for page in Page.objects.filter(document=report)}
    assert [pages[fact.page][fact.cell_start : fact.cell_end] for fact in held] == [fact.printed for fact in held]
    assert all(fact.label in pages[fact.page][fact.row_start : fact.row_end] for fact in held)


def test_a_document_without_figures_has_no_facts(acme: Firm) -> None:
    made = ingest(acme)
    assert run(acme, made.job) is RunOutcome.SUCCEEDED
    assert facts(acme, document_id=made.document.id) == []


def test_a_correction_has_facts_of_its_own_under_the_new_name(acme: Firm, report: Document) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        corrected = document_correct(document_id=report.id, changes={"company": "Velden Holding"})
    run(acme, job_of(acme, corrected))
    assert {fact.company for fact in facts(acme, document=corrected)} == {"Velden Holding"}
    assert {fact.company for fact in facts(acme, document=report)} == {report.company}


def job_of(firm: Firm, made: Document) -> IngestJob:
    with open_scope(tenant=firm.id, reason="a test"):
        found: IngestJob = IngestJob.objects.get(document=made)
        return found


def test_who_lacks_the_scope_sees_no_fact(acme: Firm, report: Document) -> None:
    ann = make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    bea = make_member(acme, "bea", Role.ANALYST, scopes=["fund:beta"])
    assert facts(acme, ann, document=report)
    assert facts(acme, bea) == []


def test_another_firm_sees_no_fact(acme: Firm, report: Document) -> None:
    assert facts(make_firm("bolt")) == []


def test_who_restricts_a_document_hides_its_facts(acme: Firm, report: Document) -> None:
    ann = make_member(acme, "ann", Role.ANALYST)
    dpo = make_member(acme, "dan", Role.DPO)
    hold(dpo, Target(type=TargetType.DOCUMENT, id=report.id))
    assert facts(acme, ann) == []


@pytest.mark.parametrize("act", ["update", "delete"])
def test_nobody_changes_the_facts_of_a_published_document(acme: Firm, report: Document, act: str) -> None:
    ann = make_member(acme, "ann", Role.ANALYST)
    with open_scope(tenant=acme.id, principal=ann, reason="a test"):
        rows = Fact.objects.filter(document=report)
        with (
            pytest.raises(DatabaseError, match=r"as it is|by the job|denied"),
            transaction.atomic(),
        ):
            rows.update(printed="1") if act == "update" else rows._raw_delete(rows.db)
    assert facts(acme, document=report)


def test_nobody_adds_a_fact_to_a_published_document(acme: Firm, report: Document) -> None:
    ann = make_member(acme, "ann", Role.ANALYST)
    (one, *_) = facts(acme, document=report)
    with open_scope(tenant=acme.id, principal=ann, reason="a test"):
        one.pk, one.number, one.scope_id = None, 9_000, ScopeId(report.scope_id)
        one._state.adding = True
        with pytest.raises(DatabaseError, match=r"kept as it is|written by the job"), transaction.atomic():
            one.save(force_insert=True)


def test_a_document_that_is_read_again_has_its_facts_once(acme: Firm, report: Document) -> None:
    before = len(facts(acme, document=report))
    again = take_in(acme, 2024)
    assert again.id == report.id
    assert len(facts(acme)) == before


def test_a_figure_whose_sum_does_not_hold_is_marked(acme: Firm) -> None:
    wrong = take_in(acme, 2024, misprint=300)
    marked = facts(acme, document=wrong, check_result="failed")
    assert "total assets" in {fact.concept for fact in marked}
    assert all(fact.check_detail for fact in marked)


def test_the_figures_of_a_report_whose_sums_hold_pass(acme: Firm, report: Document) -> None:
    held = {fact.concept: fact.check_result for fact in facts(acme, document=report)}
    assert held["total assets"] == held["gross profit"] == "passed"
    assert "failed" not in held.values()
