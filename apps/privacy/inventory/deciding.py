"""Decide about the places that were found (confirmed or cleared), and whether a document is removed or redacted."""

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
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.events import tell
from apps.privacy.inventory.replaced import fixed_documents
from apps.privacy.inventory.selectors import require_hits, treatments_of
from apps.privacy.models import ErasureRequest, InventoryHit, InventoryTreatment
from apps.privacy.requests.details import sealed_words
from apps.privacy.requests.services.stepping import locked_request, require_erasure, require_manager


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A decision about one place.

    seen: the decision that the deciding person was shown. reason: None takes a decision back.
    words: an explanation where the code of the reason is not enough; they are sealed.
    """

    hit_id: UUID
    seen: Decision
    reason: Reason | None
    words: str = ""


def hits_decide(request_id: UUID, said: Sequence[Said]) -> int:
    """Decide about several places in the name of the acting person: all of them or none. Returns: how many changed.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, InventoryError: also where somebody
            else decided first.
    Costs:  one query per place, and one event.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_assessed(request)
        wanted = {each.hit_id: each for each in said}
        hits = {hit.id: hit for hit in require_hits(request).filter(id__in=wanted).select_for_update(no_key=True)}
        if hits.keys() != wanted.keys():
            raise InventoryError("audit.inventory_hit_not_found")
        if late := sum(hits[id].decision != each.seen for id, each in wanted.items()):
            raise InventoryError("audit.inventory_hit_decided", count=late)
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
    """Decide at once about all certain, or all uncertain, open places of one thing. One event records their number.

    Args:   like: any place of the thing, which is a document, a part of an event, or a row.
            reason: None confirms certain places, each with the reason that the page suggested for it.
            seen: the places that the deciding person was shown; others stay open.
    Returns: how many were decided; places that somebody else decided about in the meantime keep that decision.
    Raises: as hits_decide.
    """
    if reason is None and not certain:
        raise ValueError("whoever decides on an uncertain place must say what it is")
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_assessed(request)
        found = require_hits(request)
        one: InventoryHit | None = found.filter(id=like).first()
        if one is None:
            raise InventoryError("audit.inventory_hit_not_found")
        # The filter for one thing: a document, a part of an event, or a row (as in selectors.grouped).
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
    """Choose what happens to a document: it is removed as a whole, or kept without the passages.

    This can also withdraw a failed redaction: the document is then removed, together with its failed redacted version.

    Args:   seen: the treatment that the choosing person was shown.
    Raises: as hits_decide; InventoryError: also where the person was not found in the document.
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
            raise InventoryError("audit.inventory_hit_not_found")
        known = treatments_of(request).get(document_id)
        if (None if known is None else known.treatment) != seen:
            raise InventoryError("audit.inventory_treatment_changed")
        if document_id in fixed_documents(request):
            raise InventoryError("audit.inventory_redaction_asked")
        if treatment is Treatment.REDACT and not facts.is_current:
            raise InventoryError("audit.inventory_not_redactable")
        row = known or InventoryTreatment(
            tenant_id=request.tenant_id, request=request, document_id=document_id, scope_ids=one.scope_ids
        )
        row.treatment, row.chosen_by_id, row.chosen_at = treatment.value, person, timezone.now()
        if row.redacted_id is None or row.redacted_id not in redacted_states([row.redacted_id]):
            row.asked_at, row.redacted_id, row.error_code = None, None, ""
        # Otherwise a redacted version exists that failed. Its id is kept, so that it is tried again if the document is
        # redacted after all, or removed with the document if that is removed (targets.found_targets).
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
        raise InventoryError("audit.inventory_redaction_asked")


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
    # The quoting must be decided again.
    hit.quoting, hit.hidden = "", None
    # This decision replaces one that was carried over from an earlier version.
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
    # Runs resume for targets that this request kept from a purge, where no place in them is about the person any more.
    targets = {hit.target for hit in hits if hit.decision == Decision.CLEARED and hit.target}
    about = InventoryHit.objects.filter(request=request, target_id__in={target.id for target in targets})
    still = set(about.exclude(decision=Decision.CLEARED).values_list("target_id", flat=True))
    if free := sorted(target for target in targets if target.id not in still):
        runs_take_up(free)
