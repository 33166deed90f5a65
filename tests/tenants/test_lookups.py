"""Lookups of the ORM: many ids as one parameter."""

from __future__ import annotations

from uuid import uuid4

import pytest

from apps.tenants.context import open_scope
from apps.tenants.models import Scope
from tests.factories import make_firm

pytestmark = pytest.mark.django_db


def test_any_of_finds_what_in_finds_with_one_parameter() -> None:
    firm = make_firm(funds=("alpha", "beta", "gamma"))
    wanted = {firm.scopes["fund:alpha"].id, firm.scopes["fund:gamma"].id}
    with open_scope(tenant=firm.id, reason="a test"):
        assert set(Scope.objects.filter(id__any_of=wanted)) == set(Scope.objects.filter(id__in=wanted))
        assert not Scope.objects.filter(id__any_of=[]).exists()
        assert Scope.objects.exclude(id__any_of=wanted).count() == 2
        query = Scope.objects.filter(id__any_of=[uuid4() for _ in range(2_000)]).query
    _, parameters = query.sql_with_params()
    assert [len(each) for each in parameters if isinstance(each, list)] == [2_000]
    assert len(parameters) == 2, "the tenant, and the ids as one"
