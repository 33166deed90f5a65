"""The impact preview in a browser: it moves by itself until it is done, and then keeps still."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.intents.fund_house import FundHouse
from apps.quality.impact.runner import impact_run
from apps.quality.models import PolicyImpact
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, as_, make_member
from tests.quality.impacting import asked, draft_of, with_kinds

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"


def test_an_officer_has_the_impact_of_a_draft_computed_and_watches_it(
    acme: Firm, sign_in: Callable[[str], Page]
) -> None:
    run(acme, ingest(acme, REPORT, title="Alpha Fund, fourth quarter").job)
    olivia = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    asked(olivia, QUESTION)
    draft = draft_of(olivia, with_kinds("performance", FundHouse.FUND_PROFILE, FundHouse.SCHEDULE))

    page = sign_in("olivia")
    page.get_by_role("link", name="Evaluation questions").click()
    page.get_by_role("link", name="Add a question").click()
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_label("Document that answers it").fill("Alpha Fund, fourth quarter")
    page.get_by_label("Pages").fill("1")
    page.get_by_role("button", name="Add the question").click()
    expect(page.locator("#main")).to_contain_text(QUESTION)

    page.goto(f"/admin/policy/versions/{draft.id}/impact/page/")
    impact = page.locator("#impact")
    impact.get_by_role("button", name="Compute the impact").press("Enter")
    expect(impact).to_contain_text("Waiting for a worker")
    with as_(olivia):
        row = PolicyImpact.objects.get()
    impact_run(impact_id=row.id, tenant_id=acme.id)
    # Nobody touches the page: it finds out by itself.
    expect(impact).to_contain_text("Recall on 1 evaluation question: 1.00 before, 0.00 after")
    expect(impact).to_contain_text("loses Past runs")

    later: list[str] = []
    page.on("request", lambda request: later.append(request.url))
    page.wait_for_timeout(2_000)
    assert later == []
