"""What the Ask page shows while somebody waits for a model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, expect

from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_member
from tests.model_server import ModelServer
from tests.retrieval.test_model_calls import refs

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
SignIn = Callable[[str], Page]


@pytest.fixture
def writer() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def test_the_stages_appear_while_a_model_writes(
    acme: Firm, sign_in: SignIn, writer: ModelServer, settings: LazySettings
) -> None:
    go_on = threading.Event()

    def reply(body: Any) -> str:
        go_on.wait(60)
        return f'{{"answer": "The maximum drawdown was 12.5 %.", "ref_ids": ["{refs(body)[0]}"]}}'

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
    shown = page.get_by_role("region", name="On the way to the answer")
    expect(shown).to_be_hidden()
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    try:
        expect(shown).to_be_visible()
        expect(shown.get_by_role("listitem").filter(has_text="Build the context")).to_be_visible()
        expect(page.locator("#answer")).to_have_count(0)
    finally:
        go_on.set()
    expect(page.locator("#answer")).to_contain_text("12.5 %")
    expect(shown).to_be_hidden()
