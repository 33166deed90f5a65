"""What the Ask page shows while somebody waits for a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, expect

from apps.corpus.providers import warming
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.baked import baked
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_member
from tests.model_server import ModelServer
from tests.retrieval.asking import make_acme
from tests.retrieval.test_model_calls import refs

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
SignIn = Callable[[str], Page]
_NOTES = """
() => {
    const section = document.getElementById("ask-progress");
    new MutationObserver(() => {
        if (!section.hidden && section.textContent.includes("Build the context")) {
            console.info("shown: Build the context");
        }
    }).observe(section, { attributes: true, childList: true, subtree: true });
}
"""


@pytest.fixture
def writer() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def test_the_stages_appear_while_a_model_writes(
    acme: Firm, sign_in: SignIn, writer: ModelServer, settings: LazySettings
) -> None:
    def reply(body: Any) -> str:
        # Until the page has asked for the stages once more than they take to end.
        assert seen.wait(60)
        return f'{{"answer": "The maximum drawdown was 12.5 %.", "ref_ids": ["{refs(body)[0]}"]}}'

    seen = threading.Event()
    writer.reply_with(reply, reply)
    settings.GLASSBOX_GENERATION_PROFILES = {
        **settings.GLASSBOX_GENERATION_PROFILES,
        "chat": {"backend": "openai", "region": "eu", "model": "chat", "base_url": writer.base_url},
    }
    make_member(acme, "alice", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    run(acme, ingest(acme, REPORT).job)
    with open_scope(tenant=acme.id, reason="a test"):
        Tenant.objects.filter(id=acme.id).update(generation_profile="chat", residency_strict=False)
    page = sign_in("alice")
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_be_focused()
    shown = page.get_by_role("region", name="On the way to the answer")
    expect(shown).to_be_hidden()
    page.evaluate(_NOTES)
    page.on("console", lambda said: seen.set() if said.text == "shown: Build the context" else None)
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click(no_wait_after=True)
    # The browser's driver looks at no page that is about to be left, so the page itself says what it shows.
    page.wait_for_event("console", lambda said: said.text == "shown: Build the context")
    expect(page.locator("#answer")).to_contain_text("12.5 %")
    expect(shown).to_be_hidden()


def test_a_question_that_came_too_early_is_asked_again(sign_in: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "LONGEST_WAIT_S", 0.05)
    # It embeds on this machine.
    make_member(baked(make_acme), "asker", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    page = sign_in("asker")
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_be_focused()
    warming._warmth.begin()
    try:
        page.get_by_label("Your question").fill(QUESTION)
        page.get_by_role("button", name="Ask").click()
        expect(page.get_by_role("alert")).to_contain_text("is warming up")
        expect(page.get_by_text("This page asks again by itself in a moment.")).to_be_visible()
    finally:
        warming._warmth.end()
    expect(page.locator("#answer")).to_be_visible()
