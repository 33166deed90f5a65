"""Which places of a redacted version are certainly places of the one before: in the text that it was made of alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
from django.conf import LazySettings

from apps.corpus.models import Document
from apps.corpus.redaction.text import Span
from apps.corpus.searched_texts import CHUNKS, DOCUMENTS, PAGES, DocumentTexts
from apps.corpus.services.redact import document_redact
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import TextLocation
from apps.privacy.inventory.same_places import Stretch, same_places
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.files import lines, pdf
from tests.corpus.ingesting import document, ingest, remote_profile, run
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "Falkenhayn"
NOTES = b"""# Notes on calls

## What Anna Falkenhayn said

On Monday Anna Falkenhayn called about her fees. Falkenhayn Castle is where the fund meets.

## What Bert Falkenhayn said

On Tuesday Bert Falkenhayn called about his fees. Falkenhayn Castle was closed.
"""
# Sections that are long enough for passages of their own, each with its header.
SECTIONS = b"\n\n".join(
    b"## What %s Falkenhayn said\n\n%s"
    % (name, b"The committee discussed liquidity, counterparties and hedging. " * 30)
    for name in (b"Anna", b"Bert")
)


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm()


@pytest.fixture
def dpo(firm: Firm) -> Principal:
    return make_member(firm, "dana", Role.DPO)


def stored(firm: Firm, content: bytes = NOTES, *, filename: str = "notes.md", title: str = "Notes") -> Document:
    made = ingest(firm, content, filename=filename, title=title)
    run(firm, made.job)
    return document(firm, made.document.id)


def places(firm: Firm, of: Document, words: str = NAME, store: str = PAGES) -> list[Stretch]:
    """Where words stand in what is searched of a document, in the order of the texts."""
    found = []
    with open_scope(tenant=firm.id, reason="a test"):
        for searched in DocumentTexts().texts():
            place, text = searched.place, searched.text or ""
            if place.store == store and place.target == Target(type=TargetType.DOCUMENT, id=of.id):
                starts = [at for at in range(len(text)) if text.startswith(words, at)]
                found += [Stretch(place=place, start=at, end=at + len(words)) for at in starts]
    return found


def redacted(
    firm: Firm, dpo: Principal, of: Document, removed: Sequence[Stretch], fields: Mapping[str, str] | None = None
) -> Document:
    spans: dict[int, list[Span]] = {}
    for each in removed:
        spans.setdefault(each.place.page or 0, []).append(Span(each.start, each.end))
    with as_(dpo):
        made = document_redact(document_id=of.id, spans=spans, fields=fields)
    run(firm, made.job)
    return document(firm, made.document.id)


def same(
    firm: Firm, before: Sequence[Stretch], removed: Sequence[Stretch], after: Sequence[Stretch]
) -> Mapping[Stretch, Stretch]:
    with open_scope(tenant=firm.id, reason="a test"):
        return same_places(before=before, removed=removed, after=after)


def test_what_was_left_is_the_same_place_further_on(firm: Firm, dpo: Principal) -> None:
    old = stored(firm)
    before, removed = places(firm, old), places(firm, old, "Anna Falkenhayn")
    new = redacted(firm, dpo, old, removed)
    after = places(firm, new)
    kept = [each for each in before if not any(each.end == gone.end for gone in removed)]
    assert len(after) == len(kept) == 4
    assert [new.start - old.start for new, old in zip(after, kept, strict=True)] == [-10, -10, -10, -10]
    assert same(firm, before, removed, after) == dict(zip(after, kept, strict=True))


def test_nothing_is_certain_where_the_text_is_not_what_the_removed_places_leave(firm: Firm, dpo: Principal) -> None:
    old = stored(firm)
    before, removed = places(firm, old), places(firm, old, "Anna Falkenhayn")
    after = places(firm, redacted(firm, dpo, old, removed))
    assert same(firm, before, removed[:1], after) == {}
    assert same(firm, before, [], after) == {}


def test_another_version_with_the_same_words_at_the_same_place_is_another_place(firm: Firm) -> None:
    old = stored(firm)
    other = stored(firm, NOTES.replace(b"Castle was closed", b"Tavern was closed"))
    before, after = places(firm, old), places(firm, other)
    assert [(each.start, each.end) for each in before] == [(each.start, each.end) for each in after]
    assert same(firm, before, [], after) == {}
    assert len(same(firm, before, [], places(firm, stored(firm, NOTES, title="Once more")))) == len(before)


def test_a_place_of_which_a_part_was_removed_is_none_of_the_old_ones(firm: Firm, dpo: Principal) -> None:
    old = stored(firm)
    before, removed = places(firm, old, "Anna Falkenhayn"), places(firm, old, "Anna")
    new = redacted(firm, dpo, old, removed)
    after = places(firm, new, "[redacted] Falkenhayn")
    assert len(after) == len(before)
    assert same(firm, before, removed, after) == {}


def test_a_title_and_the_headers_that_repeat_it_are_known_again(firm: Firm, dpo: Principal) -> None:
    old = stored(firm, SECTIONS, title="Falkenhayn Castle")
    removed = places(firm, old, "Anna Falkenhayn")
    headers = places(firm, old, "Anna Falkenhayn", CHUNKS)
    new = redacted(firm, dpo, old, removed, {"title": "Falkenhayn Castle"})
    title = same(firm, places(firm, old, store=DOCUMENTS), [], places(firm, new, store=DOCUMENTS))
    assert [each.place.part for each in title] == ["title"]
    before, after = places(firm, old, "Falkenhayn Castle", CHUNKS), places(firm, new, "Falkenhayn Castle", CHUNKS)
    known = same(firm, before, headers, after)
    assert headers
    assert len(known) == len(after) == len(before) > 1
    assert {each.place for each in known.values()} == {each.place for each in before}
    # Without what was confirmed there, the headers of Anna's section read unlike any of the old ones.
    assert len(same(firm, before, [], after)) < len(after)


def test_of_two_headers_that_read_alike_once_they_are_redacted_neither_is_certain(firm: Firm, dpo: Principal) -> None:
    old = stored(firm, SECTIONS)
    first_names = [*places(firm, old, "Anna"), *places(firm, old, "Bert")]
    headers = [*places(firm, old, "Anna", CHUNKS), *places(firm, old, "Bert", CHUNKS)]
    new = redacted(firm, dpo, old, first_names)
    before, after = places(firm, old, "Falkenhayn said", CHUNKS), places(firm, new, "Falkenhayn said", CHUNKS)
    assert after
    assert {each.place.item_id for each in headers} == {each.place.item_id for each in before}
    assert same(firm, before, headers, after) == {}
    # Of the pages it is: each place has one of its own.
    assert len(same(firm, places(firm, old), first_names, places(firm, new))) == len(places(firm, old))


def test_pages_of_a_pdf_are_told_apart_by_their_numbers(firm: Firm, dpo: Principal) -> None:
    line = "Falkenhayn Castle is where Anna met the fund."
    old = stored(firm, pdf([lines(line), lines(line)]), filename="a.pdf")
    before, removed = places(firm, old), places(firm, old, "Anna")
    new = redacted(firm, dpo, old, removed)
    found = same(firm, before, removed, places(firm, new))
    assert [(new.place.page, old.place.page) for new, old in found.items()] == [(1, 1), (2, 2)]
    # One of the two pages redacted alone: the other one's place is not taken for it.
    once = same(firm, before[:1], removed, places(firm, new))
    assert [(new.place.page, old.place.page) for new, old in once.items()] == [(1, 1)]


def test_a_text_that_is_gone_makes_nothing_certain(firm: Firm, dpo: Principal) -> None:
    old = stored(firm)
    before, removed = places(firm, old), places(firm, old, "Anna Falkenhayn")
    after = places(firm, redacted(firm, dpo, old, removed))
    lost = [
        Stretch(place=TextLocation(store=PAGES, item_id=dpo.id or old.id, page=1), start=each.start, end=each.end)
        for each in before
    ]
    assert same(firm, lost, [], after) == {}
