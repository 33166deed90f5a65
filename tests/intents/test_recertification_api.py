"""Recertifications over the API: begun and closed by a person's key, read by auditors, decided by no key."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.tenants.models import User
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.factories import Firm, make_firm, make_key, make_member, make_personal_key

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/recertifications/"


@pytest.fixture
def officer(acme: Firm) -> Api:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "wanda", Role.DPO)
    make_member(acme, "olga", Role.COMPLIANCE_OFFICER)
    return Api(make_personal_key(acme, "olga", role=Role.COMPLIANCE_OFFICER)[1])


def body(**more: Any) -> dict[str, Any]:
    wanda = User.objects.get_by_natural_key("wanda")
    due = (timezone.now() + timedelta(days=9)).isoformat()
    return {"owners": [str(wanda.id)], "due_at": due, "roles": ["analyst"], **more}


def test_an_officers_key_begins_reminds_and_closes(acme: Firm, officer: Api) -> None:
    made = officer.post(ADDRESS, body())
    assert made.status_code == 201
    id = made.json()["id"]
    assert made["Location"] == f"{ADDRESS}{id}/"
    shown = Api(make_key(acme, Role.AUDITOR)[1]).get(f"{ADDRESS}{id}/").json()
    (item,) = shown["items"]
    assert (item["holder"], item["scope"], item["decision"], shown["state"]) == ("ann", "fund:alpha", "", "open")
    assert officer.post(f"{ADDRESS}{id}/remind/").json()["reminded_at"]
    closed = officer.post(f"{ADDRESS}{id}/close/").json()
    assert (closed["state"], closed["waiting"], closed["confirmed"]) == ("closed", 1, 0)
    assert officer.post(f"{ADDRESS}{id}/close/").status_code == 409


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"owners": ["00000000-0000-7000-8000-000000000000"]}, "owners"),
        ({"due_at": "2020-01-01T00:00:00Z"}, "due_at"),
        ({"scopes": ["fund:gamma"]}, "scopes"),
        ({"roles": ["king"]}, "roles.0"),
    ],
)
def test_a_wrong_field_is_told_in_its_place(officer: Api, more: dict[str, Any], field: str) -> None:
    refused = officer.post(ADDRESS, body(**more))
    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == [field]


def test_a_key_that_acts_for_nobody_begins_nothing(acme: Firm, officer: Api) -> None:
    refused = Api(make_key(acme, Role.COMPLIANCE_OFFICER)[1]).post(ADDRESS, body())
    assert refused.status_code == 403
    assert officer.get(ADDRESS).json() == []


def test_who_has_no_part_in_it_and_another_tenant_see_none(acme: Firm, officer: Api) -> None:
    id = officer.post(ADDRESS, body()).json()["id"]
    for stranger in (make_key(acme, Role.ANALYST)[1], make_key(make_firm("bolt"), Role.AUDITOR)[1]):
        assert Api(stranger).get(ADDRESS).json() == []
        assert Api(stranger).get(f"{ADDRESS}{id}/").status_code == 404
