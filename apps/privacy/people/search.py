"""Search all texts that the open scope shows for a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from apps.audit.services import record
from apps.corpus.events import PERSON_SEARCHED
from apps.corpus.redaction.errors import NobodyDescribedError
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import SearchedText, TextLocation
from apps.erasure.registry import searched, searched_of
from apps.privacy.people.contracts import Match, Mention, PersonDescription, Progress
from apps.privacy.people.matching import Matcher
from apps.tenants.context import current_scope, renew_scope, tenant_scope_ids
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission

_PROGRESS_EVERY = 500  # texts: under a second
_RENEWED_EVERY_S = 20.0
_EXCERPT_CHARS = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemHits:
    """All mentions in one thing: a document with its pages, a group of an event, an account, a row of another table.

    store, item_id: those of the first mention; they identify the thing where it has no target.
    """

    target: Target | None
    store: str
    item_id: UUID
    mentions: tuple[Mention, ...]

    @property
    def confidence(self) -> float:
        return max(mention.confidence for mention in self.mentions)

    @property
    def is_certain(self) -> bool:
        return any(mention.is_certain for mention in self.mentions)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Excerpt:
    """The current text around a mention. It is made for a screen and never stored."""

    before: str
    found: str
    after: str


class PersonSearch:
    """A running search. Iterate it once, in the scope in which it was begun.

    The system's scope is renewed for as long as the search takes. A user's scope ends after a minute, and ends the
    search; therefore the worker runs the search of a request (apps/privacy/inventory/runner.py).

    missing_scopes: how many of the tenant's scopes the open scope does not cover. If there are any, the result is
        incomplete.
    unreadable: how many texts so far could not be read, such as a damaged group of an event.
    """

    def __init__(self, person: PersonDescription, *, minimum: float, progress: Progress | None) -> None:
        context = current_scope()
        self.missing_scopes = len(tenant_scope_ids(context.tenant_id) - context.scope_ids)
        self.total = sum(source.count() for source in searched())
        self.done = 0
        self.unreadable = 0
        self._matcher = Matcher(person)
        self._minimum = minimum
        self._progress = progress
        self._is_renewed = context.principal.kind is PrincipalKind.SYSTEM
        self._renewed_at = monotonic()

    def __iter__(self) -> Iterator[ItemHits]:
        held: list[Mention] = []
        texts: list[SearchedText] = []  # the texts of the current document
        for source in searched():
            for text in source.texts():
                self._count(text)
                if texts and texts[0].place.target != text.place.target:
                    held += self._beside(texts, held)
                    texts = []
                if held and _thing(held[0].place) != _thing(text.place):
                    yield _hits(held)
                    held = []
                held += [each for each in mentions_in(self._matcher, text) if each.confidence >= self._minimum]
                if text.place.target is not None and text.place.target.type is TargetType.DOCUMENT:
                    texts.append(text)
        held += self._beside(texts, held)
        if held:
            yield _hits(held)
        self.total = self.done
        if self._progress:
            self._progress(self.done, self.total)

    def _beside(self, texts: Sequence[SearchedText], held: Sequence[Mention]) -> list[Mention]:
        if not any(mention.is_certain for mention in held):
            return []
        beside = mentions_beside(self._matcher, texts, held)
        return [each for each in beside if each.confidence >= self._minimum]

    def _count(self, text: SearchedText) -> None:
        self.done += 1
        self.unreadable += text.text is None
        if self.done % _PROGRESS_EVERY:
            return
        if self._is_renewed and monotonic() - self._renewed_at >= _RENEWED_EVERY_S:
            renew_scope()
            self._renewed_at = monotonic()
        if self._progress:
            self._progress(self.done, max(self.total, self.done))


def mentions_in(matcher: Matcher, text: SearchedText) -> list[Mention]:
    return [_mention(text.place, match) for match in matcher.find(text.text or "")]


def mentions_beside(matcher: Matcher, texts: Sequence[SearchedText], found: Sequence[Mention]) -> list[Mention]:
    """Return the weak hints of the person in a document's texts that do not overlap a mention already found.

    Call this only for a document that has a certain mention.
    """
    known: dict[TextLocation, list[Mention]] = defaultdict(list)
    for mention in found:
        known[mention.place].append(mention)
    return [
        _mention(text.place, match)
        for text in texts
        for match in matcher.beside(text.text or "")
        if all(match.end <= each.char_start or each.char_end <= match.start for each in known[text.place])
    ]


def person_search(
    *, person: PersonDescription, minimum_confidence: float = 0.0, progress: Progress | None = None
) -> PersonSearch:
    """Begin a search for a person in all registered texts, and record an event about it.

    Every text is checked. Only texts without any word or number like the person's are skipped after a quick check.

    Args:    minimum_confidence: leave out matches below it. 0.2 leaves out family names that follow another given name
             or initial, or that are in lower case.
             progress: called with (texts done, approximate total) now and then.
    Returns: the search, to be iterated in this scope: hits by thing, with the things of one store together.
    Raises:  PermissionDeniedError; NobodyDescribedError: nothing to look for.
    Costs:   all texts of the scope once over the connection; one to two minutes of one core for 100,000
             pages, the longer the commoner the name.
    """
    context = current_scope()
    context.principal.require(Permission.PRIVACY_MANAGE)
    if not any(person.counts.values()):
        raise NobodyDescribedError
    search = PersonSearch(person, minimum=minimum_confidence, progress=progress)
    # Record the event before anything is read, so that every search for a person is in the log, whatever comes of it.
    record(
        action=PERSON_SEARCHED,
        core={**person.counts, "texts": search.total, "missing_scopes": search.missing_scopes},
    )
    return search


def excerpt_of(mention: Mention, *, around: int = _EXCERPT_CHARS) -> Excerpt | None:
    """Read a mention again with the text around it; return None where the text is gone or shorter now.

    Args: around: characters on either side, at most.
    """
    text = searched_of(mention.place.store).text_of(mention.place)
    if text is None or mention.char_end > len(text):
        return None
    return Excerpt(
        before=text[max(0, mention.char_start - around) : mention.char_start],
        found=text[mention.char_start : mention.char_end],
        after=text[mention.char_end : mention.char_end + around],
    )


def _mention(place: TextLocation, match: Match) -> Mention:
    return Mention(
        place=place,
        char_start=match.start,
        char_end=match.end,
        how=match.how,
        matched=match.matched,
        confidence=match.confidence,
        is_certain=match.is_certain,
    )


def _thing(place: TextLocation) -> object:
    return place.target or (place.store, place.item_id)


def _hits(mentions: list[Mention]) -> ItemHits:
    place = mentions[0].place
    return ItemHits(target=place.target, store=place.store, item_id=place.item_id, mentions=tuple(mentions))
