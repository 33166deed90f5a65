"""Whether a server answers, as this process last found out, so that calls do not each wait for a server that is down.

The first call that waits too long makes one thread check the server on a separate connection. Until it answers again,
every call fails at once. The check is repeated several times a second, so that calls continue as soon as it is back.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

logger = logging.getLogger("glassbox.reach")

# The pause between two checks of a server that is down.
_PAUSE_S: Final = 0.25
# After a server has answered, it is not checked again for this time.
_FRESH_S: Final = 1.0


class Reach:
    """The watch over one server.

    Args:
        name: for the log.
        answers: checks the server, within its own time limit; never raises because the server is down.
        lost: called once when the server is found down, by the checking thread.
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
        """Return whether calls should fail without trying."""
        return self._away.is_set()

    @property
    def is_lost(self) -> bool:
        """Return whether the server was checked and did not answer, so that running statements will not end either."""
        return self._is_lost

    def doubt(self) -> None:
        """Have the server checked because a call waits too long, unless it just answered. Returns at once."""
        if monotonic() - self._answered_at >= _FRESH_S:
            self._ask()

    def waited_in_vain(self) -> None:
        """Make other calls fail at once until the server answers, because one call waited in vain, and have it checked.

        If the server is up after all, this lasts only a moment.
        """
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
            # This thread must continue after any error, because no other thread reports that the server is back.
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
