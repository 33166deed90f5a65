"""Documents are selected in the list and filed as another kind, once what that changes was read."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member


def test_selected_documents_are_filed_as_another_kind(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "alice", Role.ANALYST, password=PASSWORD)
    for number in range(2):
        run(acme, ingest(acme, f"# Run {number}\n\nAll went well.".encode(), filename=f"run{number}.md").job)
    page = sign_in("alice")
    page.goto("/admin/corpus/document/")
    page.locator("#action-toggle").check()
    page.locator("select[name=action]").select_option("refile")
    page.get_by_role("button", name="Run").click()
    page.get_by_label("File them as").select_option("methodology")
    page.get_by_role("button", name="Show what changes").click()
    expect(page.locator("#moves")).to_contain_text("Questions of Performance reach them no longer.")
    page.get_by_role("button", name="File them as Methodology").click()
    expect(page.get_by_text("2 documents are being read anew as Methodology")).to_be_visible()
