"""From an inventory that is decided to a proposal: what goes, what stays and why, and what is missing before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from apps.audit.erasure.contracts import Target, TargetType
from apps.audit.erasure.registry import stores
from apps.audit.inventory.asking import ASSESSED, require_assessed
from apps.audit.inventory.codes import EXPIRES, GOES_BY_ITSELF, Decision, InventoryState, Reason, Treatment
from apps.audit.inventory.contracts import documents
from apps.audit.inventory.errors import NotProposableError
from apps.audit.inventory.replaced import going_documents, is_unasked
from apps.audit.inventory.selectors import (
    confirmed_documents,
    hits_of,
    newest,
    open_beyond,
    redacted_versions,
    searched_last,
    standing,
    treatments_of,
)
from apps.audit.inventory.whole import whole_tenant
from apps.audit.models import ErasureRequest, InventoryTreatment
from apps.audit.requests.codes import SubjectType
from apps.audit.requests.details import description_digest
from apps.audit.requests.life import RequestState
from apps.audit.requests.services.proposing import all_that_goes, request_propose, targets_of
from apps.audit.requests.services.stepping import change, locked_request, require_erasure, require_manager

# What is changed by hand, and by whom: nothing of the application removes one of these rows for a person.
BY_HAND: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "intents.policy_versions",
            "intents.golden_examples",
            "intents.intents",
            "intents.intent_terms",
            "intents.kind_budgets",
        ),
        "Versions of a policy are kept as they were decided (Article 17(3)(b) and (e)): a classifier writes the next "
        "one without these words.",
    ),
    "intents.review_comments": "A comment on a policy's version is kept with the decision that it led to.",
    "retrieval.evaluation_questions": "An evaluation question is removed under Retrieval, Evaluation questions.",
    "retrieval.evaluation_answers": "A run of the evaluation is kept with its questions and answers, until a document "
    "that they name is removed: the question is changed where it is kept, and asked anew.",
    "tenants.api_keys": "An administrator renames the key, on its page, before it is revoked.",
    "tenants.scopes": "An administrator renames the scope, on its page.",
    "tenants.tenant": "An operator of the platform renames the tenant; its short name stays, since addresses have it.",
    "tenants.factor_resets": "Why a second factor was reset stays with who asked for it and who agreed "
    "(Article 17(3)(b)).",
    "audit.holds": "A legal hold stays as it was placed and released (Article 17(3)(e)): a new one is placed without "
    "these words.",
    **dict.fromkeys(
        ("audit.retention_schedules", "audit.purges", "audit.purge_parts"),
        "Who decided how long what is kept, and why, stays as it was decided (Article 17(3)(b)): the next schedule is "
        "written without these words.",
    ),
    "corpus.jobs": "The name of whoever brought a document goes with their account, and an error message with its "
    "document.",
    "retrieval.impacts": "A preview goes with its draft, and the name of whoever asked for it with their account.",
    "retrieval.evaluation_runs": "A run of the evaluation keeps the name of its questions: rename these, and ask anew.",
}
_OTHERS_BY_HAND: Final = "No removal reaches it: it is changed where it was written."


@dataclass(frozen=True, slots=True, kw_only=True)
class Staying:
    """What no removal of this request takes along: how many places, and on which ground."""

    places: int
    ground: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """What a proposal would be. problems: what must be done first, in sentences; none, and it can be proposed.

    redactions_wait: documents whose redacted version was not asked for, or failed: the step before the proposal.
    """

    problems: tuple[str, ...]
    targets: Mapping[str, int]
    stores: tuple[tuple[str, int], ...]
    staying: tuple[Staying, ...]
    redactions_wait: int = 0
    redactions_made: int = 0

    @property
    def is_ready(self) -> bool:
        return not self.problems


def prospect(request: ErasureRequest) -> Prospect:
    """Costs: a query or a few for each store, and for each redacted document."""
    if request.state not in ASSESSED:
        return Prospect(problems=(), targets={}, stores=(), staying=())
    is_person = request.subject_type == SubjectType.DATA_SUBJECT
    problems = _problems(request) if is_person else _ground_missing(request)
    targets = found_targets(request) if is_person else all_that_goes(targets_of(request))
    with whole_tenant():
        counted = tuple((store.label, store.count(targets)) for store in stores()) if targets else ()
    rows = [each for each in _treated(request) if each.treatment == Treatment.REDACT]
    waits = _waits(rows)
    return Prospect(
        problems=tuple(problems),
        targets=Counter(str(target.type) for target in targets),
        stores=tuple((label, count) for label, count in counted if count),
        staying=_staying(request) if is_person else (),
        redactions_wait=waits,
        redactions_made=len(rows) - waits,
    )


def inventory_propose(request_id: UUID, *, revision: int) -> ErasureRequest:
    """Propose what was found and confirmed, or what follows from the subject, with all that concerns it elsewhere.

    Args:   revision: of the request that was read.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestNotFoundError, RequestChangedError;
            NotProposableError: something is open, not ready or missing; RequestStepError; what run_propose raises.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        if request.subject_type != SubjectType.DATA_SUBJECT:
            return request_propose(request_id, revision=revision)
        require_assessed(request)
        if problems := _problems(request):
            raise NotProposableError(problems=" ".join(problems))
        if request.state == RequestState.ASSESSING:
            change(request, "inventoried", to=RequestState.INVENTORY_READY)
        targets = found_targets(request)
        # What was not counted goes with these: looked at once more, since its redacted version may be gone by now.
        if left := open_beyond(request, targets):
            raise NotProposableError(problems=f"{left} {_places(left)} open: look at it again.")
        return request_propose(
            request_id,
            targets,
            revision=request.revision,
            staying=_staying_by_code(request),
            redacted=_redacted(request, targets),
        )


