"""What a person says of the places that were found: it is them, or it stays; and what becomes of each document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.erasure.contracts import TargetType
from apps.erasure.runs.staying import ERASING_ONLY, Reason
from apps.erasure.runs.waiting import runs_take_up
from apps.privacy.codes.inventory import Decision, Treatment, decision_of, suggested_reason
from apps.privacy.inventory.asking import require_assessed
from apps.privacy.inventory.documents import facts_of, redacted_states
from apps.privacy.inventory.errors import (
    HitDecidedError,
    HitNotFoundError,
    NotRedactableHereError,
    RedactionAskedError,
    TreatmentChangedError,
)
from apps.privacy.inventory.events import tell
from apps.privacy.inventory.replaced import fixed_documents
from apps.privacy.inventory.selectors import require_hits, treatments_of
from apps.privacy.models import ErasureRequest, InventoryHit, InventoryTreatment
from apps.privacy.requests.details import sealed_words
from apps.privacy.requests.services.stepping import locked_request, require_erasure, require_manager


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said of one place. seen: the decision that whoever says it had before them.

    reason: None takes a decision back. words: why, where a code does not say it; they are sealed.
    """

    hit_id: UUID
    seen: Decision
    reason: Reason | None
    words: str = ""


def hits_decide(request_id: UUID, said: Sequence[Said]) -> int:
    """Decide about some places, in the principal's own name: all of them, or none. Returns: how many changed.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestNotFoundError, InventoryStateError,
            InventoryNotFoundError; HitNotFoundError; HitDecidedError: somebody was quicker; RedactionAskedError.
    Costs:  a query a place, and one event.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_assessed(request)
        wanted = {each.hit_id: each for each in said}
        hits = {hit.id: hit for hit in require_hits(request).filter(id__in=wanted).select_for_update(no_key=True)}
        if hits.keys() != wanted.keys():
            raise HitNotFoundError
        if late := sum(hits[id].decision != each.seen for id, each in wanted.items()):
            raise HitDecidedError(count=late)
        _require_unredacted(request, hits.values())
        changed: list[InventoryHit] = []
        for id, each in wanted.items():
            _set(request, hits[id], reason=each.reason, words=each.words, person=person)
            changed.append(hits[id])
        _tell(request, changed)
    return len(changed)


def hits_decide_at_once(
    request_id: UUID, *, like: UUID, certain: bool, reason: Reason | None, seen: Iterable[UUID], words: str = ""
) -> int:
    """Decide about all certain, or all uncertain, open places of one thing at once. Recorded with their number.

    Args:   like: a place of the thing: of its document, its part of an event, its row.
            reason: None confirms certain places, each as what the page showed it as.
            seen: the places that whoever decides had before them: others stay open.
    Returns: how many; those that somebody else decided about meanwhile keep what they have.
    Raises: as hits_decide.
    """
    if reason is None and not certain:
        raise ValueError("what an uncertain place is, whoever decides must say")
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_assessed(request)
        found = require_hits(request)
        one: InventoryHit | None = found.filter(id=like).first()
        if one is None:
            raise HitNotFoundError
        # Of a document, of a part of an event, or of a row: what makes up one thing (selectors.grouped).
        thing = (
            {"target_type": one.target_type, "target_id": one.target_id, "target_part": one.target_part}
            if one.target_id
            else {"store": one.store, "item_id": one.item_id}
        )
        rows = found.filter(**thing, id__in=list(seen), is_certain=certain, decision=Decision.OPEN)
        hits = list(rows.select_for_update(no_key=True))
        _require_unredacted(request, hits)
        for hit in hits:
            _set(request, hit, reason=reason or suggested_reason(hit.matched), words=words, person=person)
        if hits:
            _tell(request, hits, at_once=True)
    return len(hits)


def document_treat(
    request_id: UUID, document_id: UUID, treatment: Treatment, *, seen: Treatment | None
) -> InventoryTreatment:
    """Choose what becomes of a document: removed as a whole, or kept without the passages.

    A redaction that failed can be withdrawn so: the document is removed instead, with what there is of that version.

    Args:   seen: what was chosen when whoever chooses looked.
    Raises: as hits_decide; HitNotFoundError: the person was not found in it; NotRedactableHereError;
            TreatmentChangedError; RedactionAskedError.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_erasure(request)
        require_assessed(request)
        hits = require_hits(request).filter(target_type=TargetType.DOCUMENT, target_id=document_id)
        one: InventoryHit | None = hits.first()
        facts = facts_of([document_id]).get(document_id)
        if one is None or facts is None:
            raise HitNotFoundError
        known = treatments_of(request).get(document_id)
        if (None if known is None else known.treatment) != seen:
            raise TreatmentChangedError
        if document_id in fixed_documents(request):
            raise RedactionAskedError
        if treatment is Treatment.REDACT and not facts.is_current:
            raise NotRedactableHereError
        row = known or InventoryTreatment(
            tenant_id=request.tenant_id, request=request, document_id=document_id, scope_ids=one.scope_ids
        )
        row.treatment, row.chosen_by_id, row.chosen_at = treatment.value, person, timezone.now()
        if row.redacted_id is None or row.redacted_id not in redacted_states([row.redacted_id]):
            row.asked_at, row.redacted_id, row.error_code = None, None, ""
        # Otherwise there is a redacted version that failed. It stays written down: tried again where the document is
        # redacted after all, removed with the document where that is removed (proposing.found_targets).
        row.save()
        tell(
            "treated",
            request,
            document_id=str(document_id),
            treatment=treatment.value,
            before=seen.value if seen else "",
        )
    return row


