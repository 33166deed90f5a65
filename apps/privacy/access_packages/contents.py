"""Compile a package as JSON values: what is held, place by place, and the information that Article 15(1) requires.

The keys are English and the values are in the language of the request. The page is rendered from the same values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.audit.models import Event
from apps.erasure.contracts import TargetType
from apps.intents.fund_house import FUND_HOUSE
from apps.privacy.access_packages.around import event_label, kinds_of_events, recipients
from apps.privacy.access_packages.everywhere import Everywhere
from apps.privacy.access_packages.quotes import Thing
from apps.privacy.access_packages.told import Told
from apps.privacy.access_packages.wordings import moment, wording_of
from apps.privacy.access_packages.wordings.contract import Chapter, PackageWording
from apps.privacy.inventory.documents import DocumentFacts
from apps.privacy.inventory.selectors import StoreCount
from apps.privacy.models import ErasureRequest, InventoryHit
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Entry
from apps.privacy.my_data.kinds import known_class
from apps.privacy.requests.details import Details
from apps.tenants.models import Tenant

_Events = Mapping[UUID, tuple[str, datetime]]


def contents(
    request: ErasureRequest,
    details: Details,
    things: Sequence[Thing],
    *,
    everywhere: Everywhere,
    told: Told,
    tenant: Tenant,
    searched: Sequence[StoreCount],
    until: datetime,
) -> dict[str, Any]:
    """Return the whole package.

    Args: things: the things with confirmed places, each with a decision about its quote.
          everywhere: the words to hide in the text around the places and in the names of the things.
    """
    wording = wording_of(request.language)
    documents = [thing for thing in things if thing.group.is_document]
    in_log = [thing for thing in things if thing.group.is_event]
    others = [thing for thing in things if not (thing.group.is_document or thing.group.is_event)]
    events = _events(in_log)
    of_chapters = (
        [_document(thing, wording) for thing in documents],
        [_event(thing, events, wording) for thing in in_log],
        [_other(thing, wording) for thing in others],
    )
    entries = [[_without(entry, everywhere) for entry in chapter] for chapter in of_chapters]
    of_documents = {
        "purpose": told.purposes,
        "legal_basis": told.legal_basis,
        "source": told.source,
        "retention": told.retention,
    }
    return {
        "about": {
            "title": wording.title,
            "language": wording.language,
            "firm": tenant.name,
            "region": tenant.residency_region,
            "reference": request.reference,
            "received_on": request.received_on.isoformat(),
            "until": at(until),
            "law": wording.law,
            "places": sum(len(thing.quotes) for thing in things),
        },
        "looked_for": {
            "names": [*details.names, *details.aliases],
            "addresses_and_numbers": [*details.emails, *details.phones, *details.identifiers],
        },
        "article_15": {key: text for key, (_, text) in wording.article_15.items()},
        "recipients": recipients(tenant, wording),
        "categories": [
            {
                **_chapter("documents", wording.documents, entries[0]),
                **of_documents,
            },
            _chapter("events", wording.log, entries[1]),
            _chapter("others", wording.others, entries[2]),
        ],
        "kinds_of_events": kinds_of_events((action for action, _ in events.values()), wording),
        "searched": [wording.stores[each.key] for each in searched],
        "complete": True,
    }


def _without(entry: Entry, everywhere: Everywhere) -> Entry:
    """Mask the entry's name and detail: names of documents and scopes may hold words that are hidden in quotes."""
    return {**entry, "name": everywhere.masked(entry["name"]), "detail": everywhere.masked(entry["detail"])}


def _chapter(key: str, words: Chapter, entries: Sequence[Entry]) -> Entry:
    return {
        "key": key,
        "title": words.title,
        "about": words.about,
        "purpose": words.purpose,
        "legal_basis": words.legal_basis,
        "source": words.source,
        "retention": words.retention,
        "entries": list(entries),
    }


def _kind(facts: DocumentFacts, wording: PackageWording) -> str:
    """Return a shipped kind in the package's language; the name that a firm gave a kind is the firm's own words."""
    shipped = {kind.value: kind.label for kind in FUND_HOUSE}
    return wording.kinds[facts.kind] if shipped.get(facts.kind) == facts.kind_name else facts.kind_name


def _document(thing: Thing, wording: PackageWording) -> Entry:
    facts = thing.document
    if facts is None:
        # The document is gone, or the reader may not see it and so can't make a package. Name only its store.
        return _entry(thing, wording.stores[thing.group.store], "", wording)
    detail = wording.of_document.format(
        kind=_kind(facts, wording),
        scope=facts.scope,
        version=facts.version,
        status=wording.statuses[facts.status],
    )
    return _entry(thing, facts.name, detail, wording)


def _event(thing: Thing, events: _Events, wording: PackageWording) -> Entry:
    target = thing.group.target
    if target is None or target.id not in events:
        return _entry(thing, wording.stores[thing.group.store], "", wording)
    action, occurred_at = events[target.id]
    label = event_label(action, known_class(action), wording)
    name = wording.part_of_event.format(event=label, part=wording.places[target.part])
    return _entry(thing, name, wording.event_of.format(moment=moment(occurred_at, wording)), wording)


def _other(thing: Thing, wording: PackageWording) -> Entry:
    target = thing.group.target
    is_account = target is not None and target.type is TargetType.USER
    return _entry(thing, wording.account if is_account else wording.stores[thing.group.store], "", wording)


def _entry(thing: Thing, name: str, detail: str, wording: PackageWording) -> Entry:
    return {
        "store": wording.stores[thing.group.store],
        "name": name,
        "detail": detail,
        "places": [
            {
                "where": _where(quote.hit, wording),
                "page": quote.hit.page,
                "quote": {"before": shown.before, "you": shown.found, "after": shown.after} if shown else None,
                "not_quoted": "" if shown else wording.not_quoted,
            }
            for quote in thing.quotes
            for shown in (quote.shown,)
        ],
    }


def _where(hit: InventoryHit, wording: PackageWording) -> str:
    """Return where the place is within its thing; empty where the thing is a single text."""
    if hit.page:
        return wording.page.format(hit.page)
    return wording.places[hit.part] if hit.part else ""


def _events(things: Sequence[Thing]) -> _Events:
    """Return the action and time of each event, by id. Costs: at most one query."""
    ids = {thing.group.item_id for thing in things}
    rows = Event.objects.filter(id__in=ids).values_list("id", "action", "occurred_at") if ids else ()
    return {id: (action, occurred_at) for id, action, occurred_at in rows}
