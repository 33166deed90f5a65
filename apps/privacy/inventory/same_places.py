"""Match places of a redacted version with the places of the version that it was made from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from apps.corpus.redaction.text import Redacted, Span, redact
from apps.corpus.searched_texts import DocumentTexts
from apps.erasure.declarations.searched import TextLocation

# Identifies a text within its document (store, part, page, text), since row ids differ between versions.
_Reading = tuple[str, str, int | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The position of a stretch of text, without the text: characters from `start` up to `end`."""

    place: TextLocation
    start: int
    end: int


def same_places(
    *, before: Sequence[Stretch], removed: Sequence[Stretch], after: Sequence[Stretch]
) -> Mapping[Stretch, Stretch]:
    """Return which places of a redacted version are certainly places of the version that it was made from.

    A place is certainly the same if its text equals the old text with only the removed stretches replaced by marks, and
    if the place is where this replacement moves the old place. Pages, fields and headers are each compared as whole
    texts. A header has no number that identifies it. Where two texts of the old version are equal once they are
    redacted, nobody can tell which of them the new text comes from, so none of its places is certain.

    Args:    before: all known places of the old version, whatever was decided about them; removed: the stretches that
             were removed from it; after: places of the new version.
    Returns: the old place for each certain place of the new version; uncertain places are left out.
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
    """Return the places by their new position, leaving out those that lost characters to the redaction."""
    moved = {}
    for each in stretches:
        span = Span(each.start, each.end)
        if not any(span.touches(other) for other in redacted.removed):
            moved[redacted.span_of(span)] = each
    return moved


def _by_text(stretches: Iterable[Stretch]) -> Mapping[TextLocation, Sequence[Stretch]]:
    found: dict[TextLocation, list[Stretch]] = defaultdict(list)
    for each in stretches:
        # Skip places in files: the new version's file is made anew from its pages.
        if each.place.store not in DocumentTexts.stores:
            continue
        found[each.place].append(each)
    return found


def _reading(place: TextLocation, text: str) -> _Reading:
    return place.store, place.part, place.page, text
