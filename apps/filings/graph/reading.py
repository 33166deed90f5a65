"""Read the graph of a document: first what names whom, over all pages, then the mentions and sentences of each page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.corpus.extraction.contracts import Block, BlockKind, Page
from apps.filings.graph.contracts import LONGEST_NAME, EntityType, ReadItem, ReadMention, ReadRelation
from apps.filings.graph.keys import entity_key
from apps.filings.graph.named_concepts import named_concepts
from apps.filings.graph.organisations import (
    OWN_NAMES,
    Organisation,
    bare_name,
    key_of_organisation,
    known_organisations,
    organisations_in,
)
from apps.filings.graph.people import Person, key_of_person, people_in, surname_of
from apps.filings.graph.places import DOUBTFUL, places
from apps.filings.graph.references import references_in, targets_of
from apps.filings.graph.regulations import regulations_in
from apps.filings.graph.relations import definition_in, relations_in
from apps.filings.graph.sentences import Marked, sentences_of
from apps.filings.graph.values import values_in
from apps.filings.graph.words import NameIndex, Word, words_of

_PROSE: Final = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_PRODUCT: Final = re.compile(
    r"(?<![\w-])(?P<name>(?!(?:Our|The|Its|These|This|With|And|Unsere?|Die|Der|Das) )[A-Z][\w-]*"
    r"(?: [A-Z0-9][\w-]*){0,2})\s?[\u00ae\u2122]"
)
_DOCUMENT: Final = re.compile(
    r"\b(?:(?:Annual|Quarterly|Current) Report on )?(?:Form (?:10-K|10-Q|8-K|20-F|6-K|S-1|S-4)(?:/A)?)\b"
    r"|\b(?:Annual Report|Geschäftsbericht|Jahresbericht|Halbjahresbericht) (?:19|20)\d\d\b"
)
_IN: Final = frozenset({"in", "In", "from", "of", "to", "aus", "nach", "für", "near", "outside"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """What a document calls whom. Full names and aliases are looked up on every page."""

    organisations: NameIndex[str]
    people: NameIndex[str]
    of_surname: dict[str, str]
    names_itself: bool


def read_graph(pages: Sequence[Page], *, company: str, language: str) -> tuple[ReadItem, ...]:
    """Return the relations of a document and then its mentions, each in the order of its pages.

    Args: company: whose document it is; empty if that is not known, and then "we" is nobody.
    """
    tongue = language if language in ("en", "de") else "en"
    organisations = {
        page.number: organisations_in(page.text, [block.char_start for block in page.blocks]) for page in pages
    }
    people = {page.number: list(people_in(page.text)) for page in pages}
    names = _learn(pages, organisations, people, company)
    targets = targets_of(pages)
    relations: list[ReadRelation] = []
    mentions: list[ReadMention] = []
    for page in pages:
        found = _entities(page, organisations[page.number], people[page.number], names, tongue)
        told, terms = _told(page, found, targets, names_itself=names.names_itself)
        relations.extend(told)
        mentions.extend(_mentions(page, (*found, *terms)))
    return (*relations, *mentions)


def _learn(
    pages: Sequence[Page],
    organisations: dict[int, list[Organisation]],
    people: dict[int, list[Person]],
    company: str,
) -> _Names:
    called: dict[str, set[str]] = defaultdict(set)
    own = key_of_organisation(company) if company else ""
    itself = {own} - {""}
    for page in pages:
        for each in organisations[page.number]:
            called[bare_name(page.text[each.start : each.end])].add(each.key)
            for alias in each.aliases:
                (itself if alias in OWN_NAMES else called[alias]).add(each.key)
    if company:
        called[bare_name(company) or company].add(own)
    full = {person.name for found in people.values() for person in found if person.is_full}
    surnames: dict[str, set[str]] = defaultdict(set)
    for name in full:
        surnames[surname_of(name)].add(key_of_person(name))
    clear = {alias: next(iter(keys)) for alias, keys in called.items() if alias and len(keys) == 1 and len(alias) > 1}
    return _Names(
        organisations=NameIndex((alias, key) for alias, key in clear.items() if alias not in OWN_NAMES),
        people=NameIndex((name, key_of_person(name)) for name in sorted(full)),
        of_surname={name: next(iter(keys)) for name, keys in surnames.items() if len(keys) == 1},
        # Where "the Company" is defined as somebody else, nothing is said of it.
        names_itself=bool(own) and itself == {own},
    )


def _entities(
    page: Page, organisations: Iterable[Organisation], people: Iterable[Person], names: _Names, language: str
) -> list[Marked]:
    """Return the entities of a page in order; of those that overlap the longest, and a regulation beside its part."""
    text = page.text
    words = words_of(text)
    found = [Marked(each.start, each.end, EntityType.ORGANISATION, each.key) for each in organisations]
    for index in (names.organisations, known_organisations()):
        found += [Marked(each.start, each.end, EntityType.ORGANISATION, each.value) for each in index.find(text, words)]
    for person in people:
        key = key_of_person(person.name)
        if not person.is_full:
            key = names.of_surname.get(person.name, key)
        found.append(Marked(person.start, person.end, EntityType.PERSON, key))
    found += [Marked(each.start, each.end, EntityType.PERSON, each.value) for each in names.people.find(text, words)]
    found += _places(text, words)
    found += [Marked(start, end, EntityType.REGULATION, key) for start, end, key in regulations_in(text)]
    found += [
        Marked(*match.span("name"), EntityType.PRODUCT, _slug(match["name"])) for match in _PRODUCT.finditer(text)
    ]
    found += [Marked(*match.span(), EntityType.DOCUMENT, _slug(match.group())) for match in _DOCUMENT.finditer(text)]
    for block in _running(page):
        start, inside = block.char_start, block.text
        found += [Marked(start + a, start + b, type, key) for a, b, type, key in values_in(inside, language)]
        found += [
            Marked(start + each.start, start + each.end, EntityType.CONCEPT, "-".join(each.value.casefold().split()))
            for each in named_concepts().find(inside, words_of(inside))
        ]
    return [each._replace(key=entity_key(each.type, each.key)) for each in _longest(found) if each.key]


def _places(text: str, words: Sequence[Word]) -> Iterator[Marked]:
    for each in places().find(text, words):
        name = text[each.start : each.end]
        before = words[each.first - 1][0] if each.first else ""
        # "U.S." ends with its point, where one stands.
        end = each.end + (name.count(".") > 0 and text[each.end : each.end + 1] == ".")
        if name not in DOUBTFUL or before in _IN:
            yield Marked(each.start, end, EntityType.LOCATION, each.value)


def _longest(found: Iterable[Marked]) -> list[Marked]:
    kept: list[Marked] = []
    of_regulations: list[Marked] = []
    taken = bytearray()
    for each in sorted(
        set(found), key=lambda entity: (entity.start - entity.end, entity.start, entity.type, entity.key)
    ):
        if each.end - each.start > LONGEST_NAME:
            continue
        if len(taken) < each.end:
            taken.extend(bytes(each.end - len(taken)))
        is_regulation = each.type is EntityType.REGULATION
        if any(taken[each.start : each.end]) and not (is_regulation and _is_inside(each, of_regulations)):
            continue
        taken[each.start : each.end] = b"\x01" * (each.end - each.start)
        kept.append(each)
        if is_regulation:
            of_regulations.append(each)
    return sorted(kept)


def _is_inside(each: Marked, others: Iterable[Marked]) -> bool:
    return any(other.start <= each.start and each.end <= other.end for other in others)


def _running(page: Page) -> Iterator[Block]:
    return (block for block in page.blocks if block.kind in _PROSE)


def _told(
    page: Page, found: Sequence[Marked], targets: Mapping[str, int], *, names_itself: bool
) -> tuple[list[ReadRelation], list[Marked]]:
    relations: list[ReadRelation] = []
    terms: list[Marked] = []
    for block in _running(page):
        for sentence in sentences_of(page.text, block.char_start, block.char_end):
            inside = _apart(each for each in found if sentence.start <= each.start and each.end <= sentence.end)
            relations += relations_in(page.text, sentence, inside, page=page.number, names_itself=names_itself)
            relations += references_in(page.text, sentence, targets, page=page.number)
            if defined := definition_in(page.text, sentence, page=page.number):
                relations.append(defined[0])
                terms.append(defined[1])
    return relations, terms


def _apart(found: Iterable[Marked]) -> list[Marked]:
    """Return the entities of a sentence without those inside another."""
    kept: list[Marked] = []
    for each in sorted(found, key=lambda entity: (entity.start, -entity.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return kept


def _mentions(page: Page, found: Iterable[Marked]) -> Iterator[ReadMention]:
    of_key: dict[str, ReadMention] = {}
    for each in sorted(set(found)):
        name = " ".join(page.text[each.start : each.end].split())
        if each.key in of_key:
            of_key[each.key] = replace(of_key[each.key], times=of_key[each.key].times + 1)
        elif name:
            of_key[each.key] = ReadMention(
                type=each.type, key=each.key, name=name, page=page.number, start=each.start, end=each.end, times=1
            )
    return iter(of_key.values())


def _slug(name: str) -> str:
    return "-".join(re.findall(r"[^\W_]+", name.casefold()))
