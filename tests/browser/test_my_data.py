"""What is held about oneself, in a browser: the page, the file, and the page within the file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from apps.audit.services import record
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, as_, make_member, make_personal_key

_QUESTION = "What was the drawdown of Alpha in the first quarter of 2024, and who looked at it?"


def test_a_person_takes_out_what_is_held_about_them_and_reads_it(
    acme: Firm, sign_in: Callable[[str], Page], tmp_path: Path
) -> None:
    alice = make_member(acme, "alice", Role.ANALYST, password=PASSWORD)
    make_personal_key(acme, "alice", role=Role.ANALYST)
    with as_(alice):
        record(
            action="retrieval.question.answered",
            core={"intent": "risk", "policy_version": 1, "stage_ms": {"analyse": 1.2, "fuse": 0.4}, "degradations": []},
            question={"text": _QUESTION, "length_chars": len(_QUESTION)},
            answer={"refusal": "", "grounding": "grounded", "context_chars": 4100},
            scopes=acme.scope_ids("fund:alpha"),
        )
    page = sign_in("alice")
    page.get_by_role("link", name="What is held about me").click()
    expect(page.get_by_role("heading", name="Download what Acme holds about you")).to_be_visible()
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.locator("html").evaluate("html => html.scrollWidth") <= 400
    with page.expect_download() as started:
        page.get_by_role("button", name="Download everything (ZIP)").press("Enter")
    path = tmp_path / "my-data.zip"
    started.value.save_as(path)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    page.goto((tmp_path / "my-data.html").as_uri())
    expect(page.get_by_text(_QUESTION)).to_be_visible()
    expect(page.get_by_text("End of the document.")).to_be_visible()
    assert page.locator("html").evaluate("html => html.scrollWidth") <= 400
