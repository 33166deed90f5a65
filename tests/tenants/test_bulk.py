"""Rows inserted by the hundred, without an object each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from apps.intents.models import IntentTerm, PolicyIntent
from apps.tenants.bulk import insert_rows
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.intents.steps import draft

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture
def intent(acme: Firm) -> Iterator[PolicyIntent]:
    """One of a draft, in the open scope, without terms."""
    with open_scope(tenant=acme.id, reason="a test"):
        found: PolicyIntent = draft().intents.order_by("position").first()
        found.terms.all().delete()
        yield found


def terms(intent: PolicyIntent, *texts: str) -> None:
    insert_rows(
        IntentTerm,
        tenant_id=intent.tenant_id,
        rows=[
            {"intent_id": intent.id, "text": text, "decisive": number == 2, "position": number}
            for number, text in enumerate(texts, start=1)
        ],
    )


def test_what_is_stored_is_what_was_given_in_its_order_by_one_query(intent: PolicyIntent) -> None:
    texts = ["net return", 'a "quote", a \\ and a {brace}', "%s für 10 %", "語"]
    with CaptureQueriesContext(connection) as queries:
        terms(intent, *texts)
    assert len(queries) == 1
    stored = list(IntentTerm.objects.filter(intent=intent).order_by("id"))
    assert [(each.text, each.position) for each in stored] == [(text, n) for n, text in enumerate(texts, start=1)]
    assert [each.decisive for each in stored] == [False, True, False, False]


def test_without_rows_nothing_is_asked(intent: PolicyIntent) -> None:
    with CaptureQueriesContext(connection) as queries:
        terms(intent)
    assert len(queries) == 0


@pytest.mark.parametrize("text", ["x" * 81, "a\0b"])
def test_what_the_column_does_not_hold_is_refused(intent: PolicyIntent, text: str) -> None:
    with pytest.raises(DataError), transaction.atomic():
        terms(intent, "kept out", text)
    assert not IntentTerm.objects.filter(intent=intent).exists()


def test_a_constraint_that_is_broken_is_told(intent: PolicyIntent) -> None:
    with pytest.raises(IntegrityError, match="intent_term_once"), transaction.atomic():
        terms(intent, "twice", "twice")


def test_another_tenants_rows_can_not_be_written(intent: PolicyIntent) -> None:
    other = make_firm("bolt")
    with pytest.raises(Exception, match="row-level security"), transaction.atomic():
        insert_rows(
            IntentTerm,
            tenant_id=other.id,
            rows=[{"intent_id": intent.id, "text": "theirs", "decisive": False, "position": 1}],
        )
