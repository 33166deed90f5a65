"""The events of a run: AG-UI's types, ids to resume from, the same each time, and bounded streams."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ag_ui.core import EventType

from apps.research.errors import RunError
from apps.research.models import ResearchRun
from apps.research.runs import streaming
from apps.research.runs.events import place_of
from apps.research.runs.services import run_cancel
from apps.research.runs.streaming import Stream
from apps.tenants.principals import Principal
from tests.factories import Firm, as_
from tests.research.running import carry_out, person, request, researched


@pytest.fixture
def alice(house: Firm) -> Principal:
    return person(house, "alice")


class Clock:
    """Time that passes only while the stream waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.at: dict[float, Any] = {}

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds
        for moment in [each for each in self.at if each <= self.now]:
            self.at.pop(moment)()


def follow(run: ResearchRun, who: Principal, after: str = "", clock: Clock | None = None) -> list[bytes]:
    clock = clock or Clock()
    return list(Stream(run.id, who, place_of(after), clock=clock, wait=clock.wait))


def told(pieces: list[bytes]) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for piece in pieces:
        if piece.startswith(b"id: "):
            id_line, data_line = piece.decode().split("\n")[:2]
            found.append((id_line[4:], json.loads(data_line[6:])))
    return found


def test_a_run_that_has_ended_is_played_again_the_same_each_time(house: Firm, alice: Principal) -> None:
    run = researched(alice)
    first, second = follow(run, alice), follow(run, alice)
    assert first == second
    types = [event["type"] for _, event in told(first)]
    assert types[0] == EventType.RUN_STARTED
    assert types[-1] == EventType.RUN_FINISHED
    assert set(types) <= {each.value for each in EventType}
    names = [event["name"] for _, event in told(first) if event["type"] == EventType.CUSTOM]
    assert names[:2] == ["progress", "analysis"]
    assert {"iteration_search", "agent_decision", "iteration_complete", "result"} <= set(names)


def test_a_stream_resumes_after_any_event(house: Firm, alice: Principal) -> None:
    run = researched(alice)
    whole = told(follow(run, alice))
    for place, (id, _) in enumerate(whole):
        assert told(follow(run, alice, after=id)) == whole[place + 1 :]


@pytest.mark.parametrize("id", ["x", "1", "1.2.3", "-1.0", "9999999999.1", "1.1; DROP"])
def test_an_id_that_is_none_is_refused(house: Firm, alice: Principal, id: str) -> None:
    with pytest.raises(RunError, match="no id of an event"):
        place_of(id)


def test_a_stream_goes_on_while_the_run_does_and_ends_with_it(house: Firm, alice: Principal) -> None:
    run, clock = request(alice), Clock()
    clock.at = {1.0: lambda: carry_out(run)}
    types = [event["type"] for _, event in told(follow(run, alice, clock=clock))]
    assert types[-1] == EventType.RUN_FINISHED


def test_a_stream_without_news_has_a_heartbeat_and_ends_in_time(house: Firm, alice: Principal) -> None:
    run, clock = request(alice), Clock()
    pieces = follow(run, alice, clock=clock)
    assert pieces.count(streaming.HEARTBEAT) >= 3
    assert streaming.STREAM_SECONDS <= clock.now < streaming.STREAM_SECONDS + 3


def test_after_a_cancellation_no_event_comes_but_the_end(house: Firm, alice: Principal) -> None:
    run = request(alice)
    seen = told(follow(run, alice, clock=_late()))
    with as_(alice):
        run_cancel(run.id)
    rest = told(follow(run, alice, after=seen[-1][0]))
    assert [event["type"] for _, event in rest] == [EventType.CUSTOM, EventType.RUN_ERROR]
    assert rest[-1][1]["code"] == "cancelled"


def _late() -> Clock:
    clock = Clock()
    original = clock.wait

    def wait(seconds: float) -> None:
        original(seconds + 60)

    clock.wait = wait  # type: ignore[method-assign]
    return clock


def test_streams_at_once_have_a_limit_and_give_their_places_back(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "STREAMS_AT_ONCE", 1)
    run = researched(alice)
    first = Stream(run.id, alice, (0, 0))
    with pytest.raises(RunError, match="streams of events are open") as refused:
        Stream(run.id, alice, (0, 0))
    assert refused.value.status == 429
    first.close()
    assert b"12.5" in b"".join(Stream(run.id, alice, (0, 0)))


def test_no_connection_is_held_between_two_looks(
    house: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back: list[bool] = []
    monkeypatch.setattr(streaming, "release_connection", lambda: given_back.append(True))
    run, clock = request(alice), Clock()
    waits = 0
    original = clock.wait

    def wait(seconds: float) -> None:
        nonlocal waits
        waits += 1
        assert len(given_back) >= waits
        original(seconds)

    clock.wait = wait  # type: ignore[method-assign]
    follow(run, alice, clock=clock)
    assert waits > 5


def test_who_loses_access_meanwhile_gets_no_further_event(house: Firm, alice: Principal) -> None:
    from tests.research.test_runs import _close

    run, clock = request(alice), Clock()

    def close_and_go_on() -> None:
        carry_out(run)
        _close(house)

    clock.at = {1.0: close_and_go_on}
    pieces = follow(run, alice, clock=clock)
    assert b"12.5" not in b"".join(pieces)
