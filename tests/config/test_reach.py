"""A server that is away: asked by one thread, until it answers, whatever the asking comes to."""

from __future__ import annotations

import threading

from config.reach import Reach
from tests.config.served import until


class Server:
    def __init__(self) -> None:
        self.is_there = True
        self.fails = False
        self.lost = 0
        self.asked = 0
        self._lock = threading.Lock()

    def answers(self) -> bool:
        with self._lock:
            self.asked += 1
        if self.fails:
            raise RuntimeError("nobody foresaw it")
        return self.is_there

    def drop(self) -> None:
        self.lost += 1
        raise RuntimeError("nor this")


def test_it_is_away_until_it_answers_and_what_was_left_is_given_up_once() -> None:
    server = Server()
    reach = Reach("a server", answers=server.answers, lost=server.drop)
    assert not reach.is_away
    server.is_there = False
    for _ in range(20):
        reach.doubt()
    until(lambda: reach.is_away, within_s=30)
    until(lambda: server.asked > 3, within_s=30)
    server.is_there = True
    until(lambda: not reach.is_away, within_s=30)
    assert server.lost == 1


def test_what_nobody_foresaw_does_not_end_the_asking() -> None:
    server = Server()
    reach = Reach("a server", answers=server.answers)
    server.fails = True
    reach.doubt()
    until(lambda: reach.is_away and server.asked > 2, within_s=30)
    server.fails = False
    until(lambda: not reach.is_away, within_s=30)


def test_after_one_waited_in_vain_nobody_else_does_until_it_answers() -> None:
    server = Server()
    asked = threading.Event()
    reach = Reach("a server", answers=lambda: asked.wait(30) and server.answers())
    reach.waited_in_vain()
    assert reach.is_away
    # What is under way is left alone: so far nobody asked.
    assert not reach.is_lost
    asked.set()
    until(lambda: not reach.is_away, within_s=30)


def test_one_that_just_answered_is_not_asked_again() -> None:
    server = Server()
    reach = Reach("a server", answers=server.answers)
    reach.doubt()
    until(lambda: server.asked == 1 and not reach._asking, within_s=30)
    for _ in range(50):
        reach.doubt()
    assert server.asked <= 2
