"""Assemble a package in parts: first the facts about the whole package, then one category after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from apps.erasure.registry import classified
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contents import CATEGORIES
from apps.privacy.my_data.contracts import Category, Entry, LeftOut, Person
from apps.privacy.my_data.event_fields import withheld_fields
from apps.privacy.my_data.kinds import kinds
from apps.privacy.my_data.wording import UNREACHED
from apps.tenants.streaming import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """The facts about the whole package.

    unreached: how many events that name the person lie in scopes that the open scope does not reach.
    by_key: whether the person asks with an API key, so that the key's scopes are the limit.
    """

    person: Person
    firm: str
    region: str
    recipients: list[Entry]
    unreached: int
    by_key: bool

    @property
    def about(self) -> Entry:
        return {
            "title": "What is held about you",
            "person": self.person.username,
            "person_id": str(self.person.id),
            "firm": self.firm,
            "region": self.region,
            "until": at(self.person.until),
            "law": "Article 15 of the General Data Protection Regulation (EU) 2016/679",
            "not_reached": self.not_reached,
        }

    @property
    def not_reached(self) -> str:
        if not self.unreached:
            return ""
        return UNREACHED.format(count=self.unreached, now="with this key" if self.by_key else "any more")

    @property
    def not_included(self) -> list[Entry]:
        places = [{"because": each.because, "what": list(each.names)} for each in left_out()]
        fields = [
            {"because": because, "what": [f"events: {name}" for name in names]}
            for because, names in withheld_fields().items()
        ]
        return [*places, *fields]


class Writer(Protocol):
    """Writes a package in one format, from beginning to end."""

    def begin(self, package: Package) -> str: ...

    def category(self, category: Category) -> str: ...

    def entries(self, category: Category, entries: Iterable[Entry]) -> str: ...

    def category_end(self, category: Category) -> str: ...

    def end(self, package: Package, kinds_of_events: list[Entry]) -> str: ...


def document_parts(package: Package, writer: Writer) -> Iterator[Part]:
    """Yield the parts of one document. Each part reads its data in the scope that is open when the part is called."""
    actions: set[str] = set()
    begun = False

    def part_of(category: Category) -> Iterator[Part]:
        after: object | None = None
        first = ended = False

        def part() -> bytes:
            nonlocal after, first, ended, begun
            page = category.read(package.person, after)
            actions.update(str(entry["action"]) for entry in page.entries if "action" in entry)
            written = [] if begun else [writer.begin(package)]
            written += [] if first else [writer.category(category)]
            written.append(writer.entries(category, page.entries))
            # category_end comes after the entries, because the writer then knows whether there were any.
            written += [writer.category_end(category)] if page.after is None else []
            after, first, begun, ended = page.after, True, True, page.after is None
            return "".join(written).encode()

        while not ended:
            yield part

    for category in CATEGORIES:
        yield from part_of(category)
    yield lambda: writer.end(package, kinds(actions)).encode()


def left_out() -> tuple[LeftOut, ...]:
    """Return what may hold personal data but is not in the package, with the reason that its declaration gives.

    Returns: one entry per reason, in the order of the first of its names, with its names sorted.
    """
    names: dict[str, list[str]] = {}
    for entry in classified():
        if entry.withheld:
            names.setdefault(entry.withheld, []).append(entry.name)
    return tuple(LeftOut(names=tuple(found), because=because) for because, found in names.items())
