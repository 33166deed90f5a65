"""Hide words about others everywhere in a package, in every spelling, once they are hidden at one place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.privacy.inventory.excerpts import Excerpt
from apps.privacy.models import InventoryHit
from apps.privacy.people.hidden import Named, find_words

HIDDEN: Final = "█████"
# Parts of a package that the firm or a person wrote, and that are not held texts: path, and their name on the page.
_ELSEWHERE: Final[Mapping[str, str]] = {
    "about.firm": "the name of the firm",
    "looked_for": "what is known about the person",
    "purpose": "what you say about the purposes",
    "legal_basis": "what you say about the legal basis",
    "source": "what you say about the source",
    "retention": "what you say about how long documents are kept",
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
    """The hidden words of one package. Args: words: as somebody typed them at any place."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(sorted(set(words)))
        self._find = find_words(self.words)

    def spans(self, text: str, *, own: Sequence[Stretched] = ()) -> list[Stretched]:
        """Return the stretches to hide in a text.

        Args: own: the confirmed places that name the person of the request. An uncertain match that touches one of
              them, such as a family name that both people share, is not hidden. A certain match, such as a whole
              hidden name, is hidden even there.
        """
        found = [(each, Stretched(each.start, each.end)) for each in self._named(text)]
        return [span for each, span in found if each.is_certain or not any(span.touches(place) for place in own)]

    def is_named(self, text: str) -> bool:
        """Return whether a text certainly contains one of the words."""
        return any(each.is_certain for each in self._named(text))

    def masked(self, text: str) -> str:
        return masked(text, self.spans(text))

    def elsewhere(self, package: Mapping[str, Any]) -> list[str]:
        """Return the names of those parts in _ELSEWHERE, which somebody must change, that contain a hidden word."""
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
    """Find the words as they were typed, ignoring case and line breaks.

    Returns: the stretches found, and which of the words were found.
    """
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
    """Return the words around a place with the spans masked. A span cut by the excerpt's edge is masked completely."""
    start, end = max(0, hit.char_start - around), min(len(text), hit.char_end + around)
    return Excerpt(
        before=("… " if start else "") + masked(text, spans, start=start, end=hit.char_start),
        found=text[hit.char_start : hit.char_end],
        after=masked(text, spans, start=hit.char_end, end=end) + (" …" if end < len(text) else ""),
    )


def masked(text: str, spans: Iterable[Stretched], *, start: int = 0, end: int | None = None) -> str:
    """Return text[start:end] with a mark in place of each span."""
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
