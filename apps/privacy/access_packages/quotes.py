"""The quotes of a package: the confirmed places of a request, and the words around each as far as they are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from apps.erasure.contracts import TargetType
from apps.erasure.declarations.searched import TextLocation
from apps.erasure.holds.items import describe
from apps.erasure.registry import searched, stores
from apps.privacy.access_packages.everywhere import Everywhere, Stretched, as_typed, excerpt_without, masked
from apps.privacy.codes.inventory import Decision, Quoting
from apps.privacy.inventory.documents import DocumentFacts, facts_of
from apps.privacy.inventory.excerpts import Excerpt, Excerpts
from apps.privacy.inventory.selectors import Grouped, grouped
from apps.privacy.models import ErasureRequest, InventoryHit
from apps.privacy.requests.details import words_of

# Enough for a sentence or two on either side, which shows what is said about the person without the whole page.
AROUND_CHARS: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """One confirmed place.

    read: the current words around it; None where they are gone or the reader may not see them.
    hidden: words that are about others; shown: what a package quotes, with these words masked.
    missing: whether some hidden words are no longer in the text, so that the quote must be decided on again.
    collides: whether a whole name that the package hides appears in the place itself, which names the person. One of
        these two decisions must be wrong.
    """

    hit: InventoryHit
    read: Excerpt | None = field(repr=False)
    shown: Excerpt | None = field(repr=False)
    hidden: tuple[str, ...] = field(repr=False)
    missing: bool
    collides: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether somebody must still decide what the package quotes of this place."""
        return not self.hit.quoting or self.missing or (self.is_quoted and (self.read is None or self.collides))

    @property
    def is_quoted(self) -> bool:
        return self.hit.quoting == Quoting.QUOTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A document, a part of an event or a row of something else, with its confirmed places.

    store, name, detail: what the DPO's page shows. document: the facts of an existing document, for the package.
    """

    group: Grouped
    store: str
    name: str
    detail: str
    quotes: tuple[Quote, ...]
    document: DocumentFacts | None = None

    @property
    def key(self) -> str:
        target = self.group.target
        return f"{target.id}{target.part}" if target else str(self.group.item_id)

    @property
    def open(self) -> Sequence[Quote]:
        return [quote for quote in self.quotes if quote.is_open]

    @property
    def quotable(self) -> Sequence[UUID]:
        """Return the ids of places that nobody has decided how to quote and whose words can be read."""
        return [quote.hit.id for quote in self.quotes if not quote.hit.quoting and quote.read is not None]


def things_of(request: ErasureRequest) -> Sequence[Thing]:
    """Return all confirmed places that the open scope shows, by thing.

    Costs: a query for each text that holds a place, and a few more.
    """
    groups = [group for group in grouped(request) if group.confirmed]
    facts = facts_of([each.target.id for each in groups if each.target and each.is_document])
    parts = describe([each.target for each in groups if each.target and each.is_event])
    labels = _labels()
    excerpts, found = Excerpts(around=AROUND_CHARS), []
    read = {group: [quote_of(request, hit, excerpts) for hit in group.confirmed] for group in groups}
    everywhere = Everywhere(word for quotes in read.values() for quote in quotes for word in quote.hidden)
    own: dict[TextLocation, list[Stretched]] = defaultdict(list)
    for quote in (quote for quotes in read.values() for quote in quotes):
        own[quote.hit.place].append(Stretched(quote.hit.char_start, quote.hit.char_end))
    for group in groups:
        name, detail, target = "", "", group.target
        document = facts.get(target.id) if target is not None and group.is_document else None
        if document is not None:
            name, detail = document.name, document.detail
        elif target is not None and (item := parts.get(target)) is not None:
            name, detail = item.name, item.detail
        elif target is not None and target.type is TargetType.USER:
            name = "The account of a user of this installation"
        store = labels.get(group.store, group.store)
        quotes = _together(read[group], excerpts, everywhere, own)
        found.append(
            Thing(group=group, store=store, name=name or store, detail=detail, quotes=quotes, document=document)
        )
    return found


def quote_of(request: ErasureRequest, hit: InventoryHit, excerpts: Excerpts) -> Quote:
    read = excerpts.of(hit)
    kept = words_of(request, bytes(hit.hidden), part=hidden_part(hit.id)) if hit.hidden else ""
    words = tuple(kept.split("\n")) if kept else ()
    shown, found = hiding(read, words) if read is not None else (None, set())
    is_quoted = hit.decision == Decision.CONFIRMED and hit.quoting == Quoting.QUOTED
    return Quote(
        hit=hit,
        read=read,
        shown=shown if is_quoted else None,
        hidden=words,
        missing=read is not None and bool(set(words) - found),
    )


def _together(
    quotes: Sequence[Quote], excerpts: Excerpts, everywhere: Everywhere, own: Mapping[TextLocation, Sequence[Stretched]]
) -> tuple[Quote, ...]:
    """Apply the hidden words to the quotes of one thing.

    Words hidden anywhere in the package are masked in every spelling; words hidden in this thing also as typed.
    """
    words = tuple({word for quote in quotes for word in quote.hidden})
    return tuple(_hidden(quote, words, excerpts, everywhere, own[quote.hit.place]) for quote in quotes)


def _hidden(
    quote: Quote, words: Sequence[str], excerpts: Excerpts, everywhere: Everywhere, own: Sequence[Stretched]
) -> Quote:
    text = excerpts.text(quote.hit)
    if text is None or quote.read is None or not quote.is_quoted:
        return quote
    spans = everywhere.spans(text, own=own)
    place = Stretched(quote.hit.char_start, quote.hit.char_end)
    return replace(
        quote,
        shown=excerpt_without(text, quote.hit, [*spans, *as_typed(text, words)[0]], around=AROUND_CHARS),
        collides=any(span.touches(place) for span in spans),
    )


def hiding(excerpt: Excerpt, words: Sequence[str]) -> tuple[Excerpt, set[str]]:
    """Mask these words in the text around the place, ignoring case and line breaks.

    The place itself, which names the person, stays readable.

    Returns: the masked excerpt, and those of the words that were found.
    """
    before, in_before = as_typed(excerpt.before, words)
    after, in_after = as_typed(excerpt.after, words)
    return replace(excerpt, before=masked(excerpt.before, before), after=masked(excerpt.after, after)), (
        in_before | in_after
    )


def hidden_part(hit_id: UUID) -> str:
    return f"hidden:{hit_id}"


def _labels() -> Mapping[str, str]:
    labels = {key: source.label for source in searched() for key in source.stores}
    return labels | {store.key: store.label for store in stores()}
