"""A client that asks for what changed since loses nothing: not what commits late, nor what shares an instant."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from apps.corpus.models import Document, IngestJob
from apps.tenants.context import open_scope
from tests.api.client import Api
from tests.api.conftest import ready_document
from tests.corpus.ingesting import ingest, long_report, run
from tests.factories import Firm

EVER = "1970-01-01T00:00:00Z"


def since(api: Api, instant: str, path: str = "/api/v1/documents/", **params: Any) -> tuple[list[dict[str, Any]], str]:
    """Everything that changed, page after page, and the instant to ask from next."""
    answer = api.get(path, {"updated_since": instant, **params}).json()
    rows = answer["results"]
    while answer["next"] is not None:
        assert answer["next_since"] is None
        answer = api.get(answer["next"].removeprefix("http://testserver")).json()
        assert answer["previous"] is None
        rows += answer["results"]
    return rows, answer["next_since"]


class TestInOneTransaction:
    pytestmark = pytest.mark.django_db

    def test_what_changed_comes_in_the_order_of_its_changes(self, analyst: Api, acme: Firm) -> None:
        first, second = (analyst.upload(f"# Note {number}".encode()).json()["id"] for number in (1, 2))
        rows, next_since = since(analyst, EVER)
        assert [row["id"] for row in rows][-2:] == [first, second]
        assert [row["updated_at"] for row in rows] == sorted(row["updated_at"] for row in rows)
        assert since(analyst, next_since)[0] == []
        analyst.patch(f"/api/v1/documents/{first}/", {"company": "Acme"})
        rows, last = since(analyst, next_since)
        assert [(row["id"], row["company"]) for row in rows] == [(first, "Acme")]
        assert last > next_since

    @pytest.mark.parametrize("instant", ["0001-01-01T00:00:00Z", "1289-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    def test_any_instant_may_be_asked_from(self, analyst: Api, instant: str) -> None:
        assert analyst.get("/api/v1/documents/", {"updated_since": instant}).status_code == 200

    def test_a_document_that_becomes_ready_and_one_that_is_replaced_have_changed(
        self, analyst: Api, acme: Firm
    ) -> None:
        made = ingest(acme, title="Alpha", external_id="x-1")
        _, after = since(analyst, EVER)
        run(acme, made.job)
        rows, after = since(analyst, after)
        assert [(row["id"], row["status"]) for row in rows] == [(str(made.document.id), "ready")]
        newer = ingest(acme, b"Another text.", external_id="x-1")
        run(acme, newer.job)
        rows, _ = since(analyst, after)
        assert {(row["id"], row["status"]) for row in rows} == {
            (str(made.document.id), "superseded"),
            (str(newer.document.id), "ready"),
        }

    def test_a_job_changes_as_it_gets_on_and_not_with_its_lease(self, analyst: Api, acme: Firm) -> None:
        made = ingest(acme, long_report(3))
        _, after = since(analyst, EVER, "/api/v1/jobs/")
        with open_scope(tenant=acme.id, reason="a test"):
            IngestJob.objects.filter(id=made.job.id).update(lease_owner="w", lease_until=None)
        rows, after = since(analyst, after, "/api/v1/jobs/")
        assert rows == []
        run(acme, made.job)
        rows, _ = since(analyst, after, "/api/v1/jobs/")
        assert [(row["id"], row["status"]) for row in rows] == [(str(made.job.id), "succeeded")]

    def test_filters_hold_as_well(self, analyst: Api, acme: Firm) -> None:
        ready_document(acme, kind="schedule")
        analyst.upload()
        rows, _ = since(analyst, EVER, kind="schedule")
        assert {row["kind"] for row in rows} == {"schedule"}

    @pytest.mark.parametrize(
        ("params", "field"),
        [
            ({"updated_since": EVER, "sort": "title"}, "sort"),
            ({"updated_since": EVER, "cursor": "bm90aGluZw=="}, "cursor"),
            ({"updated_since": EVER, "cursor": "cD0yMDI2LTAxLTAx"}, "cursor"),
            ({"updated_since": EVER, "page_size": "0"}, "page_size"),
            ({"updated_since": "yesterday"}, "updated_since"),
        ],
    )
    def test_what_can_t_be_heeded_is_refused(self, analyst: Api, params: dict[str, str], field: str) -> None:
        response = analyst.get("/api/v1/documents/", params)
        assert (response.status_code, list(response.json()["errors"])) == (400, [field])

    def test_a_list_without_it_is_as_ever(self, analyst: Api) -> None:
        analyst.upload()
        answer = analyst.get("/api/v1/documents/", {"sort": "created_at"}).json()
        assert answer["next_since"] is None
        assert answer["results"]

    def test_when_it_changed_is_the_database_s_to_say(self, analyst: Api, acme: Firm) -> None:
        there = analyst.upload().json()
        with open_scope(tenant=acme.id, reason="a test"):
            Document.objects.filter(id=there["id"]).update(updated_at="2020-01-01T00:00:00Z")
            assert Document.objects.get(id=there["id"]).updated_at.isoformat() == told(there["updated_at"])
            Document.objects.filter(id=there["id"]).update(company="Acme", updated_at="2020-01-01T00:00:00Z")
            assert Document.objects.get(id=there["id"]).updated_at.isoformat() > told(there["updated_at"])


def told(instant: str) -> str:
    return datetime.fromisoformat(instant).isoformat()
