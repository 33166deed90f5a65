"""The stages that the Ask page shows while somebody waits."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from redis.exceptions import RedisError

from apps.corpus.providers import warming
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.retrieval.asking import QUESTION
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


def stages(visitor: Visitor, name: object) -> list[dict[str, str]]:
    found: list[dict[str, str]] = visitor.open("ask_progress", str(name)).response.json()["stages"]
    return found


def test_the_stages_of_a_question_are_told_to_who_asked_it(firm: Firm) -> None:
    make_member(firm, "amy", Role.ANALYST)
    make_member(firm, "ben", Role.ANALYST)
    amy, name = Visitor("amy"), uuid4()
    assert stages(amy, name) == []
    page = amy.send("ask", question=QUESTION, scopes=list(firm.scopes), progress=str(name))
    assert page.status == 302
    told = stages(amy, name)
    assert [each["title"] for each in told][:3] == ["Read the text", "Decide the intent", "Permit kinds"]
    assert QUESTION not in str(told)
    assert stages(Visitor("ben"), name) == []


@pytest.mark.parametrize("name", ["", "no name", "*", "x" * 500])
def test_without_a_name_the_form_works_as_ever(firm: Firm, name: str) -> None:
    make_member(firm, "amy", Role.ANALYST)
    assert Visitor("amy").send("ask", question=QUESTION, scopes=list(firm.scopes), progress=name).status == 302


def test_without_redis_the_question_is_answered(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    make_member(firm, "amy", Role.ANALYST)
    visitor, name = Visitor("amy"), uuid4()

    def away(*_: object, **__: object) -> None:
        raise RedisError

    for method in ("set", "get"):
        monkeypatch.setattr(cache, method, away)
    page = visitor.send("ask", question=QUESTION, scopes=list(firm.scopes), progress=str(name))
    assert page.status == 200
    assert "12.5 %" in page.text
    assert stages(visitor, name) == []


def test_who_may_not_ask_is_told_nothing(firm: Firm) -> None:
    make_member(firm, "ada", Role.AUDITOR)
    assert Visitor("ada").open("ask_progress", str(uuid4())).status == 403


def test_the_page_names_its_script(firm: Firm) -> None:
    make_member(firm, "amy", Role.ANALYST)
    page = Visitor("amy").open("ask")
    (field,) = page.tree.xpath("//input[@name='progress'][@form='ask-form']")
    assert field.get("value") == ""
    assert page.tree.xpath("//script[contains(@src, 'ask_progress')]")


def test_a_process_that_warms_up_says_so_in_a_line(
    firm: Firm, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    make_member(firm, "amy", Role.ANALYST)
    # The profile of these tests is a server's, for which nobody waits.
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        "local": {"backend": "sentence-transformers", "dimension": 384, "region": "eu"}
    }
    monkeypatch.setattr(warming, "LONGEST_WAIT_S", 0.05)
    warming._warmth.begin()
    try:
        page = Visitor("amy").send("ask", question=QUESTION, scopes=list(firm.scopes))
    finally:
        warming._warmth.end()
    assert (page.status, "warming up" in page.text) == (503, True)
