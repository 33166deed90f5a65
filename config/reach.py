"""Whether a server answers, as this process last found out: while it does not, nobody waits for it one by one.

The first call that waits too long has it asked, on a connection of its own, by one thread. Until it answers again,
every call fails at once; it is asked anew several times a second, so that they go on as soon as it is back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

logger = logging.getLogger("glassbox.reach")

# Between two times that a server which is away is asked.
_PAUSE_S: Final = 0.25
# A server that answered was there then, and for so long nobody asks again.
_FRESH_S: Final = 1.0


class Reach:
    """Of one server.

    Args:
        name: for the log.
        answers: asks it, within limits of its own; never raises because it is away.
        lost: called once when it is found away, by the thread that asks.
    """

    def __init__(self, name: str, *, answers: Callable[[], bool], lost: Callable[[], None] = lambda: None) -> None:
        self._name = name
        self._answers = answers
        self._lost = lost
        self._lock = threading.Lock()
        self._asking = False
        self._answered_at = 0.0
        self._away = threading.Event()
        self._is_lost = False

    @property
    def is_away(self) -> bool:
        """Nobody need try."""
        return self._away.is_set()

    @property
    def is_lost(self) -> bool:
        """It was asked, and did not answer: what is under way there will not end either."""
        return self._is_lost

    def doubt(self) -> None:
        """Somebody waits longer than they should: have it asked, unless it just answered. Returns at once."""
        if monotonic() - self._answered_at >= _FRESH_S:
            self._ask()

    def waited_in_vain(self) -> None:
        """Somebody did: nobody else does, until it answers. Where it is there after all, that is a moment."""
        self._away.set()
        self._ask()

    def _ask(self) -> None:
        with self._lock:
            if self._asking:
                return
            self._asking = True
        threading.Thread(target=self._ask_until_it_answers, name=f"is {self._name} there", daemon=True).start()

    def _is_there(self) -> bool:
        try:
            return self._answers()
        except Exception:
            # Whatever it is, this thread must go on: nobody else says that the server is back.
            logger.exception("%s can't be asked", self._name)
            return False

    def _tell_lost(self) -> None:
        try:
            self._lost()
        except Exception:
            logger.exception("what was left of %s was not given up", self._name)

    def _ask_until_it_answers(self) -> None:
        pause = threading.Event()
        while not self._is_there():
            self._away.set()
            if not self._is_lost:
                self._is_lost = True
                logger.error("%s does not answer: requests that need it are refused until it does", self._name)
                self._tell_lost()
            pause.wait(_PAUSE_S)
        with self._lock:
            self._answered_at = monotonic()
            self._asking = False
            was_lost, self._is_lost = self._is_lost, False
            self._away.clear()
        if was_lost:
            logger.warning("%s answers again", self._name)
