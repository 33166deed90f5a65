"""Evaluation runs in a browser: two are chosen and compared from the keyboard, and nothing needs a wide screen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_member
from tests.quality.evaluation.runs import made


@pytest.fixture
def ann(acme: Firm, sign_in: Callable[[str], Page]) -> Page:
    run(acme, ingest(acme, REPORT).job)
    made(acme, passes=False)
    made(acme, passes=True, sparse_top_k=60)
    make_member(acme, "ann", Role.ANALYST, password=PASSWORD)
    return sign_in("ann")


def test_somebody_compares_two_runs_and_reads_the_question_that_changed(ann: Page) -> None:
    ann.get_by_role("link", name="Evaluation runs").click()
    expect(ann.get_by_role("img", name="Answered rightly")).to_be_visible()
    ann.get_by_label("Before").focus()
    ann.get_by_role("button", name="Compare these two runs").press("Enter")
    main = ann.locator("#main")
    expect(main).to_contain_text("Questions that changed 1")
    expect(main).to_contain_text("Better")
    ann.locator("#main .gb-about a").first.click()
    expect(main).to_contain_text("Failures 1")


def test_the_pages_fit_a_narrow_screen(ann: Page) -> None:
    ann.set_viewport_size({"width": 400, "height": 800})
    ann.goto("/admin/quality/runs/")
    addresses = [ann.url]
    ann.get_by_role("button", name="Compare these two runs").click()
    addresses.append(ann.url)
    ann.locator("#main a[href*='/quality/runs/0']").first.click()
    addresses.append(ann.url)
    for address in addresses:
        ann.goto(address)
        assert ann.locator("html").evaluate("html => html.scrollWidth") <= 400, address
