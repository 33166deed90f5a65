"""Whoever uploads files is shown what each looks like, and chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member


def test_each_chosen_file_is_told_with_its_reasons_and_nothing_is_chosen_by_itself(
    acme: Firm, sign_in: Callable[[str], Page], tmp_path: Path
) -> None:
    make_member(acme, "alice", Role.ANALYST, password=PASSWORD)
    page = sign_in("alice")
    page.goto("/admin/corpus/document/add/")
    told, untold = tmp_path / "fund-profile-alpha.md", tmp_path / "scan_12.md"
    told.write_text("# Profile of the Alpha fund\n\n## Benchmark and fees\n\nDealing is daily.\n", encoding="utf-8")
    untold.write_text("Good morning.", encoding="utf-8")
    page.locator("input[name=uploads]").set_input_files([told, untold])
    choose = page.get_by_role("button", name="Choose Fund profiles")
    expect(choose).to_be_visible()
    expect(page.locator(".gb-suggestions")).to_contain_text("Its file name has “fund”, “profile”")
    expect(page.locator(".gb-suggestions")).to_contain_text("scan_12.md: no kind stands out.")
    kind = page.locator("select[name=kind]")
    expect(kind).to_have_value("")
    choose.click()
    expect(kind).to_have_value("fund_profile")
