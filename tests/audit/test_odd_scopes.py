"""Attacks that bring something home: events that are let through, and that no log can hold."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from django.db import DatabaseError

from apps.audit.models import Event
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import sealed, verified_log
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "correct horse battery"


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def planted(firm: Firm, shape: str) -> None:
    """An event of an analyst's, whose scopes are written as no others are; everything else is as it should be."""
    ann = make_member(firm, "ann", Role.ANALYST)
    alpha = firm.scopes["fund:alpha"].id
    scopes: dict[str, list[Any]] = {"nested": [[alpha]], "twice": [alpha, alpha], "nested twice": [[alpha, alpha]]}
    with contextlib.suppress(DatabaseError), as_(ann):
        record(action="retrieval.question.answered", core={"intent": "performance"}, scopes=scopes[shape])


@pytest.mark.parametrize("shape", ["nested", "twice", "nested twice"])
def test_the_log_stays_whole_however_an_events_scopes_are_written(acme: Firm, shape: str) -> None:
    planted(acme, shape)
    with open_scope(tenant=acme.id, reason="a test"):
        record(action="retrieval.question.answered", core={"intent": "performance"})
    sealed(acme)
    report = verified_log(acme)
    assert list(report.findings) == []


@pytest.mark.parametrize("shape", ["nested", "nested twice"])
def test_the_list_of_events_opens_however_an_events_scopes_are_written(acme: Firm, shape: str) -> None:
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)
    planted(acme, shape)
    ada = Visitor("ada")
    assert ada.get("/admin/audit/event/").status_code == 200
    with open_scope(tenant=acme.id, reason="a test"):
        ids = list(Event.objects.filter(action="retrieval.question.answered").values_list("id", flat=True))
    for each in ids:
        assert ada.get(f"/admin/audit/event/{each}/change/").status_code == 200
