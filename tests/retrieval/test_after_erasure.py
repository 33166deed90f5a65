"""After an erasure every ranking, score, context, answer and count is that of a firm that never held the subject.

Acme asks everything before as well, in this process: what it remembers of the subject, it remembers while it is
compared. Then another process answers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase, override_settings
from pytest_django import DjangoDbBlocker

from apps.corpus.models import Document
from apps.erasure.personal_data.places import memories
from apps.filings.text.mentions import expression_pattern
from apps.tenants.context import open_scope
from tests.corpus.ingesting import remote_profile
from tests.model_server import ModelServer
from tests.retrieval.test_recording import places
from tests.retrieval.twins import (
    CANARIES,
    World,
    answered,
    erased,
    inventory,
    make_world,
    questions,
    targets,
)

CHECKOUT = Path(__file__).resolve().parents[2]
# What a process remembers of what it was asked (apps/erasure/personal_data/places.py). Whoever adds one asks here
# whether an answer may come from it.
MEMORIES: Final = frozenset(
    f"memory:{module}"
    for module in (
        "apps.audit.fast_leaves",
        "apps.audit.keys.data_keys",
        "apps.audit.log.export.s3",
        "apps.audit.webhooks.sending",
        "apps.corpus.extraction.numerals",
        "apps.privacy.people.normalise",
        "apps.privacy.people.variants",
        "apps.corpus.reader.process",
        "apps.corpus.reader.sandbox.seccomp",
        "apps.corpus.terms",
        "apps.corpus.tokens",
        "apps.filings.graph.named_concepts",
        "apps.filings.graph.organisations",
        "apps.filings.graph.places",
        "apps.filings.graph.regulations",
        "apps.filings.vocabulary.concepts",
        "apps.intents.matching",
        "apps.intents.profile.folding",
        "apps.intents.profile.matching",
        "apps.research.doors.mcp.asking",
        "apps.retrieval.api.changelog",
        "apps.retrieval.api.problem_types",
        "apps.retrieval.stages.question.jurisdiction_names",
        "apps.retrieval.stages.figures.calculating.asked_names",
        "apps.retrieval.stages.figures.lines",
        "apps.retrieval.stages.question.parsing",
        "apps.retrieval.stages.grounding.labels",
        "apps.retrieval.stages.grounding.moving_words",
        "apps.retrieval.stages.grounding.paraphrase",
        "apps.retrieval.stages.grounding.wording",
        "apps.retrieval.stages.quoting.headed",
        "apps.filings.text.mentions",
        "apps.tenants.api.media_types",
        "apps.tenants.api.probes",
        "apps.tenants.api.schema",
        "config.release",
    )
)
_ELSEWHERE: Final = """
import django, json, sys
django.setup()
from uuid import UUID
from django.test import override_settings
from apps.tenants.context import open_scope
from apps.tenants.models import Scope, Tenant
from tests.factories import Firm
from tests.retrieval.twins import answered, inventory
given = json.loads(sys.argv[1])
found = {}
with override_settings(GLASSBOX_EMBEDDING_PROFILES={"local": given["profile"]}):
    for slug, id in given["firms"].items():
        with open_scope(tenant=UUID(id), reason="a test"):
            firm = Firm(tenant=Tenant.objects.get(id=id), scopes={each.key: each for each in Scope.objects.all()})
        found[slug] = [answered(firm, text) for text in given["questions"]]
print(json.dumps(found))
"""


class Asked:
    """What Acme answered while it held the subject, and how the world stands since."""

    def __init__(self, world: World, server: ModelServer) -> None:
        self.world, self.server = world, server
        self.before = {text: world.told(world.acme, answered(world.acme, text)) for text in questions()}
        self.counted_before = inventory(world.acme)
        erased(world.acme, targets(world))


@pytest.fixture(scope="module")
def asked(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Asked]:
    with django_db_blocker.unblock(), ModelServer() as server:
        profile = {**settings.GLASSBOX_EMBEDDING_PROFILES, "local": remote_profile(server)}
        with override_settings(GLASSBOX_EMBEDDING_PROFILES=profile):
            try:
                yield Asked(make_world(), server)
            finally:
                TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
                connections.close_all()


@pytest.fixture
def world(asked: Asked, db: None) -> World:
    return asked.world


def differing(world: World, texts: list[str], *, as_of: datetime | None = None) -> list[str]:
    """Where two answers part, for each question whose answers do."""
    found = []
    for text in texts:
        acme, bolt = (world.told(firm, answered(firm, text, as_of=as_of)) for firm in world.firms)
        if acme != bolt:
            at = next(place for place, (a, b) in enumerate(zip(acme, bolt, strict=False)) if a != b)
            found.append(f"{text}: ...{acme[max(0, at - 90) : at + 60]} <> {bolt[max(0, at - 20) : at + 60]}")
    return found


def test_ids_that_break_ties_are_in_the_same_order(world: World) -> None:
    found = world.in_order(world.acme)
    assert found == world.in_order(world.bolt)
    assert len(found) > 30


@pytest.mark.slow
def test_while_it_was_there_the_subject_changed_answers(asked: Asked, world: World) -> None:
    """Else nothing would be shown below."""
    bolt = {text: world.told(world.bolt, answered(world.bolt, text)) for text in questions()}
    changed = [text for text in questions() if asked.before[text] != bolt[text]]
    assert len(changed) > len(bolt) / 2
    assert sum("Quokka" in text for text in asked.before.values()) > 5
    assert asked.counted_before != inventory(world.bolt)


@pytest.mark.slow
def test_everything_is_answered_as_by_a_firm_that_never_held_it(world: World) -> None:
    assert differing(world, questions()) == []
    assert inventory(world.acme) == inventory(world.bolt)


@pytest.mark.slow
def test_questions_as_of_an_instant_are_too(world: World) -> None:
    """Also as of when Acme held it: the versions of then are gone."""
    for instant in world.instants:
        assert differing(world, questions()[::9], as_of=instant) == []
        assert inventory(world.acme, as_of=instant) == inventory(world.bolt, as_of=instant)


def test_within_each_scope_the_same_is_found(world: World) -> None:
    for key in ("fund:alpha", "fund:beta"):
        found = []
        for firm in world.firms:
            with open_scope(tenant=firm.id, scopes=firm.scope_ids(key), reason="a test"):
                found.append(list(Document.objects.order_by("id").values_list("title", "company", "status")))
        assert found[0] == found[1]


def test_what_a_process_remembers_is_known_and_was_asked(world: World) -> None:
    assert memories() == MEMORIES
    # The subject's company is in it still; which changes no answer, as the test above shows, and ends with the process.
    assert expression_pattern.cache_info().currsize > 0


@pytest.mark.slow
def test_another_process_answers_alike(asked: Asked, world: World) -> None:
    texts = questions()[::5]
    given = {
        "profile": remote_profile(asked.server),
        "firms": {firm.tenant.slug: str(firm.id) for firm in world.firms},
        "questions": texts,
    }
    ran = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, json.dumps(given)],
        cwd=CHECKOUT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    found: dict[str, list[Any]] = json.loads(ran.stdout.splitlines()[-1])
    here = [world.told(world.acme, answered(world.acme, text)) for text in texts]
    for firm in world.firms:
        assert [world.told(firm, each) for each in found[firm.tenant.slug]] == here


@pytest.mark.slow
def test_no_word_of_it_is_left_in_any_table(world: World) -> None:
    assert {word: places(word) for word in CANARIES} == {word: [] for word in CANARIES}
