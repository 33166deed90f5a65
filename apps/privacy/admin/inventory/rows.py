"""The places of an inventory as the screen shows them: where, how they were found, what was said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.urls import reverse

from apps.erasure.contracts import TargetType
from apps.erasure.holds.items import describe
from apps.erasure.registry import searched, stores
from apps.erasure.runs.staying import ERASING_ONLY, Reason
from apps.privacy.codes.inventory import CLEARING, CONFIRMING, Decision, Treatment, suggested_reason
from apps.privacy.inventory.deciding import words_part
from apps.privacy.inventory.documents import (
    DocumentFacts,
    Passage,
    RedactedState,
    Spot,
    facts_of,
    previews_of,
    redacted_states,
)
from apps.privacy.inventory.excerpts import Excerpt, Excerpts
from apps.privacy.inventory.redacting import open_where_asked
from apps.privacy.inventory.replaced import fixed_documents, going_documents
from apps.privacy.inventory.selectors import Grouped, treatments_of
from apps.privacy.inventory.where import where_of
from apps.privacy.models import ErasureRequest, InventoryHit, InventoryTreatment
from apps.privacy.requests.details import words_of
from apps.tenants.admin.addresses import address
from apps.tenants.selectors.people import names_of

HOW: Final[Mapping[str, str]] = {
    "exact": "as entered",
    "variant": "another spelling",
    "fuzzy": "similar, with one or two different letters",
    "identifier": "the same digits and letters",
}
MATCHED: Final[Mapping[str, str]] = {
    "name": "Name",
    "alias": "Other name",
    "email": "E-mail address",
    "phone": "Phone number",
    "iban": "IBAN",
    "account": "Number",
    "word": "Words",
}
_TONES: Final = {Decision.OPEN: "warn", Decision.CONFIRMED: "bad", Decision.CLEARED: "good"}
# So many places of one thing stand on the page; the others come up when these are decided.
MOST_SHOWN: Final = 50
_NOT_THEM: Final = "It is not the person"


def reasons_of(request: ErasureRequest) -> Sequence[tuple[str, Sequence[Reason]]]:
    """What can be said of a place, under headings. By a request for access nothing goes, and nothing has to stay."""
    if not request.is_access:
        return ("It is the person", CONFIRMING), ("It stays", CLEARING)
    return ("It is the person", CONFIRMING), (_NOT_THEM, [each for each in CLEARING if each not in ERASING_ONLY])


# Where what no removal reaches is changed by hand, by the store's key.
BY_HAND_PAGES: Final[Mapping[str, str]] = {
    "tenants.scopes": "tenants_scope_rename",
    "tenants.api_keys": "tenants_apikey_rename",
    "retrieval.evaluation_questions": "evaluation_question_remove",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRow:
    hit: InventoryHit
    where: str
    how: str
    excerpt: Excerpt | None
    decision: str
    tone: str
    reason: str
    words: str
    by: str
    suggested: str
    is_set_aside: bool

    @property
    def is_open(self) -> bool:
        return self.hit.decision == Decision.OPEN

    @property
    def is_carried(self) -> bool:
        """Whether it was decided of the earlier version of its document, and holds here too."""
        return self.hit.carried_from_id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """rows: certain places first; hidden: how many more there are. made: how far the redacted version is.

    goes: whether what becomes of a document is asked at all: of a request for access nothing becomes of it.
    is_going: whether it goes as a whole, since a redacted version stands for it. is_fixed: whether that, or its
        redaction was asked for: what was decided of it stays so.
    """

    key: str
    goes: bool
    group: Grouped
    name: str
    detail: str
    url: str
    certain: tuple[HitRow, ...]
    uncertain: tuple[HitRow, ...]
    hidden: int
    may_redact: bool
    treatment: InventoryTreatment | None
    passages: Sequence[Passage]
    made: RedactedState | None
    made_url: str
    is_going: bool
    is_fixed: bool

    @property
    def open_count(self) -> int:
        return 0 if self.is_going else len(self.group.open)

    @property
    def set_aside_count(self) -> int:
        return len(self.group.open) if self.is_going else 0

    @property
    def carried_count(self) -> int:
        return len(self.group.carried)

    @property
    def open_certain(self) -> Sequence[UUID]:
        return [hit.id for hit in self.group.certain if hit.decision == Decision.OPEN]

    @property
    def open_uncertain(self) -> Sequence[UUID]:
        return [hit.id for hit in self.group.uncertain if hit.decision == Decision.OPEN]

    @property
    def needs_treatment(self) -> bool:
        return self.goes and self.group.is_document and bool(self.group.confirmed)

    @property
    def is_settled(self) -> bool:
        return not self.open_count and (not self.needs_treatment or self.treatment is not None or self.is_going)


def group_rows(request: ErasureRequest, groups: Sequence[Grouped]) -> Sequence[GroupRow]:
    """Costs: a query for each text that holds a place; two for each document of which passages were confirmed."""
    facts = facts_of([each.target.id for each in groups if each.target and each.is_document])
    parts = describe([each.target for each in groups if each.target and each.is_event])
    treated = treatments_of(request)
    made = redacted_states([each.redacted_id for each in treated.values() if each.redacted_id])
    labels = {key: source.label for source in searched() for key in source.stores}
    labels |= {store.key: store.label for store in stores()}
    people = names_of(hit.decided_by_id for each in groups for hit in each.hits)
    excerpts = Excerpts()
    going, fixed = going_documents(request), fixed_documents(request)
    rows = []
    for group in groups:
        name, detail, url = labels.get(group.store, group.store), "", ""
        document = facts.get(group.target.id) if group.target and group.is_document else None
        if document is not None:
            name, detail, url = document.name, document.detail, address("corpus_document_change", document.id)
        elif group.target is not None and (item := parts.get(group.target)) is not None:
            name, detail, url = item.name, item.detail, reverse(f"admin:{item.page}", args=[item.page_id])
        elif group.target is not None and group.target.type is TargetType.USER:
            detail = "the account of a user of this installation"
        elif group.target is None and group.hits:
            page = BY_HAND_PAGES.get(group.store, "")
            url = address(page, group.hits[0].item_id) if page else ""
        is_going = group.is_document and group.target is not None and group.target.id in going
        is_fixed = is_going or (document is not None and document.id in fixed)
        shown = _hit_rows(request, group, people, excerpts, is_going=is_going)
        rows.append(_row(request, group, shown, name, detail, url, document, treated, made, is_going, is_fixed))
    return rows


def _row(
    request: ErasureRequest,
    group: Grouped,
    rows: Sequence[HitRow],
    name: str,
    detail: str,
    url: str,
    document: DocumentFacts | None,
    treated: Mapping[UUID, InventoryTreatment],
    made: Mapping[UUID, RedactedState],
    is_going: bool,
    is_fixed: bool,
) -> GroupRow:
    treatment = treated.get(document.id) if document else None
    redacted_id = treatment.redacted_id if treatment else None
    confirmed = () if request.is_access else group.confirmed
    spots = [Spot(page=hit.page, part=hit.part, start=hit.char_start, end=hit.char_end) for hit in confirmed]
    return GroupRow(
        key=str(group.target.id if group.target else group.item_id) + (group.target.part if group.target else ""),
        goes=not request.is_access,
        group=group,
        name=name,
        detail=detail,
        url=url,
        certain=tuple(row for row in rows if row.hit.is_certain),
        uncertain=tuple(row for row in rows if not row.hit.is_certain),
        hidden=len(group.hits) - len(rows),
        may_redact=document is not None and document.is_current,
        treatment=treatment,
        passages=previews_of(document.id, spots) if document and spots and document.is_current else (),
        made=made.get(redacted_id) if redacted_id else None,
        made_url=address("corpus_document_change", redacted_id) if redacted_id else "",
        is_going=is_going,
        is_fixed=is_fixed,
    )


def _hit_rows(
    request: ErasureRequest, group: Grouped, people: Mapping[UUID, str], excerpts: Excerpts, *, is_going: bool
) -> Sequence[HitRow]:
    # What is open first: it is what somebody comes here for.
    shown = sorted(group.hits, key=lambda hit: hit.decision != Decision.OPEN)[:MOST_SHOWN]
    return [_hit_row(request, hit, people, excerpts, is_going=is_going) for hit in group.hits if hit in shown]


def _hit_row(
    request: ErasureRequest, hit: InventoryHit, people: Mapping[UUID, str], excerpts: Excerpts, *, is_going: bool
) -> HitRow:
    decision = Decision(hit.decision)
    is_set_aside = is_going and decision is Decision.OPEN
    return HitRow(
        hit=hit,
        where=where_of(hit),
        how=f"{MATCHED.get(hit.matched, hit.matched)}, {HOW.get(hit.how, hit.how)}",
        excerpt=excerpts.of(hit),
        decision=_decision(request, decision, is_set_aside=is_set_aside),
        tone="quiet" if is_set_aside else _TONES[decision],
        reason=Reason(hit.reason).label if hit.reason else "",
        words=words_of(request, bytes(hit.words), part=words_part(hit)) if hit.words else "",
        by=people.get(hit.decided_by_id, "") if hit.decided_by_id else "",
        suggested=hit.reason or (suggested_reason(hit.matched).value if hit.is_certain else ""),
        is_set_aside=is_set_aside,
    )


def _decision(request: ErasureRequest, decision: Decision, *, is_set_aside: bool) -> str:
    if is_set_aside:
        return "Needs no decision"
    return _NOT_THEM if request.is_access and decision is Decision.CLEARED else decision.label


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRow:
    """A document that can't be redacted yet: how many of its places are open, where, and on which page they stand."""

    name: str
    places: int
    where: str
    url: str


def open_rows(request: ErasureRequest, groups: Sequence[Grouped], *, a_page: int) -> Sequence[OpenRow]:
    """What a redaction waits for, document by document. Args: groups: all of them, in the order of the pages."""
    left = open_where_asked(request)
    facts = facts_of(left)
    rows = []
    for number, group in enumerate(groups):
        if group.target is not None and (hits := left.get(group.target.id)):
            rows.append(
                OpenRow(
                    name=facts[group.target.id].name,
                    places=len(hits),
                    where=", ".join(dict.fromkeys(map(where_of, hits))),
                    url=f"?page={number // a_page + 1}#thing-{group.target.id}",
                )
            )
    return rows


TREATMENTS: Final = {
    Treatment.REDACT: "Redact the passages: the document stays, in a version without the places that you confirmed",
    Treatment.REMOVE: "Remove the document, with everything made from it",
}
