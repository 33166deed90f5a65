"""Words about others that are hidden at one place of a package are hidden everywhere in it, in every spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.privacy.inventory.excerpts import Excerpt
from apps.privacy.models import InventoryHit
from apps.privacy.people.hidden import Named, find_words

HIDDEN: Final = "█████"
# What else than held texts goes into a package and is a firm's or a person's own: path, and what a page calls it.
_ELSEWHERE: Final[Mapping[str, str]] = {
    "about.firm": "the name of the firm",
    "looked_for": "what is known of the person",
    "purpose": "what you say of the purposes",
    "legal_basis": "what you say of the legal basis",
    "source": "what you say of the source",
    "retention": "what you say of how long documents are kept",
    "kinds_of_events": "the legal bases of the retention schedule",
}


@dataclass(frozen=True, slots=True)
class Stretched:
    """text[start:end]."""

    start: int
    end: int

    def touches(self, other: Stretched) -> bool:
        return self.start < other.end and other.start < self.end


class Everywhere:
    """The hidden words of one package. Args: words: as they were typed, at whatever place."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(sorted(set(words)))
        self._find = find_words(self.words)

    def spans(self, text: str, *, own: Sequence[Stretched] = ()) -> list[Stretched]:
        """What is to be hidden in a text.

        Args: own: where it names the person of the request, as somebody confirmed. What might be a hidden name there,
              such as a family name that both bear, is the person's; a whole hidden name is not.
        """
        found = [(each, Stretched(each.start, each.end)) for each in self._named(text)]
        return [span for each, span in found if each.is_certain or not any(span.touches(place) for place in own)]

    def is_named(self, text: str) -> bool:
        """Whether one of the words stands in a text, for sure."""
        return any(each.is_certain for each in self._named(text))

    def masked(self, text: str) -> str:
        return masked(text, self.spans(text))

    def elsewhere(self, package: Mapping[str, Any]) -> list[str]:
        """Where one stands in what is not held in a text, and is somebody's to change: in words for a page."""
        documents = next(each for each in package["categories"] if each["key"] == "documents")
        values = {
            "about.firm": package["about"]["firm"],
            "looked_for": package["looked_for"],
            **{name: documents[name] for name in ("purpose", "legal_basis", "source", "retention")},
            "kinds_of_events": package["kinds_of_events"],
        }
        return [_ELSEWHERE[path] for path, value in values.items() if any(map(self.is_named, _strings(value)))]

    def _named(self, text: str) -> Sequence[Named]:
        return self._find(text) if self.words else ()


def as_typed(text: str, words: Sequence[str]) -> tuple[list[Stretched], set[str]]:
    """Where the words stand as they were typed, whatever their case and line breaks. Returns: and which of them do."""
    spans: list[Stretched] = []
    found: set[str] = set()
    for each in words:
        pattern = re.compile(r"\s+".join(re.escape(part) for part in each.split()), re.IGNORECASE)
        here = [Stretched(*match.span()) for match in pattern.finditer(text)]
        if here:
            spans += here
            found.add(each)
    return spans, found


def excerpt_without(text: str, hit: InventoryHit, spans: Sequence[Stretched], *, around: int) -> Excerpt:
    """The words around a place with the spans made unreadable: of one that the edge cuts, nothing is left."""
    start, end = max(0, hit.char_start - around), min(len(text), hit.char_end + around)
    return Excerpt(
        before=("… " if start else "") + masked(text, spans, start=start, end=hit.char_start),
        found=text[hit.char_start : hit.char_end],
        after=masked(text, spans, start=hit.char_end, end=end) + (" …" if end < len(text) else ""),
    )


def masked(text: str, spans: Iterable[Stretched], *, start: int = 0, end: int | None = None) -> str:
    """text[start:end] with a mark in place of each span."""
    end = len(text) if end is None else end
    parts, at = [], start
    for span in sorted(spans, key=lambda each: (each.start, -each.end)):
        if span.end > at and span.start < end:
            parts += [text[at : max(at, span.start)], HIDDEN]
            at = min(span.end, end)
    return "".join([*parts, text[at:end]])


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _strings(each)