def found_targets(request: ErasureRequest) -> Sequence[Target]:
    """What was confirmed of a person: documents that go, old versions of those that were redacted, parts of events that
    name the person or repeat those documents, accounts. Over all scopes.

    Old versions go whatever was found in them last: places of theirs that nobody decided on are not counted, because
    they go.
    """
    # Never the version that is searched, before there is another one.
    found = {Target(type=TargetType.DOCUMENT, id=id) for id in going_documents(request)}
    with whole_tenant():
        treated = {each.document_id: each for each in _treated(request)}
        kept = set(redacted_versions(request))
        for hit in hits_of(request).filter(decision=Decision.CONFIRMED):
            target = hit.target
            if target is None:
                continue
            treatment = treated.get(target.id) if target.type is TargetType.DOCUMENT else None
            if treatment is None or treatment.treatment == Treatment.REMOVE:
                found.add(target)
                # Its redaction failed and was withdrawn: what there is of that version goes with it.
                if treatment is not None and (left := treatment.redacted_id) is not None and left not in kept:
                    found.add(Target(type=TargetType.DOCUMENT, id=left))
    return all_that_goes(sorted(found))


def _problems(request: ErasureRequest) -> list[str]:
    problems = _ground_missing(request)
    last, now = searched_last(request), newest(request)
    if last is None:
        return [*problems, "Search for the person first."]
    if now is not None and now.is_moving:
        problems.append("A search is going on: wait for its end.")
    elif now is not None and now.state == InventoryState.FAILED:
        problems.append("The last search failed: search again.")
    if last.description != description_digest(request):
        problems.append("What is known of the person has changed since the search: search again.")
    there = standing(request)
    if there.open:
        beyond = f", {there.beyond_open} of them in scopes that are not yours" if there.beyond_open else ""
        problems.append(f"{there.open} {_places(there.open)} open{beyond}.")
    elif not there.confirmed and not going_documents(request):
        problems.append(
            "No place was confirmed, so there is nothing to erase: refuse the request, since nothing is held."
        )
    if by_hand := _by_hand(request):
        first = by_hand.total()
        problems.append(
            f"{first} confirmed place{'s are' if first != 1 else ' is'} where no removal reaches. Change "
            f"{'them' if first != 1 else 'it'} by hand and search again; or say of each that it must stay by law, with "
            f"the words why. {' '.join(sorted({BY_HAND.get(store, _OTHERS_BY_HAND) for store in by_hand}))}"
        )
    return [*problems, *_documents_undecided(request)]


