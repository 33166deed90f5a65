"""PATCH of a document: what is wrong is said field by field, and what was searchable becomes the next version."""

from __future__ import annotations

from typing import Any

import pytest

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import PROBLEM, Api
from tests.api.conftest import KeyMaker, ready_document
from tests.factories import Firm

pytestmark = pytest.mark.django_db


def address(document: Document | str) -> str:
    return f"/api/v1/documents/{document if isinstance(document, str) else document.id}/"


def recorded(firm: Firm) -> list[str]:
    """The fields that each correction names."""
    with open_scope(tenant=firm.id, reason="a test"):
        events = Event.objects.filter(action="corpus.document.corrected")
        return [event.payload["core"]["fields"] for event in events]


def test_what_was_searchable_becomes_the_next_version(analyst: Api, acme: Firm) -> None:
    made = ready_document(acme, title="Ahpla", company="Acme")
    response = analyst.patch(address(made), {"title": "Alpha", "fiscal_year": 2024, "jurisdictions": ["eu"]})
    body = response.json()
    assert (response.status_code, response["Location"]) == (202, address(body["id"]))
    assert (body["title"], body["company"], body["fiscal_year"]) == ("Alpha", "Acme", 2024)
    assert (body["jurisdictions"], body["version"], body["series_id"]) == (["EU"], 2, str(made.series_id))
    assert body["job"]["status"] == "pending"
    assert analyst.get(address(made)).json()["title"] == "Ahpla"
    assert recorded(acme) == ["fiscal_year,jurisdictions,title"]


def test_what_was_not_is_corrected_where_it_is(analyst: Api) -> None:
    uploaded = analyst.upload(title="Ahpla", company="Acme").json()
    response = analyst.patch(address(uploaded["id"]), {"title": "Alpha", "company": ""})
    body = response.json()
    assert (response.status_code, body["id"], body["title"], body["company"]) == (200, uploaded["id"], "Alpha", "")


@pytest.mark.parametrize("changes", [{}, {"company": "Acme"}, {"company": "Acme", "ticker": "", "fiscal_year": None}])
def test_what_is_so_already_makes_no_version(analyst: Api, acme: Firm, changes: dict[str, Any]) -> None:
    made = ready_document(acme, company="Acme")
    response = analyst.patch(address(made), changes)
    assert (response.status_code, response.json()["id"], response.json()["version"]) == (200, str(made.id), 1)
    assert recorded(acme) == []


def test_the_scope_is_refused_with_what_to_do(analyst: Api, acme: Firm) -> None:
    made = ready_document(acme)
    response = analyst.patch(address(made), {"scope": "fund:beta", "company": "Acme"})
    assert (response.status_code, list(response.json()["errors"])) == (400, ["scope"])
    [said] = response.json()["errors"]["scope"]
    assert "followed by move/" in said


def test_the_kind_is_corrected_with_the_rest(analyst: Api, acme: Firm) -> None:
    made = ready_document(acme)
    response = analyst.patch(address(made), {"kind": "schedule", "company": "Acme"})
    body = response.json()
    assert (response.status_code, body["kind"], body["company"], body["version"]) == (202, "schedule", "Acme", 2)
    assert recorded(acme) == ["company,kind"]
    uploaded = analyst.upload().json()
    changed = analyst.patch(address(uploaded["id"]), {"kind": "schedule"})
    assert (changed.status_code, changed.json()["id"], changed.json()["kind"]) == (200, uploaded["id"], "schedule")
    unknown = analyst.patch(address(uploaded["id"]), {"kind": "bakery"})
    assert (unknown.status_code, list(unknown.json()["errors"])) == (400, ["kind"])


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"fiscal_quarter": 2, "fiscal_year": None}, "fiscal_quarter"),
        ({"jurisdictions": ["Mars"]}, "jurisdictions"),
        ({"title": "\u200b"}, "title"),
        ({"title": None}, "title"),
        ({"valid_from": "2026-01-01"}, "valid_from"),
        ({"language": "eng"}, "language"),
    ],
)
def test_what_can_t_be_is_named(analyst: Api, acme: Firm, changes: dict[str, Any], field: str) -> None:
    response = analyst.patch(address(ready_document(acme)), changes)
    assert (response.status_code, response["Content-Type"]) == (400, PROBLEM)
    assert list(response.json()["errors"]) == [field]


def test_a_field_that_is_sent_twice_is_refused(analyst: Api, acme: Firm) -> None:
    response = analyst.client.patch(
        address(ready_document(acme)),
        '{"title": "Alpha", "title": "Beta"}',
        content_type="application/json",
        headers={"authorization": f"Bearer {analyst.key}"},
    )
    assert (response.status_code, list(response.json()["errors"])) == (400, ["title"])


def test_what_was_changed_since_is_not_corrected(analyst: Api) -> None:
    there = address(analyst.upload(title="Ahpla").json()["id"])
    tag = analyst.get(there)["ETag"]
    assert analyst.patch(there, {"company": "Acme"}, if_match=tag).status_code == 200
    refused = analyst.patch(there, {"company": "Other"}, if_match=tag)
    assert (refused.status_code, refused.json()["code"]) == (412, "api.precondition_failed")
    assert analyst.get(there).json()["company"] == "Acme"


def test_what_is_sent_again_with_its_key_makes_one_version(analyst: Api, acme: Firm) -> None:
    made = ready_document(acme, title="Ahpla")
    first, second = (analyst.patch(address(made), {"title": "Alpha"}, idempotency_key="once") for _ in range(2))
    assert first.json() == second.json()
    assert (second.status_code, second["Idempotent-Replayed"], second["Location"]) == (202, "true", first["Location"])
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.filter(series_id=made.series_id).count() == 2


def test_an_older_version_is_not_corrected(analyst: Api, acme: Firm) -> None:
    made = ready_document(acme, title="Ahpla")
    analyst.patch(address(made), {"title": "Alpha"})
    refused = analyst.patch(address(made), {"company": "Acme"})
    assert (refused.status_code, refused.json()["code"]) == (409, "corpus.not_current")


def test_the_external_id_of_another_document_is_refused_beside_its_field(analyst: Api, acme: Firm) -> None:
    ready_document(acme, b"Another text.", external_id="x-1")
    refused = analyst.patch(address(ready_document(acme)), {"external_id": "x-1"})
    assert (refused.status_code, refused.json()["code"]) == (409, "corpus.external_id_taken")
    assert list(refused.json()["errors"]) == ["external_id"]


def test_who_may_not_add_documents_corrects_none(auditor: Api, acme: Firm) -> None:
    refused = auditor.patch(address(ready_document(acme)), {"company": "Acme"})
    assert (refused.status_code, refused.json()["data"]["permission"]) == (403, "document.add")


def test_what_is_in_another_scope_is_not_there(key: KeyMaker, acme: Firm) -> None:
    made = ready_document(acme)
    beta = key(Role.ANALYST, "fund:beta")
    theirs, none = (
        beta.patch(address(each), {"kind": "run"}) for each in (made, "0" * 8 + "-0000-7000-8000-" + "0" * 12)
    )
    assert theirs.status_code == none.status_code == 404
