"""Which golden examples the desk shows: filters in the address, so that a view can be linked to, without a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode

from apps.intents.contracts import FALLBACK_NAME, UNRECOGNISED
from apps.intents.desk import Examination, ExampleOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskFilter:
    """expected, given: an intent's name, `unrecognised`, or empty for any. wrong: only those that go wrong."""

    expected: str = ""
    given: str = ""
    wrong: bool = False

    @property
    def active(self) -> bool:
        return bool(self.expected or self.given or self.wrong)

    def shown(self, examination: Examination) -> tuple[ExampleOutcome, ...]:
        return tuple(each for each in examination.outcomes if self._matches(each))

    def _matches(self, outcome: ExampleOutcome) -> bool:
        return (
            (not self.expected or intent_key(outcome.example.intent) == self.expected)
            and (not self.given or intent_key(outcome.decision.intent) == self.given)
            and not (self.wrong and outcome.right)
        )


def desk_filter(query: Mapping[str, str]) -> DeskFilter:
    """What an address asks for; a name that no intent has matches nothing."""
    return DeskFilter(
        expected=query.get("expected", ""), given=query.get("given", ""), wrong=bool(query.get("wrong", ""))
    )


def intent_key(intent: str) -> str:
    """An intent's name in an address; that of the unrecognised is not empty there."""
    return FALLBACK_NAME if intent == UNRECOGNISED else intent


def examples_address(number: int, *, expected: str, given: str | None = None) -> str:
    """The desk of a version, at the examples of one intent; with `given`, of one cell of the matrix."""
    query = {"version": str(number), "expected": intent_key(expected)}
    if given is not None:
        query["given"] = intent_key(given)
    return f"{reverse('admin:policy_desk')}?{urlencode(query)}#examples"