def _documents_undecided(request: ErasureRequest) -> list[str]:
    problems = []
    going = going_documents(request)
    with whole_tenant():
        treated = {each.document_id: each for each in _treated(request)}
        states = documents().redacted(redacted_versions(request))
        confirmed = confirmed_documents(request)
    unchosen = sum(id not in treated and id not in going for id in confirmed)
    if unchosen:
        problems.append(f"Say of {unchosen} document{'s' * (unchosen != 1)}: remove, or redact.")
    last = searched_last(request)
    unsearched = sum(
        state.ready_at is not None and (last is None or last.started_at is None or state.ready_at > last.started_at)
        for state in states.values()
    )
    if unsearched:
        problems.append(
            f"{unsearched} redacted version{'s were' if unsearched != 1 else ' was'} made since the last search: "
            "search again, so that what is left in there of the person is found."
        )
    rows = [treated[id] for id in confirmed if id in treated and treated[id].treatment == Treatment.REDACT]
    if unasked := sum(is_unasked(each, states) for each in rows):
        problems.append(f"{unasked} redacted version{'s' * (unasked != 1)} must be made first.")
    making = failed = 0
    for each in rows:
        state = states.get(each.redacted_id) if each.redacted_id else None
        failed += state is not None and state.is_failed
        making += not is_unasked(each, states) and (state is None or not (state.is_ready or state.is_failed))
    if making:
        problems.append(f"{making} redacted version{'s are' if making != 1 else ' is'} still being made.")
    if failed:
        problems.append(f"{failed} redacted version{'s' * (failed != 1)} could not be made searchable: try again.")
    return problems


def _treated(request: ErasureRequest) -> Sequence[InventoryTreatment]:
    return list(treatments_of(request).values())


def _waits(rows: Sequence[InventoryTreatment]) -> int:
    with whole_tenant():
        states = documents().redacted([each.redacted_id for each in rows if each.redacted_id])
    return sum(is_unasked(each, states) for each in rows) + sum(state.is_failed for state in states.values())


def _ground_missing(request: ErasureRequest) -> list[str]:
    return [] if request.ground else ["Say why there is a duty to erase: assess the request."]


def _places(count: int) -> str:
    return "place is" if count == 1 else "places are"


def _by_hand(request: ErasureRequest) -> Counter[str]:
    """By store: places that were confirmed where no removal reaches, and that do not go by themselves."""
    with whole_tenant():
        confirmed = hits_of(request).filter(decision=Decision.CONFIRMED, target_id__isnull=True)
        found = Counter(confirmed.order_by().values_list("store", flat=True))
    return Counter({store: count for store, count in found.items() if store not in GOES_BY_ITSELF})


def _staying_by_code(request: ErasureRequest) -> list[dict[str, Any]]:
    """What stays of the person although it was found, for the run and its certificate: codes and counts."""
    going = going_documents(request)
    with whole_tenant():
        # A place that was carried over to a redacted version stays there, once; nothing stays in what goes.
        again = hits_of(request).filter(carried_from_id__isnull=False).values("carried_from_id")
        kept = hits_of(request).filter(reason__in=(Reason.LEGAL_DUTY, Reason.LEGAL_CLAIMS)).exclude(id__in=again)
        kept = kept.exclude(target_type=TargetType.DOCUMENT, target_id__any_of=going)
        places = Counter(kept.order_by().values_list("reason", "store"))
        confirmed = hits_of(request).filter(decision=Decision.CONFIRMED, store__in=GOES_BY_ITSELF)
        places += Counter((EXPIRES, store) for store in confirmed.order_by().values_list("store", flat=True))
    return [{"ground": ground, "store": store, "places": count} for (ground, store), count in sorted(places.items())]


def _redacted(request: ErasureRequest, targets: Sequence[Target]) -> list[dict[str, Any]]:
    """The documents that stay in a redacted version, for the run and its certificate.

    A redacted version in which the person was found once more is a target itself: what stays is the one after it.
    """
    going = {target.id for target in targets if target.type is TargetType.DOCUMENT}
    found = []
    with whole_tenant():
        states = documents().redacted(redacted_versions(request))
        for id in sorted(states.keys() - going):
            older = sum(target.id in going for target in documents().versions_before([id]))
            if older:
                found.append({"document": str(id), "version": states[id].number, "older": older})
    return found


def _staying(request: ErasureRequest) -> tuple[Staying, ...]:
    """Cleared although it is the person, and what goes by itself: in words."""
    by_ground: Counter[str] = Counter()
    for each in _staying_by_code(request):
        ground = GOES_BY_ITSELF[each["store"]] if each["ground"] == EXPIRES else str(Reason(each["ground"]).label)
        by_ground[ground] += each["places"]
    return tuple(Staying(places=places, ground=ground) for ground, places in sorted(by_ground.items()))
