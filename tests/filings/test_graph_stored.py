"""The graph comes with a document, goes with it, and is seen by whoever sees the document."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from apps.corpus.models import Document, Page
from apps.corpus.services.correct import document_correct
from apps.erasure.contracts import Target, TargetType
from apps.filings.models import EntityMention, Fact, Relation
from apps.filings.selectors import entities
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.ending import hold
from tests.corpus.ingesting import run
from tests.factories import Firm, make_firm, make_member
from tests.filings.held_graph import mentions, relations, take_in
from tests.filings.test_facts_stored import job_of

pytestmark = pytest.mark.django_db
MODELS = (EntityMention, Relation)


@pytest.fixture
def report(acme: Firm) -> Document:
    return take_in(acme)


def test_what_a_document_names_is_stored(acme: Firm, report: Document) -> None:
    held = {each.key for each in mentions(acme, document=report)}
    assert {"organisation:velden-cranes", "organisation:ostrava-hoists", "person:jane-doe", "location:de"} <= held


def test_we_are_the_company_of_the_documents_metadata(acme: Firm, report: Document) -> None:
    told = {(each.relation, each.subject_key, each.object_key) for each in relations(acme, document=report)}
    assert ("acquired", "organisation:velden-cranes", "organisation:ostrava-hoists") in told
    assert ("works_for", "person:jane-doe", "organisation:velden-cranes") in told


def test_every_mention_and_sentence_stands_where_it_says(acme: Firm, report: Document) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        pages = {page.number: page.text for page in Page.objects.filter(document=report)}
    held = mentions(acme, document=report)
    assert [" ".join(pages[each.page][each.char_start : each.char_end].split()) for each in held] == [
        each.name for each in held
    ]
    for each in relations(acme, document=report):
        # "We" is printed as that, and stored by the name of the company.
        names = {each.subject_name, each.object_name} - {report.company}
        assert all(name in pages[each.page][each.char_start : each.char_end] for name in names)


def test_a_correction_of_the_company_changes_who_we_are(acme: Firm, report: Document) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        corrected = document_correct(document_id=report.id, changes={"company": "Brno Winches Ltd."})
    run(acme, job_of(acme, corrected))
    subjects = {each.subject_key for each in relations(acme, document=corrected, relation="acquired")}
    assert subjects == {"organisation:brno-winches"}


def test_a_document_that_is_read_again_has_its_graph_once(acme: Firm, report: Document) -> None:
    before = len(mentions(acme)), len(relations(acme))
    assert take_in(acme).id == report.id
    assert (len(mentions(acme)), len(relations(acme))) == before


def test_who_lacks_the_scope_and_another_firm_see_nothing(acme: Firm, report: Document) -> None:
    ann = make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    bea = make_member(acme, "bea", Role.ANALYST, scopes=["fund:beta"])
    assert mentions(acme, ann)
    assert relations(acme, ann)
    assert mentions(acme, bea) == relations(acme, bea) == []
    bolt = make_firm("bolt")
    assert mentions(bolt) == relations(bolt) == []


def test_who_restricts_a_document_hides_its_graph(acme: Firm, report: Document) -> None:
    ann = make_member(acme, "ann", Role.ANALYST)
    dpo = make_member(acme, "dan", Role.DPO)
    hold(dpo, Target(type=TargetType.DOCUMENT, id=report.id))
    assert mentions(acme, ann) == relations(acme, ann) == []


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("act", ["update", "delete"])
def test_nobody_changes_the_graph_of_a_published_document(acme: Firm, report: Document, act: str, model: Any) -> None:
    ann = make_member(acme, "ann", Role.ANALYST)
    with open_scope(tenant=acme.id, principal=ann, reason="a test"):
        rows = model.objects.filter(document=report)
        with (
            pytest.raises(DatabaseError, match=r"as it is|by the job|denied"),
            transaction.atomic(),
        ):
            rows.update(page=7) if act == "update" else rows._raw_delete(rows.db)
    assert mentions(acme, document=report)
    assert relations(acme, document=report)


@pytest.mark.parametrize("model", [*MODELS, Fact])
@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker"])
def test_no_runtime_role_moves_a_row_to_another_document(acme: Firm, report: Document, model: Any, role: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_any_column_privilege(%s, %s, 'UPDATE')", [role, model._meta.db_table])
        assert cursor.fetchone() == (False,)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("role", [Role.ANALYST, Role.TENANT_ADMIN])
def test_nobody_adds_to_the_graph_of_a_published_document(acme: Firm, report: Document, model: Any, role: Role) -> None:
    who: Principal = make_member(acme, "ann", role)
    with open_scope(tenant=acme.id, reason="a test"):
        one = model.objects.filter(document=report).first()
    with open_scope(tenant=acme.id, principal=who, reason="a test"):
        one.pk, one.page, one.scope_id = None, 90, ScopeId(report.scope_id)
        if model is Relation:
            one.number = 9_000
        one._state.adding = True
        with pytest.raises(DatabaseError, match=r"kept as it is|written by the job"), transaction.atomic():
            one.save(force_insert=True)


def test_no_more_relations_are_read_than_are_shown(acme: Firm) -> None:
    others = ", ".join(f"{letter}{letter.lower()} Cranes Ltd." for letter in "ABCDEFGHIJKLMN")
    take_in(acme, 2021, text=f"Velden Cranes plc competes with {others}. Written in {{year}}.")
    with open_scope(tenant=acme.id, reason="a test"):
        keys = ["organisation:velden-cranes", *(f"organisation:{each * 2}-cranes" for each in "abcdef")]
        assert len(entities._read(entities._SQL["relations"], keys=keys, most=100)) > 10
        assert len(entities._read(entities._SQL["relations"], keys=keys, most=2)) == 4
        assert len(entities.relations_of(keys, most=2)) == 2
