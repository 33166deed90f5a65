"""What must be done before a request can be proposed, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from apps.erasure.runs.staying import GOES_BY_ITSELF
from apps.privacy.codes.inventory import Decision, InventoryState, Treatment
from apps.privacy.inventory.documents import redacted_states
from apps.privacy.inventory.replaced import going_documents, is_unasked
from apps.privacy.inventory.selectors import (
    confirmed_documents,
    hits_of,
    newest,
    redacted_versions,
    searched_last,
    standing,
    treatments_of,
)
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import description_digest
from apps.privacy.requests.whole import whole_tenant

# Stores whose rows only a person can change, with the sentence that says who: no removal touches these rows.
BY_HAND: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "intents.policy_versions",
            "intents.golden_examples",
            "intents.intents",
            "intents.intent_terms",
            "intents.kind_budgets",
            "intents.invariants",
            "intents.profile_rules",
        ),
        "Policy versions are kept as they were decided (Article 17(3)(b) and (e)): write the next version without "
        "these words.",
    ),
    "intents.policy_proofs": "A proof is kept with the submission of the version that it is of, and holds its words.",
    "intents.certified_grants": "The reason of a decision on a grant goes with its holder or with whoever gave it.",
    "intents.review_comments": "A comment on a policy version is kept with the decision that it led to.",
    "retrieval.evaluation_questions": "Remove an evaluation question under Retrieval, Evaluation questions.",
    "retrieval.evaluation_answers": "An evaluation run is kept with its questions and answers until a document that "
    "they name is removed. Change the question where it is kept, and ask it again.",
    "tenants.api_keys": "An administrator renames the key on its page before it is revoked.",
    "tenants.scopes": "An administrator renames the scope on its page.",
    "tenants.tenant": "The operator renames the tenant; its short name stays, because addresses contain it.",
    "tenants.factor_resets": "The reason for the reset of a second factor stays with the record of who asked and who "
    "agreed (Article 17(3)(b)).",
    "audit.holds": "A legal hold stays as it was placed and released (Article 17(3)(e)): place the next one without "
    "these words.",
    **dict.fromkeys(
        ("audit.retention_schedules", "audit.purges", "audit.purge_parts"),
        "A retention schedule stays as it was decided (Article 17(3)(b)): write the next one without these words.",
    ),
    "corpus.jobs": "The name of whoever uploaded a document is removed with their account, and an error message with "
    "its document.",
    "retrieval.impacts": (
        "A preview is removed with its draft, and the name of whoever asked for it with their account."
    ),
    "retrieval.evaluation_runs": "A run of the evaluation keeps the name of its questions: rename these, and ask anew.",
}
_OTHERS_BY_HAND: Final = "No removal reaches it: change it where it was written."


def problems_of(request: ErasureRequest) -> list[str]:
    """Return what is missing of a request about a person."""
    problems = ground_missing(request)
    last, now = searched_last(request), newest(request)
    if last is None:
        return [*problems, "Search for the person first."]
    if now is not None and now.is_moving:
        problems.append("A search is running: wait until it ends.")
    elif now is not None and now.state == InventoryState.FAILED:
        problems.append("The last search failed: search again.")
    if last.description != description_digest(request):
        problems.append("What is known about the person has changed since the search: search again.")
    there = standing(request)
    if there.open:
        beyond = f", {there.beyond_open} of them in scopes that you don't hold" if there.beyond_open else ""
        problems.append(f"{there.open} {places_are(there.open)} open{beyond}.")
    elif not there.confirmed and not going_documents(request):
        problems.append(
            "No place was confirmed, so there is nothing to erase. Refuse the request, because nothing is held."
        )
    if by_hand := _by_hand(request):
        first = by_hand.total()
        problems.append(
            f"{first} confirmed place{'s are' if first != 1 else ' is'} where no removal reaches. Change "
            f"{'them' if first != 1 else 'it'} by hand and search again. Or mark each as one that must stay by law, "
            f"and say why. {' '.join(sorted({BY_HAND.get(store, _OTHERS_BY_HAND) for store in by_hand}))}"
        )
    return [*problems, *_documents_undecided(request)]


def ground_missing(request: ErasureRequest) -> list[str]:
    """Return the sentence that asks for a ground, where the request has none."""
    return [] if request.ground else ["Say why there is a duty to erase: assess the request."]


def places_are(count: int) -> str:
    return "place is" if count == 1 else "places are"


def _documents_undecided(request: ErasureRequest) -> list[str]:
    problems = []
    going = going_documents(request)
    with whole_tenant():
        treated = treatments_of(request)
        states = redacted_states(redacted_versions(request))
        confirmed = confirmed_documents(request)
    unchosen = sum(id not in treated and id not in going for id in confirmed)
    if unchosen:
        problems.append(f"Choose for {unchosen} document{'s' * (unchosen != 1)}: remove or redact.")
    last = searched_last(request)
    unsearched = sum(
        state.ready_at is not None and (last is None or last.started_at is None or state.ready_at > last.started_at)
        for state in states.values()
    )
    if unsearched:
        problems.append(
            f"{unsearched} redacted version{'s were' if unsearched != 1 else ' was'} made since the last search: "
            "search again, so that anything left of the person in them is found."
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


def _by_hand(request: ErasureRequest) -> Counter[str]:
    """Count, by store, the confirmed places that no removal reaches and that do not expire by themselves."""
    with whole_tenant():
        confirmed = hits_of(request).filter(decision=Decision.CONFIRMED, target_id__isnull=True)
        found = Counter(confirmed.order_by().values_list("store", flat=True))
    return Counter({store: count for store, count in found.items() if store not in GOES_BY_ITSELF})
