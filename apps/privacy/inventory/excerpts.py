"""Read the words around a place again for each reader. They are never stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from apps.erasure.declarations.searched import TextLocation
from apps.erasure.registry import searched_of
from apps.privacy.models import InventoryHit

_AROUND_CHARS: Final = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    before: str = field(repr=False)
    found: str = field(repr=False)
    after: str = field(repr=False)


class Excerpts:
    """The excerpts of one page, which reads each text only once. Args: around: at most so many characters per side."""

    def __init__(self, *, around: int = _AROUND_CHARS) -> None:
        self._around = around
        self._texts: dict[TextLocation, str | None] = {}

    def text(self, hit: InventoryHit) -> str | None:
        """Return the whole text that contains a place; None where the text is gone or outside the open scope."""
        place = hit.place
        if place not in self._texts:
            self._texts[place] = searched_of(place.store).text_of(place)
        return self._texts[place]

    def of(self, hit: InventoryHit) -> Excerpt | None:
        """Return the words around a place; None where the text is gone, shorter now, or outside the open scope."""
        text = self.text(hit)
        if text is None or hit.char_end > len(text):
            return None
        start, end = max(0, hit.char_start - self._around), hit.char_end + self._around
        return Excerpt(
            before=("… " if start else "") + text[start : hit.char_start],
            found=text[hit.char_start : hit.char_end],
            after=text[hit.char_end : end] + (" …" if end < len(text) else ""),
        )
