"""A new officer makes the policy of a bank and insurer, by the words on the pages."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import ingest
from tests.factories import Firm, make_member


def test_packs_are_chosen_and_what_documents_need_is_kept(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    for number in range(3):
        ingest(acme, f"# Run {number}\n\nAll went well.".encode(), filename=f"run{number}.md", kind="run")
    page = sign_in("olivia")
    page.get_by_role("link", name="Drafts", exact=True).click()
    page.get_by_role("link", name="Begin from packs").click()
    page.get_by_label("Bank lending and KYC").check()
    page.get_by_label("Insurance").check()
    page.get_by_role("button", name="Show what they would change").click()
    expect(page.locator("#unreached")).to_contain_text("Past runs: 3 documents")
    page.get_by_label("Why is a new version wanted?").fill("We are a bank that insures.")
    page.get_by_label("Past runs: 3 documents").select_option(label="reached like Portfolio reports")
    page.get_by_role("button", name="Begin a draft of Bank lending and KYC and Insurance").click()
    expect(page.get_by_text("Draft begun, version 2")).to_be_visible()
    expect(page.get_by_label("Loan book may reach Past runs")).to_be_checked()
    with open_scope(tenant=acme.id, reason="a test"):
        made = version_snapshot(PolicyVersion.objects.get(number=2))
    assert (len(made.intents), len(made.kinds)) == (12, 16)
