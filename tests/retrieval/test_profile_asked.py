"""Questions under a profile that two people have put in force: what the page shows, and what the log keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings

from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_member
from tests.intents.profile.rules import ATLAS, PAST, TAX
from tests.intents.reviewing import submitted, wider
from tests.model_server import ModelServer
from tests.retrieval.asking import QUESTION, ask, events, make_acme
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


def approved(firm: Firm, *rules: ProfileRule) -> None:
    author = make_member(firm, "olivia", Role.COMPLIANCE_OFFICER)
    reviewer = make_member(firm, "rupert", Role.REVIEWER)
    version = submitted(author, lambda snapshot: replace(wider(snapshot), profile=rules))
    with as_(reviewer):
        version_approve(version.id)


def test_a_question_that_is_refused_is_recorded_by_the_rules_key_and_never_by_its_words(server: ModelServer) -> None:
    acme = make_acme()
    approved(acme, TAX, replace(PAST, intents=()))
    page = ask(Visitor("alice"), "What is your advice on taxes?")
    assert "refuses the topic “Tax advice”. Ask the tax desk." in page.text
    assert "advice on taxes" in page.text  # the way says by which words
    (event,) = events(acme)
    core = event.__dict__["payload"]["core"]
    assert core["profile_rules"] == {"question": ["tax_advice:refused"]}
    assert "taxes" not in json.dumps(core)
    assert event.__dict__["payload"]["answer"]["refusal"] == "profile_refused"
    assert event.__dict__["payload"]["passages"]["hits"] == []


def test_an_answer_shows_its_disclaimer_and_what_it_falls_under(server: ModelServer) -> None:
    acme = make_acme()
    flagging = replace(
        ATLAS,
        key="drawdown",
        name="Drawdowns",
        terms=("maximum drawdown",),
        in_question=InQuestion.ALLOW,
        in_answer=InAnswer.FLAG,
    )
    approved(acme, flagging, replace(PAST, intents=()))
    page = ask(Visitor("alice"), QUESTION)
    assert "Past performance promises no future returns." in page.text
    assert "compliance profile excludes by the product “Drawdowns”" in page.text
    (event,) = events(acme)
    core = event.__dict__["payload"]["core"]
    assert core["profile_rules"] == {"answer": ["drawdown:flagged"], "disclaimers": ["past_performance"]}
