"""Places of a redacted version that are certainly places of the version that it was made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from apps.corpus.redaction.text import Redacted, Span, redact
from apps.corpus.searched_texts import DocumentTexts
from apps.erasure.declarations.searched import Place

# What a text is within its document, and what it reads like. The rows have other ids in each version.
_Reading = tuple[str, str, int | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A stretch of any text, without the text: characters from start up to end."""

    place: Place
    start: int
    end: int


def same_places(
    *, before: Sequence[Stretch], removed: Sequence[Stretch], after: Sequence[Stretch]
) -> Mapping[Stretch, Stretch]:
    """Return which places of a redacted version are certainly places of the version that it was made of.

    Certainly: the text that a place stands in is the old one with nothing but the removed stretches marked, and the
    place is where that puts the old one. Pages, fields and headers alike, each text as a whole. A header has no number
    to be known by. Where two of the old version read alike once they are redacted, nobody can tell of which of them the
    new one is made: nothing of it is certain.

    Args:    before: all places of the old version that are known, whatever was decided of them; removed: what was
             taken out of it; after: places of the new version.
    Returns: by place of the new version, the one of the old; without those that are not certain.
    Costs:   a query for each text that holds a place.
    """
    texts = DocumentTexts()
    gone = _by_text(removed)
    old: dict[_Reading, list[tuple[Redacted, Sequence[Stretch]]]] = defaultdict(list)
    for place, stretches in _by_text(before).items():
        text = texts.text_of(place)
        spans = [Span(each.start, each.end) for each in gone.get(place, ())]
        if text is not None and all(span.end <= len(text) for span in spans):
            redacted = redact(text, spans)
            old[_reading(place, redacted.text)].append((redacted, stretches))
    found: dict[Stretch, Stretch] = {}
    for place, stretches in _by_text(after).items():
        text = texts.text_of(place)
        made_of = old.get(_reading(place, text), ()) if text is not None else ()
        if len(made_of) == 1:
            moved = _moved(*made_of[0])
            for each in stretches:
                if (same := moved.get(Span(each.start, each.end))) is not None:
                    found[each] = same
    return found


def _moved(redacted: Redacted, stretches: Iterable[Stretch]) -> Mapping[Span, Stretch]:
    """The places by where they are now; without those of which something was removed."""
    moved = {}
    for each in stretches:
        span = Span(each.start, each.end)
        if not any(span.touches(other) for other in redacted.removed):
            moved[redacted.span_of(span)] = each
    return moved


def _by_text(stretches: Iterable[Stretch]) -> Mapping[Place, Sequence[Stretch]]:
    found: dict[Place, list[Stretch]] = defaultdict(list)
    for each in stretches:
        # Of a file nothing is kept: the new version's is made of its pages.
        if each.place.store not in DocumentTexts.stores:
            continue
        found[each.place].append(each)
    return found


def _reading(place: Place, text: str) -> _Reading:
    return place.store, place.part, place.page, text
