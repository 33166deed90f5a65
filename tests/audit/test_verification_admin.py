"""The verification in the admin and over the API: said in words, loudly where it must be, to who may know."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from django.http import HttpResponse

from apps.audit.models import Event, Verification
from apps.audit.services import record
from apps.tenants.api import probes
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.audit.acting import as_worker, checkpointed, recorded, sealed
from tests.audit.verifying import request, run, stored, tampering, verified
from tests.baked import baked
from tests.factories import Firm, make_firm, make_key, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/api/v1/audit/verifications/"
HEALTH = "/api/v1/health/"


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path)
    cache.clear()
    firm = baked(make_firm, "acme")
    sealed(firm, 3)
    checkpointed(firm)
    return firm


@pytest.fixture
def ada(acme: Firm) -> Principal:
    return make_member(acme, "ada", Role.AUDITOR)


@pytest.fixture
def _fresh_health(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(probes, "WORKER_TIMEOUT_S", 0.05)
    probes._health.cache_clear()
    yield
    probes._health.cache_clear()


def part(page: Page, id: str) -> str:
    return " ".join(page.tree.xpath(f"string(//*[@id='{id}'])").split())


def body(answer: HttpResponse) -> Any:
    return json.loads(answer.content)


def altered(firm: Firm) -> None:
    with tampering() as connection:
        connection.execute(
            "UPDATE audit_event SET actor_kind = 'user' WHERE tenant_id = %s AND action = 'tenants.scope.created'",
            [firm.id],
        )


# --- The page ---------------------------------------------------------------------------------------------------------


def test_the_page_verifies_at_a_press_and_tells_the_result(acme: Firm, ada: Principal) -> None:
    visitor = Visitor("ada")
    page = visitor.open("audit_verification")
    assert "Not verified yet" in part(page, "result")
    assert "a checkpoint of" in part(page, "log")
    assert "audit export --tenant acme" in part(page, "independent")
    answer = visitor.send("audit_verification")
    assert (answer.status, answer.location) == (302, "/admin/audit/verification/#results")
    page = visitor.open("audit_verification")
    assert "Waiting for a worker" in part(page, "result")
    assert page.tree.xpath("//*[@id='results']/@data-fragment") == ["/admin/audit/verification/results/"]
    assert page.tree.xpath("//form[contains(@action, 'verification')]") == []
    with open_scope(tenant=acme.id, reason="a test"):
        asked = Verification.objects.get()
    run(asked)
    fragment = visitor.open("audit_verification_results")
    assert "The log is intact." in part(fragment, "result")
    assert "ada" in part(fragment, "result")
    assert fragment.tree.xpath("//*[@data-fragment-done]")
    page = visitor.open("audit_verification")
    assert page.tree.xpath("//*[@id='results']/@data-fragment") == []
    assert str(stored(asked).events) in part(page, "history")


def test_findings_are_told_by_class_with_what_to_do_and_where(acme: Firm, ada: Principal) -> None:
    altered(acme)
    with tampering() as connection:
        gone = connection.execute(
            "DELETE FROM audit_event WHERE id = (SELECT min(id::text)::uuid FROM audit_event) RETURNING id"
        ).fetchone()
    found = verified(acme, ada)
    visitor = Visitor("ada")
    page = visitor.open("audit_verification")
    assert "The log does not verify." in part(page, "result")
    assert "Events that were altered" in page.text
    assert "What to do now: Keep a copy of the database" in page.text
    first = next(each for each in found.findings["first"] if each["class"] == "ALTERED_EVENT")
    link = f"/admin/audit/event/{first['event']}/change/"
    assert link in page.links
    assert visitor.get(link).status_code == 200
    assert gone
    assert str(gone[0]) in page.response.content.decode()
    assert f"/admin/audit/event/{gone[0]}/change/" not in page.links


def test_a_reader_of_one_scope_gets_no_link_to_what_they_may_not_open(acme: Firm, ada: Principal) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        hidden = record(
            action="tenants.scope.created", core={"key": "x"}, scopes=[ScopeId(acme.scopes["fund:alpha"].id)]
        )
    sealed(acme)
    altered(acme)
    verified(acme, ada)
    make_member(acme, "bea", Role.AUDITOR, scopes=["fund:beta"])
    link = f"/admin/audit/event/{hidden.id}/change/"
    assert link in Visitor("ada").open("audit_verification").links
    assert link not in Visitor("bea").open("audit_verification").links


def test_a_failure_says_why_and_what_to_do(acme: Firm, ada: Principal, tmp_path: Path) -> None:
    latest = next(tmp_path.rglob("latest"))
    latest.write_text("nothing")
    asked = request(acme, ada)
    run(asked)
    page = Visitor("ada").open("audit_verification")
    assert "not signed by a key that is known here" in part(page, "result")
    assert "audit.checkpoint_not_trusted" in part(page, "history")


def test_a_run_whose_worker_is_gone_is_not_shown_as_running(acme: Firm, ada: Principal) -> None:
    request(acme, ada)
    with tampering() as connection:
        connection.execute("UPDATE audit_verification SET state = 'running', lease_until = now() - interval '1 minute'")
    page = Visitor("ada").open("audit_verification")
    assert "Interrupted" in part(page, "result")
    assert "Running" not in page.text


@pytest.mark.slow
@pytest.mark.parametrize("role", [Role.AUDITOR, Role.DPO, Role.COMPLIANCE_OFFICER, Role.REVIEWER])
def test_who_may_see_the_log_finds_it_in_the_sidebar_and_on_the_start_page(
    acme: Firm, ada: Principal, role: Role
) -> None:
    make_member(acme, "rita", role)
    visitor = Visitor("rita")
    start = visitor.open("index")
    assert "Not verified yet" in part(start, "log")
    assert "/admin/audit/verification/" in start.sidebar
    assert visitor.open("audit_verification").status == 200
    found = verified(acme, ada)
    assert "Verified: intact" in part(visitor.open("index"), "log")
    with tampering() as connection:
        connection.execute("UPDATE audit_verification SET started_by = NULL, night = %s", [date(2026, 1, 1)])
    assert "Verified last night: intact" in part(visitor.open("index"), "log")
    altered(acme)
    assert stored(found).state == "intact"
    verified(acme, ada)
    assert "The log does not verify." in part(visitor.open("index"), "log-alarm")


@pytest.mark.parametrize("role", [Role.ANALYST, Role.TENANT_ADMIN])
def test_who_may_not_is_shown_nothing_and_refused(acme: Firm, role: Role) -> None:
    make_member(acme, "ann", role)
    visitor = Visitor("ann")
    start = visitor.open("index")
    assert "/admin/audit/verification/" not in start.sidebar
    assert start.tree.xpath("//*[@id='log']") == []
    assert visitor.open("audit_verification").status == 403
    assert visitor.open("audit_verification_results").status == 403
    assert visitor.send("audit_verification").status == 403
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Verification.objects.exists()


# --- The API ----------------------------------------------------------------------------------------------------------


def test_the_api_starts_one_and_tells_what_came_of_it(acme: Firm, ada: Principal) -> None:
    key, secret = make_key(acme, Role.AUDITOR)
    api = Api(secret)
    answer = api.post(ADDRESS)
    asked = body(answer)
    assert (answer.status_code, asked["state"], asked["started_by"], asked["night"]) == (
        202,
        "waiting",
        str(key.id),
        None,
    )
    assert body(api.post(ADDRESS))["id"] == asked["id"]
    altered(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        run(Verification.objects.get())
    (found,) = body(api.get(ADDRESS))["results"]
    assert (found["id"], found["state"]) == (asked["id"], "findings")
    assert found["totals"]["ALTERED_EVENT"] == found["finding_count"] == len(found["findings"])
    assert found["findings"][0]["class"] == "ALTERED_EVENT"
    assert Api(make_key(acme, Role.ANALYST)[1]).post(ADDRESS).status_code == 403


def test_another_tenants_verifications_are_nobodys_business(acme: Firm, ada: Principal) -> None:
    verified(acme, ada)
    assert body(Api(make_key(make_firm("bolt"), Role.AUDITOR)[1]).get(ADDRESS))["results"] == []


# --- Health -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_fresh_health")
def test_health_tells_of_the_lag_and_of_findings_and_of_no_tenant(acme: Firm, ada: Principal) -> None:
    sealed(acme)
    verified(acme, ada)
    sealed(acme)

    def health() -> Any:
        probes._health.cache_clear()
        answer = Api().get(HEALTH)
        assert answer.status_code == 200
        assert "acme" not in answer.content.decode()
        assert str(acme.id) not in answer.content.decode()
        return body(answer)

    found = health()
    assert (found["checks"]["log"], found["checks"]["verification"]) == ("ok", "ok")
    assert found["log"]["verification_age_s"] in range(60)
    altered(acme)
    verified(acme, ada)
    assert health()["checks"]["verification"] == "failed"
    recorded(acme)
    with tampering() as connection:
        # An id that says that its event was recorded in 2020.
        connection.execute(
            "INSERT INTO audit_unsealed (tenant_id, event_id) VALUES (%s, '016f5e66-e800-7000-8000-000000000000')",
            [acme.id],
        )
    late = health()
    assert (late["status"], late["checks"]["log"]) == ("degraded", "failed")
    assert late["log"]["sealing_lag_s"] > 5


@pytest.mark.usefixtures("_fresh_health")
def test_health_tells_of_a_tenant_that_was_not_verified_for_long(acme: Firm) -> None:
    sealed(acme)
    assert body(Api().get(HEALTH))["checks"]["verification"] == "ok"
    probes._health.cache_clear()
    with tampering() as connection:
        connection.execute("UPDATE tenants_tenant SET created_at = created_at - interval '27 hours'")
    found = body(Api().get(HEALTH))
    assert (found["status"], found["checks"]["verification"]) == ("degraded", "failed")
    assert found["log"]["verification_age_s"] is None


def test_every_start_and_end_is_an_event(acme: Firm, ada: Principal) -> None:
    found = verified(acme, ada)
    with open_scope(tenant=acme.id, reason="a test"):
        told = list(Event.objects.filter(subject_id=found.id).order_by("id").values_list("action", "actor_label"))
    assert told[0] == ("audit.verification.requested", "ada")
    assert told[1][0] == "audit.verification.finished"
    with as_worker(), open_scope(tenant=acme.id, reason="a test"):
        assert Verification.objects.count() == 1