def _require_unredacted(request: ErasureRequest, hits: Iterable[InventoryHit]) -> None:
    fixed = fixed_documents(request)
    if any(hit.target_type == TargetType.DOCUMENT and hit.target_id in fixed for hit in hits):
        raise RedactionAskedError


def _set(request: ErasureRequest, hit: InventoryHit, *, reason: Reason | None, words: str, person: UUID) -> None:
    said = words.strip()
    if reason in ERASING_ONLY:
        require_erasure(request)
    if reason is None:
        hit.decision, hit.reason, hit.words = Decision.OPEN, "", None
        hit.decided_by_id = hit.decided_at = None
    else:
        hit.decision, hit.reason = decision_of(reason), reason
        hit.words = sealed_words(request, said, part=words_part(hit)) if said else None
        hit.decided_by_id, hit.decided_at = person, timezone.now()
    # Whether it is quoted is looked at anew.
    hit.quoting, hit.hidden = "", None
    # It is this person's word now, whatever was carried over from an earlier version.
    hit.carried_from_id = None
    hit.save(
        update_fields=[
            "decision",
            "reason",
            "words",
            "quoting",
            "hidden",
            "decided_by_id",
            "decided_at",
            "carried_from_id",
        ]
    )


def words_part(hit: InventoryHit) -> str:
    return f"hit:{hit.id}"


def _tell(request: ErasureRequest, hits: Sequence[InventoryHit], *, at_once: bool = False) -> None:
    counted: Mapping[str, int] = Counter(hit.decision for hit in hits)
    tell(
        "decided",
        request,
        places=len(hits),
        confirmed=counted.get(Decision.CONFIRMED, 0),
        cleared=counted.get(Decision.CLEARED, 0),
        opened=counted.get(Decision.OPEN, 0),
        at_once=at_once,
    )
    # What a purge passed over because of this request goes on, where nothing of it is about the person any more.
    targets = {hit.target for hit in hits if hit.decision == Decision.CLEARED and hit.target}
    about = InventoryHit.objects.filter(request=request, target_id__in={target.id for target in targets})
    still = set(about.exclude(decision=Decision.CLEARED).values_list("target_id", flat=True))
    if free := sorted(target for target in targets if target.id not in still):
        runs_take_up(free)
