"""The access centre on histories that the real services made, against what the real gates answered in each moment.

The gates are asked while the history is made (live_story.py), and the register only at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from django.conf import LazySettings

from apps.intents.access.register.asking import Asked, Form, Register, register_ask
from apps.intents.access.register.contracts import Mode
from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.factories import as_, make_firm
from tests.intents.live_gates import Gates, name_of, told
from tests.intents.live_story import STEPS, Story
from tests.model_server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def story(request: pytest.FixtureRequest, settings: LazySettings, transactional_db: None) -> Iterator[Story]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
        firm = baked(make_firm, "acme")
        made = Story(firm=firm, random=Random(request.param), gates=Gates(firm=firm))
        made.begin()
        yield made


@pytest.mark.parametrize("story", range(2), indirect=True)
def test_of_each_moment_the_access_centre_tells_what_the_gates_answered_then(story: Story) -> None:
    # Each step once, in a random order, and some of them again.
    steps = [*STEPS, *story.random.choices(STEPS, k=6)]
    story.random.shuffle(steps)
    for name in steps:
        story.step(name)
    story.wait()
    story.look()
    compared = 0
    for met in story.met:
        everybody = ask(story, since=met.at)
        assert {name_of(each.subject): told(each.cell) for each in everybody.spans} == met.reach, met.at
        for document in story.random.sample(sorted(met.opened), min(3, len(met.opened))):
            names = met.opened[document]
            one = ask(story, since=met.at, document=str(document))
            spans = {name_of(each.subject): each.cell for each in one.spans}
            assert {name for name, cell in spans.items() if cell.opens} == names, (document, met.at)
            assert {name for name, cell in spans.items() if cell.asks} == met.found[document], (document, met.at)
            compared += len(names)
    assert compared > 60
    for _ in range(8):
        one, other = sorted(story.random.sample(story.met, 2), key=lambda met: met.at)
        changes = ask(story, mode=Mode.CHANGES, since=one.at, until=other.at).changes
        differ = {name for name in one.reach | other.reach if one.reach.get(name) != other.reach.get(name)}
        assert {name_of(each.subject) for each in changes} == differ, (one.at, other.at)


def ask(story: Story, **question: Any) -> Register:
    with as_(story.people["ada"]):
        return register_ask(Asked(**question), form=Form.PAGE)
