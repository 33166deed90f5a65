"""What models took and cost, counted from the log: the figures, the page, the file and the address."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.reporting.contracts import Period, Step
from apps.audit.services import record
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.retrieval.services.ask import ask
from apps.retrieval.services.unknown_ends import END_UNKNOWN
from apps.retrieval.usage.contracts import Figures
from apps.retrieval.usage.counting import model_usage
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_key, make_member, make_user
from tests.model_script import Fault
from tests.model_server import ModelServer
from tests.retrieval.asking import QUESTION, events, make_acme
from tests.retrieval.test_model_calls import right
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/api/v1/usage/models/"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def firm(server: ModelServer, settings: LazySettings) -> Firm:
    found = baked(make_acme)
    settings.GLASSBOX_GENERATION_PROFILES = {
        "chat": {
            "backend": "openai",
            "region": "eu",
            "model": "chat",
            "base_url": server.base_url,
            "price": "1/1000000 EUR",
        },
        "extractive": {"backend": "extractive", "region": "eu"},
    }
    with open_scope(tenant=found.id, reason="a test"):
        Tenant.objects.filter(id=found.id).update(generation_profile="chat", residency_region="eu")
    return found


@pytest.fixture
def amy(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


@pytest.fixture
def ada(firm: Firm) -> Principal:
    return make_member(firm, "ada", Role.AUDITOR)


def today() -> Period:
    day = datetime.now(UTC).date()
    return Period(first=day, last=day, step=Step.DAY, until=timezone.now())


def asked(principal: Principal) -> None:
    ask(text=QUESTION, principal=principal)


@pytest.fixture(autouse=True)
def _answers(server: ModelServer) -> None:
    """Each question takes one request: what the model says stands."""
    server.reply_with(*[right] * 3)


def total(principal: Principal) -> Figures:
    with as_(principal):
        return model_usage(today()).total


def test_requests_tokens_and_cost_are_counted_by_intent(
    firm: Firm, amy: Principal, ada: Principal, server: ModelServer
) -> None:
    server.reset()
    server.reply_with("not json at all", "no json again")
    asked(amy)
    with as_(ada):
        usage = model_usage(today())
    ((sort, figures),) = usage.lines
    assert (sort.tenant, sort.intent, sort.profile, sort.model) == ("acme", "performance", "chat", "chat")
    assert (figures.requests, figures.repeated, figures.failed) == (2, 1, 1)
    # One token in the model's reply is one euro here; the server says 4 words and 3.
    assert (figures.output_tokens, figures.costs) == (7, {"EUR": Decimal(7)})
    assert figures.mean_first_byte_ms is not None
    assert (usage.looked.total, usage.looked.looked_at, usage.looked.whole) == (2, 2, True)


def test_without_a_price_no_cost_is_told_and_never_nothing(
    firm: Firm, amy: Principal, ada: Principal, settings: LazySettings
) -> None:
    settings.GLASSBOX_GENERATION_PROFILES["chat"]["price"] = ""
    asked(amy)
    figures = total(ada)
    assert (figures.unpriced, figures.costs, figures.cost_told) == (1, {}, "no price set")
    settings.GLASSBOX_GENERATION_PROFILES["chat"]["price"] = "0/1 USD"
    asked(amy)
    assert total(ada).cost_told.endswith("USD; no price set for 1")


def test_what_failed_cost_nobody_knows_how_much(
    firm: Firm, amy: Principal, ada: Principal, server: ModelServer
) -> None:
    server.fail_with(Fault.ERROR_500)
    asked(amy)
    figures = total(ada)
    assert (figures.failed, figures.unstated, figures.cost_told) == (1, 1, "not known")


def test_an_end_that_came_after_it_was_given_up_counts_once(firm: Firm, amy: Principal, ada: Principal) -> None:
    asked(amy)
    with open_scope(tenant=firm.id, reason="a test"):
        (called,) = Event.objects.filter(action=CALLED)
        for after in ("given up", "recorded after all"):
            core = {"profile": "chat", "model": "chat", "code": END_UNKNOWN if after == "given up" else ""}
            record(action=RETURNED, core=core, subject_type="event", subject_id=called.id, scopes=called.scope_ids)
    assert total(ada).unknown_ends == 0


def test_only_the_newest_are_counted_and_that_is_said(firm: Firm, amy: Principal, ada: Principal) -> None:
    asked(amy)
    asked(amy)
    with as_(ada):
        usage = model_usage(today(), limit=1)
    assert (usage.total.requests, usage.looked.total, usage.looked.whole) == (1, 2, False)


def test_who_may_not_read_the_log_counts_nothing(amy: Principal) -> None:
    with as_(amy), pytest.raises(PermissionDeniedError):
        model_usage(today())


def test_requests_of_scopes_that_a_reader_lacks_are_not_counted(firm: Firm, amy: Principal) -> None:
    asked(amy)
    narrow = make_member(firm, "nia", Role.AUDITOR, scopes=["fund:beta"])
    assert total(narrow).requests == 0


def test_the_page_shows_the_figures_and_the_download_is_recorded(firm: Firm, amy: Principal, ada: Principal) -> None:
    asked(amy)
    page = Visitor("ada").open("model_usage")
    assert page.status == 200
    assert "EUR" in page.text
    assert "performance" in page.text
    assert "Every tenant" not in page.text
    made = Visitor("ada").send("model_usage")
    assert made.response["Content-Type"] == "text/csv; charset=utf-8"
    header, line = made.response.content.decode().splitlines()
    assert header.startswith("Day,Tenant,Made for,Provider,Model,Requests,")
    assert line.split(",")[1:6] == ["acme", "performance", "chat", "chat", "1"]
    assert [each.payload["core"]["table"] for each in events(firm, "audit.report.exported")] == ["model_usage"]


def test_an_analyst_has_no_such_page(amy: Principal) -> None:
    assert Visitor("amy").open("model_usage").status == 403


def test_every_tenant_is_for_who_runs_the_platform_alone(firm: Firm, amy: Principal, ada: Principal) -> None:
    asked(amy)
    other = make_firm("other")
    make_member(other, "otto", Role.AUDITOR)
    assert "acme" not in Visitor("otto").open("model_usage", all="1").text
    make_user("root", superuser=True)
    make_member(other, "root", Role.AUDITOR)
    assert "acme" not in Visitor("root").open("model_usage").text
    assert "acme" in Visitor("root").open("model_usage", all="1").text


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("from=2026-02-01&to=2026-01-01", "from"),
        ("from=2020-01-01&to=2026-01-01", "from"),
        ("from=yesterday", "from"),
        ("to=0001-01-01", "to"),
        ("days=3", "days"),
    ],
)
def test_a_period_that_is_none_is_refused(firm: Firm, query: str, field: str) -> None:
    _, key = make_key(firm, Role.AUDITOR)
    response = Api(key).get(f"{ADDRESS}?{query}")
    assert (response.status_code, list(response.json()["errors"])) == (400, [field])


def test_a_program_gets_the_same_figures(firm: Firm, amy: Principal) -> None:
    asked(amy)
    _, key = make_key(firm, Role.AUDITOR)
    _, analysts = make_key(firm, Role.ANALYST)
    assert Api(analysts).get(ADDRESS).status_code == 403
    day = datetime.now(UTC).date()
    body = Api(key).get(f"{ADDRESS}?from={day}&to={day}").json()
    assert (body["from"], body["to"], body["requests"], body["examined"]) == (str(day), str(day), 1, 1)
    (line,) = body["lines"]
    assert (line["intent"], line["profile"], line["costs"][0]["currency"]) == ("performance", "chat", "EUR")
    assert Decimal(line["costs"][0]["amount"]) == line["output_tokens"] > 0
    before = day - timedelta(days=1)
    assert Api(key).get(f"{ADDRESS}?from={before}&to={before}").json()["lines"] == []
