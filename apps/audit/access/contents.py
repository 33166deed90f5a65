"""What stands in a package: what is held, place by place, and what Article 15(1) wants told beside it. JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from apps.audit.access.quotes import Thing
from apps.audit.inventory.selectors import StoreCount
from apps.audit.inventory.where import where_of
from apps.audit.models import ErasureRequest, Event
from apps.audit.requests.details import Details
from apps.audit.retention.months import in_words
from apps.audit.retention.selectors import rules_of, schedule_in_force
from apps.audit.subject_access.account import at
from apps.audit.subject_access.contracts import Entry
from apps.audit.subject_access.kinds import kinds
from apps.audit.subject_access.recipients import recipients_of_documents
from apps.tenants.models import Tenant

LAW: Final = "Article 15 of the General Data Protection Regulation (EU) 2016/679"
_DOCUMENT: Final = "document:"
_RIGHTS_OF_OTHERS: Final = "Not quoted: it would tell about others (Article 15(4))"

ARTICLE_15: Final[Mapping[str, str]] = {
    "(a) Purposes": "Stand with each chapter of what is held, with the legal basis.",
    "(b) Categories of data": "Each has a chapter: where you are named, and what stands around it.",
    "(c) Recipients": "Who within the firm may see it, and which providers get something of it: see “Who gets to see "
    "it”.",
    "(d) How long it is kept": "Stands with each chapter.",
    "(e) Your rights": (
        "You may ask for what is wrong to be corrected (Article 16), for erasure (17) or restriction (18) of what is "
        "held, and object to what rests on a legitimate interest (21). Write to the firm's data protection officer: "
        "you get an answer within one month. What the firm must keep by law stays until it need not be kept any more."
    ),
    "(f) Complaint": (
        "You may complain to a supervisory authority, such as that of the country where you live or work, or where you "
        "think that the law was broken (Article 77)."
    ),
    "(g) Source": "Stands with each chapter.",
    "(h) Automated decisions": (
        "Nothing is decided about you by machine in the sense of Article 22. Documents are searched for passages that "
        "answer a question of the firm's staff; people read the answer, with the passages that it rests on."
    ),
    "Article 15(2): other countries": (
        "Where a provider is said to be outside the firm's region, ask the data protection officer for the safeguards "
        "that were agreed with it (Article 46)."
    ),
    "Article 15(4): others": (
        "Where the words around a place are about others, they are hidden (█████), or left out. That you are named "
        "there, and where, is said all the same."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the firm says of its documents: the platform knows what they say, and not what the firm has them for."""

    purposes: str = field(repr=False)
    legal_basis: str = field(repr=False)
    source: str = field(repr=False)
    retention: str = field(repr=False)


def told_by_rules() -> Told:
    """As the rules in force have it, for a person to read and change. Costs: two queries."""
    schedule = schedule_in_force()
    rules = [rule for rule in (rules_of(schedule) if schedule else ()) if rule.subject.startswith(_DOCUMENT)]
    bases = sorted({rule.legal_basis for rule in rules})
    keep = sorted({rule.keep_months for rule in rules})
    kept = f"At least {in_words(keep[0])}" if keep else "As long as they are needed"
    longest = f", and some {in_words(keep[-1])}," if len(keep) > 1 else ""
    return Told(
        purposes="To answer questions of the firm's staff out of the firm's documents, and to show later what an "
        "answer rested on.",
        legal_basis="; ".join(bases) or "6(1)(f) legitimate interests",
        source="The documents themselves: letters, notes, contracts and reports that the firm has written or received.",
        retention=f"{kept}{longest} after another version has taken a document's place; then it is removed with all "
        "that was made of it.",
    )


def contents(
    request: ErasureRequest,
    details: Details,
    things: Sequence[Thing],
    *,
    told: Told,
    tenant: Tenant,
    searched: Sequence[StoreCount],
    until: datetime,
) -> dict[str, Any]:
    """The whole package. Args: things: with confirmed places alone, of which every one is decided on."""
    documents = [thing for thing in things if thing.group.is_document]
    events = [thing for thing in things if thing.group.is_event]
    others = [thing for thing in things if not (thing.group.is_document or thing.group.is_event)]
    return {
        "about": {
            "title": "What is held about you",
            "firm": tenant.name,
            "region": tenant.residency_region,
            "reference": request.reference,
            "received_on": request.received_on.isoformat(),
            "until": at(until),
            "law": LAW,
            "places": sum(len(thing.quotes) for thing in things),
        },
        "looked_for": {
            "names": [*details.names, *details.aliases],
            "addresses_and_numbers": [*details.emails, *details.phones, *details.identifiers],
        },
        "article_15": dict(ARTICLE_15),
        "recipients": recipients_of_documents(tenant),
        "categories": [
            _documents(documents, told),
            _log(events),
            _others(others),
        ],
        "kinds_of_events": kinds(_actions(events)),
        "searched": [each.label for each in searched],
        "complete": True,
    }


def _documents(things: Sequence[Thing], told: Told) -> Entry:
    return {
        "key": "documents",
        "title": "Documents",
        "about": "Documents in which you are named: which, where, and the words around your name. Search terms and "
        "numbers that are made of the same words, to find passages by, say nothing else and go with them.",
        "purpose": told.purposes,
        "legal_basis": told.legal_basis,
        "source": told.source,
        "retention": told.retention,
        "entries": [_entry(thing) for thing in things],
    }


def _log(things: Sequence[Thing]) -> Entry:
    return {
        "key": "events",
        "title": "The audit log",
        "about": "Events whose content names you, such as a question about you, or an answer that quoted a document in "
        "which you are named.",
        "purpose": "To show later what happened, by what rules, and that nobody changed the record.",
        "legal_basis": "By kind of event: see “How long events are kept”; mostly 6(1)(c) legal obligation.",
        "source": "The system, in the moment of each act; the words of a question come from who asked it.",
        "retention": "By kind of event: see “How long events are kept”.",
        "entries": [_entry(thing) for thing in things],
    }


def _others(things: Sequence[Thing]) -> Entry:
    return {
        "key": "others",
        "title": "What else names you",
        "about": "Comments, test questions, names of things and other short texts that people of the firm wrote.",
        "purpose": "To work with the documents, and to decide by which rules they are searched.",
        "legal_basis": "6(1)(f) legitimate interests; 6(1)(c) where it is the record of a decision.",
        "source": "People of the firm, who wrote it.",
        "retention": "As long as what it belongs to; the record of a decision as long as the firm must account for it.",
        "entries": [_entry(thing) for thing in things],
    }


def _entry(thing: Thing) -> Entry:
    return {
        "store": thing.store,
        "name": thing.name,
        "detail": thing.detail,
        "places": [
            {
                "where": where_of(quote.hit),
                "page": quote.hit.page,
                "quote": {"before": shown.before, "you": shown.found, "after": shown.after} if shown else None,
                "not_quoted": "" if shown else _RIGHTS_OF_OTHERS,
            }
            for quote in thing.quotes
            for shown in (quote.shown,)
        ],
    }


def _actions(things: Iterable[Thing]) -> list[str]:
    ids = {thing.group.item_id for thing in things}
    return list(Event.objects.filter(id__in=ids).values_list("action", flat=True).distinct()) if ids else []
