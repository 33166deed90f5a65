"""The questions before a follow-up on the Ask page. The page holds the ids of their answers, and never their words.

So nothing is kept for it: the words come from where each answer is kept anyway, as long as it is, and only if the
person asked it themself and still holds its scopes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import HttpRequest
from django.utils.http import urlencode

from apps.retrieval.admin.ask_given import just_given
from apps.retrieval.admin.ask_links import answer_url
from apps.retrieval.admin.recent import recent_questions
from apps.retrieval.selectors.own_questions import own_questions
from apps.retrieval.stages.follow_ups.resolve import MOST_EARLIER
from apps.tenants.requests import principal_of
from apps.tenants.short_scopes import ShortScopes

FIELD: Final = "after"
NOT_KEPT: Final = (
    "The questions before this one are not kept any more, so a follow-up can't be read with them. Ask the question in "
    "full, or start anew."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierQuestion:
    """A question of one's own. url: of its answer's page, with the questions before it."""

    id: UUID
    text: str
    url: str


def ids_sent(values: Iterable[str]) -> tuple[UUID, ...]:
    """Return the ids of the answers before a follow-up, the latest last; what is no id is left out."""
    found = (_id(each) for each in values)
    return tuple(dict.fromkeys(each for each in found if each is not None))[-MOST_EARLIER:]


def earlier_questions(request: HttpRequest, page: ShortScopes, ids: Sequence[UUID]) -> tuple[EarlierQuestion, ...]:
    """Return the questions of these answers, the latest last, from the latest back to the first that is not known.

    Call it outside of any scope: each is looked up in Redis, too. Costs: as a page of "My questions".
    """
    if not ids:
        return ()
    with page.open():
        events = list(own_questions(principal_of(request)).filter(id__in=ids))
        words = {line.event.id: line.question for line in recent_questions(events, may_open=False)}
    found: list[EarlierQuestion] = []
    for place in reversed(range(len(ids))):
        id = ids[place]
        text = _words(request, id, words[id]) if id in words else ""
        if not text:
            # With a gap, a follow-up could be read with a question that it does not mean.
            break
        found.append(EarlierQuestion(id=id, text=text, url=answer_url_after(id, ids[:place])))
    return tuple(reversed(found))


def answer_url_after(event_id: UUID, ids: Sequence[UUID]) -> str:
    """Return the address of an answer's page that knows the questions before it."""
    after = urlencode([(FIELD, str(each)) for each in ids])
    return f"{answer_url(event_id)}?{after}" if after else answer_url(event_id)


def _words(request: HttpRequest, id: UUID, kept: str) -> str:
    if kept:
        return kept
    given, _ = just_given(request, id)
    return given.content.question if given else ""


def _id(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
