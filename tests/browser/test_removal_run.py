"""A second person approves a removal in a browser, and sees it come to its end without loading the page again."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.erasure.contracts import RunState
from apps.tenants.roles import Role
from tests.audit.acting import sealed
from tests.audit.removing import asked, carried_out, documents, proposed, stores_of_documents
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member


def test_a_reviewer_approves_and_watches(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "ralf", Role.REVIEWER, password=PASSWORD)
    held, *free = documents(acme, 3)
    parts = asked(acme, 2)
    sealed(acme)
    obstacle = lambda targets: {held: f"hold:{held.id}"} if held in targets else {}  # noqa: E731
    with stores_of_documents(obstacles=[obstacle]):
        run = proposed(acme, [held, *free, *parts])
        page = sign_in("ralf")
        page.goto(f"/admin/privacy/runs/{run.id}/")
        page.get_by_role("button", name="Approve, and remove 3 documents and 2 parts of events for good").click()
        expect(page.get_by_text("Approved. The removal is being carried out and can't be undone.")).to_be_visible()
        assert carried_out(acme, run) is RunState.EXECUTING
        expect(page.get_by_text("14 of 16 items removed")).to_be_visible()
        sealed(acme)
        assert carried_out(acme, run) is RunState.PARTIALLY_COMPLETED
        expect(page.get_by_text("Completed except for what is held")).to_be_visible()
        expect(page.get_by_role("heading", name="What must be kept")).to_be_visible()
