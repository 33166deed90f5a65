"""Write the package as one JSON document, part by part."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from apps.privacy.my_data.contracts import Category, Entry
from apps.privacy.my_data.package import Package
from apps.privacy.my_data.wording import ARTICLE_15


class JsonWriter:
    """Writes the package as JSON. `complete` is the last key; a document without it was cut short."""

    def __init__(self) -> None:
        self._categories = 0
        self._entries = 0

    def begin(self, package: Package) -> str:
        head = {"about": package.about, "article_15": dict(ARTICLE_15), "recipients": package.recipients}
        return _json(head)[:-1] + ',"categories":['

    def category(self, category: Category) -> str:
        comma = "," if self._categories else ""
        self._categories, self._entries = self._categories + 1, 0
        said = {
            "key": category.key,
            "title": category.title,
            "about": category.about,
            "purpose": category.purpose,
            "legal_basis": category.legal_basis,
            "source": category.source,
            "retention": category.retention,
        }
        return comma + _json(said)[:-1] + ',"entries":['

    def entries(self, category: Category, entries: Iterable[Entry]) -> str:
        written = []
        for entry in entries:
            written.append(("," if self._entries else "") + "\n" + _json(entry))
            self._entries += 1
        return "".join(written)

    def category_end(self, category: Category) -> str:
        return "]}"

    def end(self, package: Package, kinds_of_events: list[Entry]) -> str:
        tail = {"kinds_of_events": kinds_of_events, "not_included": package.not_included, "complete": True}
        return "]," + _json(tail)[1:] + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
